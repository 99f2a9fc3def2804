#pragma once
// Recursion that would overrun the stack ends in an exception instead.

#include "arena/slot.h"
#include "bough/detail/slot_view.h"

namespace bough {

using detail::unchecked_nesting;

// Is too little of the stack left for another level, and for an exception on its way?
bool is_stack_nearly_used() noexcept;

[[noreturn]] void throw_nesting_too_deep();

inline bool is_nested_too_deep(const slot& s) noexcept {
    return s.nesting >= unchecked_nesting && is_stack_nearly_used();
}

// Has the thread used so much of its stack that it takes nothing more from other slots? A task from there may wait, and
// take another one, and so on, until too little is left for what the thread is inside of. So from here on the thread
// runs its own work only, and leaves the rest to others. False under a limit of one thread, in an arena without slots
// for workers, or where the system refuses threads: then no other thread may come.
bool must_leave_work_to_others(const slot& s) noexcept;
inline bool leaves_work_to_others(const slot& s) noexcept {
    return (s.nesting >= unchecked_nesting || s.visited_from) && must_leave_work_to_others(s);
}

}  // namespace bough
