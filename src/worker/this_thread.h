#pragma once
// The slot that the calling thread sits in. Application threads take one at their first use and keep it until they end.

#include "arena/slot.h"

namespace bough {

extern constinit thread_local slot* current_slot BOUGH_FAST_TLS;

// Takes a slot in a default arena. Throws std::bad_alloc; where that leaves the library the process may have to end
// (bough/detail/raise.h), so that who catches it calls try_to_attach().
slot& attach();
slot& try_to_attach();

// The application thread sits in the default arena that it took at first, not in one that it visits.
bool is_in_own_arena();

// The application thread will take another one when it needs one. False: it visits this one.
bool forget_slot(slot& s);

// Null: it sits nowhere, or its slot has none (stats/counters.h). Async-signal-safe.
counters* counters_of_this_thread() noexcept;

inline slot& this_slot() {
    if (slot* s = current_slot) [[likely]]
        return *s;
    return attach();
}

}  // namespace bough
