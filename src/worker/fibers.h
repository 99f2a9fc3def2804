#pragma once
// Changing between the stacks of a slot: README.md of this folder has the rules. The calling thread sits in `s`.

#include <memory>
#include <type_traits>

#include "arena/slot.h"
#include "worker/this_thread.h"

namespace bough {

// Goes on with `next`; returns when somebody changes back to the stack that calls.
void change_to(slot& s, fiber& next);

// Of the stack that the thread runs on, and of the one that it goes on with when that is suspended. Throw
// std::bad_alloc.
fiber& running_fiber(slot& s);
fiber& next_of(slot& s);

// In a wait loop: another stack that may go on does so, and this one waits, until done(). True if that has happened.
template <class Done>
bool let_others_on(slot& s, Done& done) {
    if (s.fibers.are_none()) [[likely]]
        return false;
    fiber& me = *s.fibers.running;
    if (!me.is_own && s.nesting == 0)
        return false;  // the bottom of a stack: it ends its wait when another may go on
    fiber* next = s.fibers.take_ready();
    if (!next)
        return false;
    me.is_done = [](void* data) { return (*static_cast<std::remove_reference_t<Done>*>(data))(); };
    // A worker between two tasks waits for the other stacks of its slot alone, and sees when they have ended.
    me.must_be_asked = !(me.is_own && s.is_worker && s.nesting == 0);
    me.data = const_cast<void*>(static_cast<const void*>(&done));
    s.fibers.waiting.push_back(&me);
    change_to(s, *next);
    return true;
}

// An application thread that has nothing more to do here cannot wait for stacks that are suspended in its slot: the
// slot stays, for a worker, and the thread takes another one when it needs one.
void leave_stacks_behind(slot& s);

// The slot, with what is suspended in it, for the next worker.
void leave_to_workers(slot& s);

// A worker's, in an abandoned slot.
void take_over_stacks(slot& s) noexcept;

// A worker cannot leave stacks: it works, and sleeps, until there are no others.
void finish_stacks(slot& s);

}  // namespace bough
