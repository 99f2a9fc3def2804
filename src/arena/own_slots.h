#pragma once
// The slots that one thread sits in. They form a chain: visited_from is the slot from which the thread came. Where a
// call came back to a slot further up (way_back), the slots by which it came lie on another chain.

#include "arena/slot.h"

namespace bough {

// The slot in which the thread that sits in `s` serves as a worker, whatever it visits now. Null if it is no worker.
inline slot* served_slot(slot* s) {
    while (s && s->visited_from)
        s = s->visited_from;
    return s && s->is_worker ? s : nullptr;
}

inline const way_back* innermost_way_back(const slot* s) {
    while (s && !s->came_back)
        s = s->visited_from;
    return s ? s->came_back : nullptr;
}

// Calls see(slot&) once for each slot of the thread, beginning with the one that it sits in now, until see() returns
// true. Returns that slot, or null. O(slots * calls that came back).
template <class See>
slot* find_own_slot(slot* innermost, See&& see) {
    const way_back* const last = innermost_way_back(innermost);
    const auto is_on = [](const slot* s, const slot* chain) {
        while (chain && chain != s)
            chain = chain->visited_from;
        return chain != nullptr;
    };
    // Chains meet at the slot that a call came back to. Does s also lie on a chain that was seen before that of `via`?
    const auto was_seen = [&](const slot* s, const way_back* via) {
        if (!via)
            return false;
        bool seen = is_on(s, innermost);
        for (const way_back* back = last; back != via && !seen; back = back->before)
            seen = is_on(s, back->from);
        return seen;
    };
    const way_back* via = nullptr;
    for (slot* chain = innermost;; chain = via->from) {
        for (slot* s = chain; s && !was_seen(s, via); s = s->visited_from)
            if (see(*s))
                return s;
        via = via ? via->before : last;
        if (!via)
            return nullptr;
    }
}

}  // namespace bough
