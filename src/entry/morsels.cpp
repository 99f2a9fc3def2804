#include "bough/morsel.h"

#include "machine/topology.h"

namespace bough {

std::size_t default_morsel_bytes() {
    // Half of L2: the other half is for what the loop reads besides.
    return machine::machine_topology().l2_bytes / 2;
}

}  // namespace bough
