#pragma once
// The slots that one thread sits in: each was sat down in from another one (visited_from). Where a call came back to a
// slot further up (way_back), those that it came by lie on another chain.

#include "arena/slot.h"

namespace bough {

// The one that the thread in s serves on as a worker, wherever it visits; null: it is no worker.
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

// see(slot&) for each, once, from the one that the thread sits in now, until it is true for one: that one, or null.
// O(slots * calls that came back).
template <class See>
slot* find_own_slot(slot* innermost, See&& see) {
    const way_back* const last = innermost_way_back(innermost);
    const auto is_on = [](const slot* s, const slot* chain) {
        while (chain && chain != s)
            chain = chain->visited_from;
        return chain != nullptr;
    };
    // The chains run together at the slot that a call came back to: is s on one before that of `via`?
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
