#pragma once
// What a slot's thread keeps for itself, as the watchdog sees it.

#include "arena/slot.h"
#include "machine/racy.h"

namespace bough {

inline bool has_worker(const slot& s) {
    return machine::read_racily(s.is_worker);
}
inline std::uint32_t nesting_of(const slot& s) {
    return machine::read_racily(s.nesting) & ~inside_at_process_fork;
}
inline unsigned suspended_in(const slot& s) {
    return machine::read_racily(s.fibers.suspended);
}

}  // namespace bough
