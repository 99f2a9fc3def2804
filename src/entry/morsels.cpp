#include "bough/morsel.h"

#include <algorithm>

#include "bough/exports/arenas.h"
#include "machine/topology.h"

namespace bough {

std::size_t default_morsel_bytes() {
    // Half of L2. The other half is for other data that the loop reads.
    return machine::machine_topology().l2_bytes / 2;
}

std::size_t default_morsel_bytes(std::size_t bytes_of_data) {
    // With eight a thread is late by an eighth of its share at most. docs/morsels.md measured it.
    constexpr std::size_t for_each_thread = 8;
    const auto threads = static_cast<std::size_t>(this_task_arena::max_concurrency());
    return std::min(std::max(bytes_of_data / (for_each_thread * threads), cache_line),
                    default_morsel_bytes());
}

}  // namespace bough
