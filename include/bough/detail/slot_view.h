#pragma once
// The members of a slot that code outside the library may see.

#include <cstdint>

#include "../exports/nesting.h"
#include "../exports/this_thread.h"
#include "cancel_node.h"

namespace bough::detail {

// A runtime that is built on bough may set these members while its tasks run. Each stack of the slot has values of its
// own: they change when the thread changes to another stack. A stack stays with its slot, so a pointer to the view
// stays valid for what runs on that stack.
struct slot_view {
    const cancel_node* scope = nullptr;  // what can cancel the work that runs here
    std::uintptr_t isolation = 0;        // tag of the isolated region to which that work belongs; 0: none
    std::uint64_t fp_settings = 0;       // the work's settings; 0: those of the arena's workers
    void* executing = nullptr;           // for a runtime that is built on bough
    std::uint16_t index = 0;
    std::uint32_t nesting = 0;  // tasks, intervals, loops and fork-join calls that the thread is inside of
};

// Fewer levels than this fit even into the smallest stack that workers may have (64 KiB). At each level the program may
// use 2 KiB, a thirty-second of the stack, and bough as much. So the usual check is one compare.
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
