#pragma once
// Fields that are their thread's alone, read by the watchdog for a report: a value that is out of date does no harm there,
// and an atomic field would be another instruction on the way of every loop.

#include "arena/slot.h"
#include "worker/fork.h"

namespace bough {

// Of one machine word at the most, which is read whole.
template <class T>
[[gnu::no_sanitize_thread]] T read_racily(const T& field) {
    static_assert(sizeof(T) <= sizeof(void*));
    return const_cast<const volatile T&>(field);
}

inline std::uint32_t nesting_of(const slot& s) {
    return read_racily(s.nesting) & ~forked_inside;
}

}  // namespace bough
