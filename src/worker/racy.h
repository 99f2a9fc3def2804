#pragma once
// Fields that only a slot's thread uses, as other threads see them: out of date at the worst (machine/racy.h).

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
