// Compile-time checks, no code: every type that crosses the border between programs and this library is laid out as
// this library takes it to be. tests/abi/old_headers_test.py compiles this file against Debian's 2021.8 headers as
// well; what only the pinned headers have stands under #if. Order of virtual functions, bits:
// tests/abi/layout_test.cpp. Access is not checked in an explicit instantiation ([temp.spec.general]), so private
// fields can be named.

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "layout.h"
#include "newer.h"

#pragma GCC diagnostic ignored                                                                               \
    "-Winvalid-offsetof"  // classes with virtual functions; both compilers know their layout

namespace tbb::detail {
namespace {

template <int line, auto is, auto expected>
struct check {
    static_assert(is == static_cast<decltype(is)>(expected));
};

#define SAME(is, expected) template struct check<__LINE__, (is), (expected)>
#define SIZE(type, size, alignment)                                                                          \
    static_assert(sizeof(type) == size);                                                                     \
    static_assert(alignof(type) == alignment)
#define FIELD(type, field, offset) SAME(offsetof(type, field), offset)

static_assert(sizeof(void*) == 8 && sizeof(std::atomic<void*>) == 8 && sizeof(int) == 4);

// ---- tasks and waiting ----

SIZE(d1::task, 64, 64);
FIELD(d1::task, m_version_and_traits, 8);
FIELD(d1::task, m_reserved, 16);
SAME(sizeof(d1::task::m_reserved), 48);
SIZE(r1::task_accessor::header, 32, 8);
static_assert(r1::task_accessor::offset == 16);

SIZE(d1::wait_context, 16, 8);
FIELD(d1::wait_context, m_version_and_traits, 0);
FIELD(d1::wait_context, m_ref_count, 8);

SIZE(d1::execution_data, 16, 8);
FIELD(d1::execution_data, context, 0);
FIELD(d1::execution_data, original_slot, 8);
FIELD(d1::execution_data, affinity_slot, 10);
static_assert(std::is_same_v<d1::slot_id, unsigned short>);
static_assert(d1::no_slot == 0xffff && d1::any_slot == 0xfffe);

SIZE(d1::delegate_base, 8, 8);
#if TBB_INTERFACE_VERSION >= 12200
SIZE(d1::wait_tree_vertex_interface, 8, 8);
#endif

// Opaque to programs: a pointer to it is all they hold.
static_assert(std::is_same_v<d1::suspend_point, r1::suspend_point_type*>);
static_assert(std::is_same_v<r1::suspend_callback_type, void (*)(void*, r1::suspend_point_type*)>);

// ---- contexts ----

SIZE(d1::task_group_context, 128, 8);
FIELD(d1::task_group_context, my_cpu_ctl_env, 0);
FIELD(d1::task_group_context, my_cancellation_requested, 8);
FIELD(d1::task_group_context, my_version, 12);
FIELD(d1::task_group_context, my_traits, 13);
FIELD(d1::task_group_context, my_may_have_children, 14);
FIELD(d1::task_group_context, my_state, 15);
FIELD(d1::task_group_context, my_parent, 16);
FIELD(d1::task_group_context, my_actual_context, 16);
FIELD(d1::task_group_context, my_context_list, 24);
FIELD(d1::task_group_context, my_node, 32);
FIELD(d1::task_group_context, my_exception, 48);
FIELD(d1::task_group_context, my_itt_caller, 56);
FIELD(d1::task_group_context, my_name, 64);
FIELD(d1::task_group_context, padding, 72);
SAME(d1::task_group_context::task_group_context_version::unused, 1);
SAME(d1::task_group_context::state::created, 0);
SAME(d1::task_group_context::state::locked, 1);
SAME(d1::task_group_context::state::isolated, 2);
SAME(d1::task_group_context::state::bound, 3);
SAME(d1::task_group_context::state::dead, 4);
SAME(d1::task_group_context::state::proxy, 255);
SAME(d1::task_group_context::may_have_children, 1);

SIZE(d1::intrusive_list_node, 16, 8);
FIELD(d1::intrusive_list_node, my_prev_node, 0);
FIELD(d1::intrusive_list_node, my_next_node, 8);

// ---- arenas, observers, controls ----

SIZE(d1::task_arena_base, 48, 8);
SIZE(d1::task_arena, 48, 8);
FIELD(d1::task_arena_base, my_version_and_traits, 0);
FIELD(d1::task_arena_base, my_initialization_state, 8);
FIELD(d1::task_arena_base, my_arena, 16);
FIELD(d1::task_arena_base, my_max_concurrency, 24);
FIELD(d1::task_arena_base, my_num_reserved_slots, 28);
FIELD(d1::task_arena_base, my_priority, 32);
FIELD(d1::task_arena_base, my_numa_id, 36);
FIELD(d1::task_arena_base, my_core_type, 40);
FIELD(d1::task_arena_base, my_max_threads_per_core, 44);
SAME(d1::task_arena_base::default_flags, 0);
SAME(d1::task_arena_base::core_type_support_flag, 1);
SAME(d1::task_arena_base::priority::low, 0x1fffffff);
SAME(d1::task_arena_base::priority::normal, 0x3ffffffe);
SAME(d1::task_arena_base::priority::high, 0x5ffffffd);
SAME(d1::task_arena_base::automatic, -1);
SAME(do_once_state::uninitialized, 0);
SAME(do_once_state::executed, 2);
#if TBB_INTERFACE_VERSION >= 12200
SAME(d1::task_arena_base::fast_leave_policy_flag, bough::compat::abi::fast_leave_trait);
SAME(d1::phase::end_fast_leave, bough::compat::abi::end_fast_leave);
SAME(d0::multi_core_type_codec::bitmask_width, bough::compat::abi::core_type_set::bits);
SAME(d0::multi_core_type_codec::encoding_format, bough::compat::abi::core_type_set::mark);
#endif

SIZE(d1::constraints, 16, 4);
FIELD(d1::constraints, numa_id, 0);
FIELD(d1::constraints, max_concurrency, 4);
FIELD(d1::constraints, core_type, 8);
FIELD(d1::constraints, max_threads_per_core, 12);

SIZE(d1::task_scheduler_observer, 32, 8);
FIELD(d1::task_scheduler_observer, my_proxy, 8);
FIELD(d1::task_scheduler_observer, my_busy_count, 16);
FIELD(d1::task_scheduler_observer, my_task_arena, 24);

SIZE(d1::global_control, 24, 8);
FIELD(d1::global_control, my_value, 0);
FIELD(d1::global_control, my_reserved, 8);
FIELD(d1::global_control, my_param, 16);
SAME(d1::global_control::max_allowed_parallelism, 0);
SAME(d1::global_control::thread_stack_size, 1);
SAME(d1::global_control::terminate_on_exception, 2);
SAME(d1::global_control::scheduler_handle, 3);
#if TBB_INTERFACE_VERSION >= 12200
SAME(d1::global_control::leave_policy, bough::compat::abi::leave_policy_parameter);
#endif

SIZE(d1::task_scheduler_handle, 8, 8);
FIELD(d1::task_scheduler_handle, m_ctl, 0);
static_assert(d1::release_nothrowing == 0 && d1::finalize_nothrowing == 1 && d1::finalize_throwing == 2);

// ---- memory ----

SIZE(d1::small_object_pool, 1, 1);
SIZE(d1::small_object_allocator, 8, 8);
FIELD(d1::small_object_allocator, m_pool, 0);

// ---- pipelines ----

SIZE(d1::base_filter, 40, 8);
FIELD(d1::base_filter, next_filter_in_pipeline, 8);
FIELD(d1::base_filter, my_input_buffer, 16);
FIELD(d1::base_filter, my_filter_mode, 24);
FIELD(d1::base_filter, my_pipeline, 32);
static_assert(d1::base_filter::filter_is_serial == 1 && d1::base_filter::filter_is_out_of_order == 2 &&
              d1::base_filter::filter_may_emit_null == 4);

SIZE(d1::filter_node, 32, 8);
FIELD(d1::filter_node, ref_count, 8);
FIELD(d1::filter_node, left, 16);
FIELD(d1::filter_node, right, 24);
SIZE(d1::filter_node_ptr, 8, 8);
FIELD(d1::filter_node_ptr, my_node, 0);

// ---- queues and mutexes ----

// Of a queue this library sees two bare addresses: the representation that it allocates, and the monitors behind it.
static_assert(d2::cbq_slots_avail_tag == 0 && d2::cbq_items_avail_tag == 1);

using queuing_lock = d1::queuing_rw_mutex::scoped_lock;
SIZE(d1::queuing_rw_mutex, 8, 8);
FIELD(d1::queuing_rw_mutex, q_tail, 0);
SIZE(queuing_lock, 32, 8);
FIELD(queuing_lock, my_mutex, 0);
FIELD(queuing_lock, my_prev, 8);
FIELD(queuing_lock, my_next, 16);
FIELD(queuing_lock, my_state, 24);
FIELD(queuing_lock, my_going, 25);
FIELD(queuing_lock, my_internal_lock, 26);

SIZE(d1::spin_mutex, 1, 1);
SIZE(d1::rtm_mutex, 128, 128);
SIZE(d1::rtm_mutex::scoped_lock, 16, 8);
FIELD(d1::rtm_mutex, m_flag, 0);
FIELD(d1::rtm_mutex::scoped_lock, m_mutex, 0);
FIELD(d1::rtm_mutex::scoped_lock, m_transaction_state, 8);
SAME(d1::rtm_mutex::rtm_state::rtm_none, 0);
SAME(d1::rtm_mutex::rtm_state::rtm_transacting, 1);
SAME(d1::rtm_mutex::rtm_state::rtm_real, 2);

SIZE(d1::spin_rw_mutex, 8, 8);
SIZE(d1::rtm_rw_mutex, 128, 128);
SIZE(d1::rtm_rw_mutex::scoped_lock, 16, 8);
FIELD(d1::rtm_rw_mutex, m_state, 0);
FIELD(d1::rtm_rw_mutex, write_flag, 64);
FIELD(d1::rtm_rw_mutex::scoped_lock, m_mutex, 0);
FIELD(d1::rtm_rw_mutex::scoped_lock, m_transaction_state, 8);
SAME(d1::rtm_rw_mutex::rtm_type::rtm_not_in_mutex, 0);
SAME(d1::rtm_rw_mutex::rtm_type::rtm_transacting_reader, 1);
SAME(d1::rtm_rw_mutex::rtm_type::rtm_transacting_writer, 2);
SAME(d1::rtm_rw_mutex::rtm_type::rtm_real_reader, 3);
SAME(d1::rtm_rw_mutex::rtm_type::rtm_real_writer, 4);

// ---- exceptions and names ----

SIZE(r1::bad_last_alloc, 8, 8);
SIZE(r1::user_abort, 8, 8);
SIZE(r1::missing_wait, 8, 8);
SIZE(r1::unsafe_wait, 16, 8);
SIZE(exception_id, 4, 4);
SAME(exception_id::bad_alloc, 1);
SAME(exception_id::bad_last_alloc, 2);
SAME(exception_id::user_abort, 3);
SAME(exception_id::nonpositive_step, 4);
SAME(exception_id::out_of_range, 5);
SAME(exception_id::reservation_length_error, 6);
SAME(exception_id::missing_wait, 7);
SAME(exception_id::invalid_load_factor, 8);
SAME(exception_id::invalid_key, 9);
SAME(exception_id::bad_tagged_msg_cast, 10);
SAME(exception_id::unsafe_wait, 11);

SIZE(string_resource_index, 8, 8);
SIZE(d1::itt_domain_enum, 4, 4);
SIZE(itt_relation, 4, 4);

}  // namespace
}  // namespace tbb::detail
