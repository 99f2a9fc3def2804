// r1::allocate and r1::deallocate of _small_object_pool.h, on the core's pools.
// Invariant: an object's address alone says where it goes back to. A program may delete an object through a base class,
// and then the size that comes here is the base's. It may also use one allocator for several objects, and then the pool
// that comes here is the last one's. src/memory/README.md, "Freed by address".

#include <bough/detail/task_memory.h>

#include <oneapi/tbb/cache_aligned_allocator.h>
#include <oneapi/tbb/detail/_small_object_pool.h>

#include <oneapi/tbb/detail/_task.h>

namespace tbb::detail::r1 {

namespace core = bough::detail;

namespace {

// oneTBB's pools serve up to here as well.
constexpr std::size_t largest_small = 256;

// Where the headers keep a pool. They do not look inside, and deallocate() does not look at it; it must not be null.
constexpr char no_pool = 0;

}  // namespace

void* allocate(d1::small_object_pool*& pool, std::size_t number_of_bytes) {
    pool = reinterpret_cast<d1::small_object_pool*>(const_cast<char*>(&no_pool));
    if (number_of_bytes > largest_small) [[unlikely]]
        return cache_aligned_allocate(
            number_of_bytes);  // aligned to line pairs, and so known from what lies in a pool
    return core::allocate_pooled(number_of_bytes <= core::line_pair ? core::line_pair : largest_small).memory;
}

void deallocate(d1::small_object_pool&, void* ptr, std::size_t) {
    if (core::is_at_odd_line(ptr)) [[likely]]
        core::free_pooled(ptr);
    else
        cache_aligned_deallocate(ptr);
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
