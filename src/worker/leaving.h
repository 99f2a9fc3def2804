#pragma once
// What decide() is told of a worker, its arena and the crew, and its answers as the loops want them.

#include "arena/slot.h"
#include "worker/decide.h"

namespace bough::leaving {

// Fills a snapshot in. The worker sits in `s` and is inside nothing. announced::yes: it has been counted off already.
// is_requested_elsewhere: as its last look has seen.
enum class announced { no, yes };
snapshot read(const slot& s, announced a, bool is_requested_elsewhere);

// Between two pieces of work.
inline decision decide_for(const slot& s) {
    return decide(read(s, announced::no, false));
}

}  // namespace bough::leaving
