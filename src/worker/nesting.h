#pragma once
// Recursion that would leave the stack ends in an error instead.

#include "arena/slot.h"
#include "bough/detail/slot_view.h"

namespace bough {

using detail::unchecked_nesting;

// Is there too little left for another level and for an exception on its way?
bool is_stack_nearly_used() noexcept;

[[noreturn]] void throw_nesting_too_deep();

inline bool is_nested_too_deep(const slot& s) noexcept {
    return s.nesting >= unchecked_nesting && is_stack_nearly_used();
}

// Would what the thread takes from others leave too little of its stack to what it is inside of? Such a task may wait,
// and take another one, and so on: from here on the thread runs its own work only, and leaves the rest to others.
// False under a limit of one thread, in an arena without slots for workers, or where the system refuses threads: no
// other thread may come then.
bool must_leave_work_to_others(const slot& s) noexcept;
inline bool leaves_work_to_others(const slot& s) noexcept {
    return (s.nesting >= unchecked_nesting || s.visited_from) && must_leave_work_to_others(s);
}

}  // namespace bough
