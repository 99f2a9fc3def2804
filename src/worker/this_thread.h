#pragma once
// The slot that the calling thread sits in. Application threads take one at their first use and keep it until they end.

#include "arena/slot.h"

namespace bough {

extern constinit thread_local slot* current_slot BOUGH_FAST_TLS;

// Both take a slot in a default arena. try_to_attach() throws std::bad_alloc, for a caller that catches it. attach() is
// for calls out of which the exception leaves the library: while terminate_on_exception is in force the process ends
// there instead (bough/detail/raise.h).
slot& attach();
slot& try_to_attach();

// The application thread sits nowhere, or in its own default arena; it visits no other.
bool is_in_own_arena();

// The application thread has no slot from here on, and takes another when it needs one. False: it only visits `s`.
bool forget_slot(slot& s);

// Null: the thread sits nowhere, or its slot has no counters (stats/counters.h). Async-signal-safe.
counters* counters_of_this_thread() noexcept;

inline slot& this_slot() {
    if (slot* s = current_slot) [[likely]]
        return *s;
    return attach();
}

}  // namespace bough
