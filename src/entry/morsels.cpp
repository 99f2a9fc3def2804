#include "bough/morsel.h"

#include "machine/topology.h"

namespace bough {

std::size_t default_morsel_bytes() {
    // Half of L2. The other half is for other data that the loop reads.
    return machine::machine_topology().l2_bytes / 2;
}

}  // namespace bough
