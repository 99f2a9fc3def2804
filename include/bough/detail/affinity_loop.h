#pragma once
// A loop whose chunks go back to the threads that ran them the last time: chunks are tasks in the caller's queue and,
// for a chunk of another slot, proxies in that slot's mailbox (src/mail/README.md).

#include <cstddef>
#include <cstdint>

#include "../config.h"
#include "../partitioner.h"
#include "loop_job.h"

namespace bough::detail {

// slots[k]: who ran chunk k the last time, and after the call who ran it now.
BOUGH_EXPORT void run_affinity_chunks(loop_job& job, std::uint16_t* slots, std::size_t chunks, bool replay);

inline void run_affinity_loop(loop_job& job, affinity_partitioner& partitioner) {
    // oneTBB keeps 16 chunks a thread in an affinity map; so do we.
    const std::size_t most = std::size_t{16} * concurrency();
    const std::size_t chunks = job.units < most ? static_cast<std::size_t>(job.units) : most;
    auto& slots = partitioner.chunk_slots();
    const bool replay = slots.size() == chunks;
    if (!replay)
        slots.assign(chunks, 0);
    run_affinity_chunks(job, slots.data(), chunks, replay);
}

}  // namespace bough::detail
