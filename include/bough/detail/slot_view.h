#pragma once
// What is seen from outside the library of the slot that a thread sits in.

#include <cstdint>

#include "../exports/nesting.h"
#include "../exports/this_thread.h"
#include "cancel_node.h"

namespace bough::detail {

// A runtime above may set these while its tasks run. They stay with whatever stack runs there, and so does a pointer to
// them.
struct slot_view {
    const cancel_node* scope = nullptr;  // what can cancel the work that runs here
    std::uintptr_t isolation = 0;        // tag of the isolated region that it belongs to; 0: none
    std::uint64_t fp_settings = 0;       // what it computes with; 0: as the arena's workers do
    void* executing = nullptr;           // the runtime above's: what it runs here
    std::uint16_t index = 0;
    std::uint32_t nesting = 0;  // tasks, intervals, loops and forks that the thread is inside of
};

// What is nested less deeply than here fits even into the smallest stack that workers may have (64 KiB), with 2 KiB of
// the user's at each level, a thirty-second, and as much of ours: so the usual case is a compare.
inline constexpr std::uint32_t unchecked_nesting = 8;

inline void check_nesting(const slot_view& v) {
    if (v.nesting >= unchecked_nesting) [[unlikely]]
        check_stack();
}

inline constexpr slot_view outside_of_arenas{};

inline const slot_view& here() noexcept {
    const slot_view* v = current_view();
    return v ? *v : outside_of_arenas;
}

}  // namespace bough::detail
