#pragma once
// Changes between the stacks of a slot. The rules: rare_states.md, "Suspended tasks". The calling thread sits in `s`.

#include <memory>
#include <type_traits>

#include "arena/slot.h"
#include "worker/this_thread.h"

namespace bough {

// Goes on with `next`. Returns when a thread changes back to the calling stack.
void change_to(slot& s, fiber& next);

// The stack that the thread runs on, and the one that it goes on with if the first is suspended. Both may throw
// std::bad_alloc.
fiber& running_fiber(slot& s);
fiber& next_of(slot& s);

// In a wait loop: if another stack may go on, it does, and this one waits until done(). True if that has happened.
template <class Done>
bool let_others_on(slot& s, Done& done) {
    if (s.fibers.are_none()) [[likely]]
        return false;
    fiber& me = *s.fibers.running;
    if (!me.is_own && s.nesting == 0)
        return false;  // the bottom of a stack: its wait ends when another stack may go on
    fiber* next = s.fibers.take_ready();
    if (!next)
        return false;
    me.is_done = [](void* data) { return (*static_cast<std::remove_reference_t<Done>*>(data))(); };
    // A worker between two tasks waits only for the other stacks of its slot, and sees when they have ended.
    me.must_be_asked = !(me.is_own && s.is_worker && s.nesting == 0);
    me.data = const_cast<void*>(static_cast<const void*>(&done));
    s.fibers.waiting.push_back(&me);
    change_to(s, *next);
    return true;
}

// An application thread that has nothing more to do here cannot wait for stacks that are suspended in its slot. It
// leaves the slot to a worker, and takes another one when it needs one.
void leave_stacks_behind(slot& s);

// Leaves the slot, with what is suspended in it, to the next worker.
void leave_to_workers(slot& s);

// Called by a worker that has taken an abandoned slot.
void take_over_stacks(slot& s) noexcept;

// A worker cannot leave stacks. It works, and sleeps, until its slot has no others.
void finish_stacks(slot& s);

}  // namespace bough
