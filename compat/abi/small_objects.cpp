// r1::allocate and r1::deallocate of _small_object_pool.h, on the core's pools. What oneTBB's headers hold a pointer to
// is one of these; they do not look inside.

#include <bough/detail/task_memory.h>

#include <oneapi/tbb/detail/_small_object_pool.h>

#include <oneapi/tbb/detail/_task.h>

namespace tbb::detail::r1 {

namespace core = bough::detail;

void* allocate(d1::small_object_pool*& pool, std::size_t number_of_bytes) {
    const core::pooled p = core::allocate_pooled(number_of_bytes);
    pool = reinterpret_cast<d1::small_object_pool*>(p.pool);
    return p.memory;
}

void deallocate(d1::small_object_pool& pool, void* ptr, std::size_t number_of_bytes) {
    core::free_pooled({ptr, reinterpret_cast<core::object_pool*>(&pool)}, number_of_bytes);
}

// The thread is known from its own variable just as fast as from the execution data.
void* allocate(d1::small_object_pool*& pool, std::size_t number_of_bytes, const d1::execution_data&) {
    return allocate(pool, number_of_bytes);
}

void deallocate(d1::small_object_pool& pool, void* ptr, std::size_t number_of_bytes,
                const d1::execution_data&) {
    deallocate(pool, ptr, number_of_bytes);
}

}  // namespace tbb::detail::r1
