#pragma once
// fork(): what a child begins with. It has the thread that forked, with the slots that this thread sat in and the tasks
// in their queues; no workers, no other thread's slot or task: those are the parent's. New workers come when they are
// wanted.
//
// A child that was forked inside a body may go on there, loops and tasks included. What that body belongs to cannot be
// joined: its other threads are missing. So the thread's own parts are marked as never joined, and its nesting is
// marked, which sends all that looks at the depth of nesting to the slow path; there the process ends with one line,
// instead of waiting for ever.

#include "arena/slot.h"

namespace bough {

[[noreturn]] void end_body_of_parent();

// Where bodies return to.
inline void check_not_inside_at_process_fork(const slot& s) {
    if (s.nesting >= inside_at_process_fork && s.nesting < s.nesting_at_process_fork) [[unlikely]]
        end_body_of_parent();
}

bool is_child_process() noexcept;

// Who sleeps with this context in the parking lot wants to be woken when all workers have nothing to do
// (crew::wake_lonely_waits).
inline constexpr std::uintptr_t asks_when_alone = 1;

// No other thread of this process could bring anything about.
bool is_alone(const slot& s);
[[noreturn]] void end_lonely_wait();

// In a child, before it sleeps until done(): it may wait for tasks that other threads had begun before the fork.
template <class Done>
void end_if_alone(const slot& s, Done&& done) {
    if (is_alone(s) && !s.fibers.has_resumed() && !done())
        end_lonely_wait();
}

}  // namespace bough
