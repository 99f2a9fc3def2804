#pragma once
// Any of the partitioners.

#include <bough/partitioner.h>

#include "stress/mix/dice.h"

namespace mix {

// Calls f(partitioner).
template <class F>
void with_partitioner(dice& roll, F&& f) {
    switch (roll.below(4)) {
    case 0:
        return f(bough::auto_partitioner());
    case 1:
        return f(bough::simple_partitioner());
    case 2:
        return f(bough::static_partitioner());
    default:
        bough::affinity_partitioner affinity;
        return f(affinity);
    }
}

}  // namespace mix
