#pragma once
// fork(): what a child process begins with. It has the thread that forked, the slots of that thread, and the tasks in
// their queues. It has no workers, and no other thread's slot or task: those are the parent's. New workers come when
// they are wanted.
//
// A child that was forked inside a body may go on there, and run loops and tasks. What that body belongs to cannot be
// joined: its other threads are missing. So the thread's own parts are marked as never joined, and its nesting is
// marked. The mark sends all code that looks at the depth of nesting to the slow path. There the process ends with one
// line, instead of waiting for ever.

#include "arena/slot.h"

namespace bough {

[[noreturn]] void end_body_of_parent();

// Called where bodies return to.
inline void check_not_inside_at_process_fork(const slot& s) {
    if (s.nesting >= inside_at_process_fork && s.nesting < s.nesting_at_process_fork) [[unlikely]]
        end_body_of_parent();
}

bool is_child_process() noexcept;

// A thread that sleeps with this context in the parking lot is woken when no worker has anything to do
// (crew::wake_lonely_waits).
inline constexpr std::uintptr_t asks_when_alone = 1;

// True: no other thread of this process could bring about what the thread waits for.
bool is_alone(const slot& s);
[[noreturn]] void end_lonely_wait();

// In a child process, before its thread sleeps until done(): ends the process if no thread is left that could make
// done() true. The thread may wait for tasks that other threads had begun before the process fork.
template <class Done>
void end_if_alone(const slot& s, Done&& done) {
    if (is_alone(s) && !s.fibers.has_resumed() && !done())
        end_lonely_wait();
}

}  // namespace bough
