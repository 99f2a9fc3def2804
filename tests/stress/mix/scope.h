#pragma once
// Where an operation stands: what it descends from, how deep it may nest, and whether something around it may cut it
// short.

#include <atomic>
#include <cstdint>

#include "profile/settings.h"
#include "stress/mix/dice.h"

namespace mix {

struct region;

// An application thread, and what it does: one operation after the other, each with all that is nested in it.
struct origin {
    std::uint64_t seed;
    unsigned thread;
    std::atomic<std::uint64_t> number{0};
    std::atomic<const char*> doing{"nothing"};
    std::atomic<bool> has_ended{false};
    // Functions of this operation that were enqueued and that nobody waits for. release, by each at its end: pairs with
    // the thread's acquire before its next operation.
    std::atomic<unsigned> enqueued{0};
};

// Given to one operation, and used by the thread that runs it. What is nested has one of its own, of the seed and the
// place in which it is nested.
struct scope {
    scope(origin& o, std::uint64_t seed, int deep) : from(&o), key(seed), depth(deep), roll(seed) {}

    // The `which`th that is nested in this one.
    scope nested(std::uint64_t which) const {
        scope inner = enqueued(which);
        inner.may_stop = may_stop;
        inner.inside = inside;
        return inner;
    }
    // Of a function that nobody waits for: nothing around it stops it.
    scope enqueued(std::uint64_t which) const {
        scope inner(*from, mixed(key, which), depth - 1);
        inner.takes_anything = takes_anything;
        inner.next_arena = next_arena;
        return inner;
    }

    origin* from;
    std::uint64_t key;
    int depth;
    dice roll;
    bool is_outermost = false;  // an application thread's own, inside nothing
    bool may_stop = false;      // something that it descends from throws, or is cancelled
    // Its threads run all that they find while they wait, so that a task which nobody waits for there is run at all.
    bool takes_anything = !bough::process_settings().waits_for_descendants;
    std::size_t next_arena = 0;      // the first of the shared ones that may be entered
    const region* inside = nullptr;  // the innermost isolated region that it descends from
    const char* name = "";
};

}  // namespace mix
