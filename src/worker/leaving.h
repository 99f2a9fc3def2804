#pragma once
// What decide() is told of a worker, its arena and the crew, and its answers as the loops want them.

#include "arena/slot.h"
#include "worker/decide.h"

namespace bough::leaving {

// Reads it all. The worker sits in `s` and is inside nothing; while it `is_inside`, its arena counts it.
snapshot read(const slot& s, bool is_inside, bool has_had_its_turn);

// Between two pieces of work.
inline decision decide_for(const slot& s) {
    return decide(read(s, true, false));
}

}  // namespace bough::leaving
