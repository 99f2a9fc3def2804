#include "bough/morsel.h"

#include "machine/topology.h"

namespace bough {

std::size_t default_morsel_bytes() noexcept {
    // Half of L2: the other half is for what the loop reads besides.
    static const std::size_t bytes = machine::machine_topology().l2_bytes / 2;
    return bytes;
}

}  // namespace bough
