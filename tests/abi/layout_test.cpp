// What compile-time checks cannot say of a layout: the order of virtual functions, bits that inline constructors set,
// and where inline code looks for what the library allocates. Needs gtest and oneTBB's headers only;
// old_headers_test.py builds it against Debian's 2021.8 as well. The other checks are in compat/abi/layout_checks.cpp.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <new>

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

namespace {

namespace d1 = tbb::detail::d1;
namespace d2 = tbb::detail::d2;

// The slot of the vtable that a call through the base class takes: the pointer to member says so, in its first word
// (x86-64) or beside the flag in its second (aarch64).
template <class Function>
std::size_t slot_of(Function f) {
    struct {
        std::ptrdiff_t first, second;
    } words;
    static_assert(sizeof(f) == sizeof(words));
    std::memcpy(&words, &f, sizeof(f));
#if defined(__aarch64__)
    EXPECT_EQ(words.second & 1, 1) << "not virtual";
    return static_cast<std::size_t>(words.first) / sizeof(void*);
#else
    EXPECT_EQ(words.first & 1, 1) << "not virtual";
    return static_cast<std::size_t>(words.first - 1) / sizeof(void*);
#endif
}

TEST(virtual_functions, keep_their_order) {
    EXPECT_EQ(slot_of(&d1::delegate_base::operator()), 0u);
    EXPECT_EQ(slot_of(&d1::task::execute), 2u);  // two words for the destructor
    EXPECT_EQ(slot_of(&d1::task::cancel), 3u);
    EXPECT_EQ(slot_of(&d1::task_scheduler_observer::on_scheduler_entry), 0u);
    EXPECT_EQ(slot_of(&d1::task_scheduler_observer::on_scheduler_exit), 1u);
    EXPECT_EQ(slot_of(&d1::base_filter::operator()), 0u);
    EXPECT_EQ(slot_of(&d1::base_filter::finalize), 3u);
    EXPECT_EQ(slot_of(&d1::filter_node::create_filter), 0u);
#if TBB_INTERFACE_VERSION >= 12200
    EXPECT_EQ(slot_of(&d1::wait_tree_vertex_interface::reserve), 0u);
    EXPECT_EQ(slot_of(&d1::wait_tree_vertex_interface::release), 1u);
#endif
}

unsigned char byte_of(const d1::task_group_context& c, std::size_t offset) {
    return reinterpret_cast<const unsigned char*>(&c)[offset];
}

TEST(task_group_context, bits_that_its_constructor_sets) {
    const std::size_t traits = 13, version = 12;
    EXPECT_EQ(byte_of(d1::task_group_context(d1::task_group_context::isolated), traits) & 7, 0);
    EXPECT_EQ(byte_of(d1::task_group_context(), traits) & 7, 4);
    EXPECT_EQ(byte_of(d1::task_group_context(d1::task_group_context::bound,
                                             d1::task_group_context::concurrent_wait),
                      traits) &
                  7,
              6);
    EXPECT_EQ(
        byte_of(d1::task_group_context(d1::task_group_context::isolated, d1::task_group_context::fp_settings),
                traits) &
            7,
        1);
    EXPECT_EQ(byte_of(d1::task_group_context(), version), 1);
}

TEST(task_arena, says_that_it_has_all_fields) {
    struct arena : tbb::task_arena {
        bool has_core_type() const { return (my_version_and_traits & core_type_support_flag) != 0; }
    };
    EXPECT_TRUE(arena().has_core_type());
}

// The monitors lie behind the representation, where the library finds them by the address alone.
TEST(bounded_queue, monitors_lie_behind_the_representation) {
    namespace r1 = tbb::detail::r1;
    constexpr std::size_t size = sizeof(d2::concurrent_queue_rep<int, tbb::cache_aligned_allocator<int>>);
    std::uint8_t* const memory = r1::allocate_bounded_queue_rep(size);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % tbb::detail::max_nfs_size, 0u);
    std::memset(memory, 0xff, size);
    auto* const monitors = reinterpret_cast<r1::concurrent_monitor*>(memory + size);
    r1::notify_bounded_queue_monitor(monitors, d2::cbq_items_avail_tag, 0);
    r1::notify_bounded_queue_monitor(monitors, d2::cbq_slots_avail_tag, 0);
    r1::abort_bounded_queue_monitors(monitors);
    r1::deallocate_bounded_queue_rep(memory, size);
}

}  // namespace
