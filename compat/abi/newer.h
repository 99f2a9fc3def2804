#pragma once
// What oneTBB 2023.2.0 has and older header sets lack, down to Debian's 2021.8: with any of them this library exports
// the same names and reads the same bits. The declarations repeat those of newer headers: exports_test.py and
// layout_checks.cpp see that they agree.

#include <oneapi/tbb/detail/_assert.h>
#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tbb::detail::d1 {
class wait_tree_vertex_interface;
}

namespace bough::compat::abi {

inline constexpr auto leave_policy_parameter = static_cast<tbb::detail::d1::global_control::parameter>(4);
inline constexpr std::intptr_t fast_leave_trait = 2;  // of task_arena_base::my_version_and_traits
inline constexpr std::uintptr_t end_fast_leave = 1;   // of exit_parallel_phase

// A constraint's core type: one id, or a set of bits under a mark. Newer headers call it multi_core_type_codec.
struct core_type_set {
    static constexpr int bits = 28;
    static constexpr unsigned mark = 8;

    static std::vector<int> decode(int core_type) {
        const auto packed = static_cast<unsigned>(core_type);
        if (packed >> bits != mark)
            return {core_type};
        std::vector<int> ids;
        for (int id = 0; id < bits; ++id)
            if (packed >> id & 1U)
                ids.push_back(id);
        return ids;
    }
};

}  // namespace bough::compat::abi

namespace tbb::detail::r1 {

using assertion_handler_type = decltype(&assertion_failure);
TBB_EXPORT assertion_handler_type set_assertion_handler(assertion_handler_type) noexcept;
TBB_EXPORT assertion_handler_type get_assertion_handler() noexcept;

TBB_EXPORT d1::wait_tree_vertex_interface* get_thread_reference_vertex(d1::wait_tree_vertex_interface*);
TBB_EXPORT d1::task* current_task_ptr();

TBB_EXPORT d1::slot_id execution_slot(const d1::task_arena_base&);
TBB_EXPORT void enter_parallel_phase(d1::task_arena_base*, std::uintptr_t);
TBB_EXPORT void exit_parallel_phase(d1::task_arena_base*, std::uintptr_t);

TBB_EXPORT void* allocate_interleaved(std::size_t, const d1::numa_node_id*, std::size_t, std::size_t);
TBB_EXPORT void deallocate_interleaved(void*, std::size_t);

}  // namespace tbb::detail::r1
