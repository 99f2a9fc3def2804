#pragma once
// Works off a part of a loop: its caller, a member of its team, or a thief calls this. share/README.md.

#include <algorithm>
#include <cstdint>
#include <limits>

#include "bough/detail/call_cost.h"
#include "worker/worker.h"

namespace bough {

using detail::call_cost;

struct work {
    loop_job& job;
    void* accumulator;
    unit first;
    unit last;
};

// What the slot itself ran, and how long that took.
struct measured {
    machine::ticks took;
    unit units;
    float front;  // ticks per unit of its first batch
};

// Keeps the exception that is being handled, if it is the first, and stops the job.
void fail(loop_job& job) noexcept;

// Where calls cost much, a body may be called with this many units at once, however few are left: the loop has 32
// pieces of that size for each thread. Else 0.
inline unit few_units(const slot& s, const loop_job& job) {
    return job.mode == detail::balance::adaptive ? job.units / (unit{32} * s.home.concurrency()) : 0;
}

// A loop of static_partitioner with a unit for every slot (share/units_by_slot.h).
inline bool units_have_slots(const slot& s, const loop_job& job) {
    return job.mode == detail::balance::fixed && job.units == s.home.concurrency();
}

// A batch leaves something for every thread: a body may block until bodies in other threads have started. So it holds
// at most a thread's share of `pieces`.
inline std::uint32_t most_in_a_batch(const slot& s, const loop_job& job, std::uint32_t pieces) {
    return job.mode == detail::balance::adaptive ? std::max(1u, s.home.share_of(pieces)) : 1;
}

// The same where `map` may hold a part of the loop only: there a quarter of a thread's share of the whole loop is
// allowed as well. The batches of all threads together are then a quarter of the loop.
inline std::uint32_t most_in_a_batch(const slot& s, const loop_job& job, const piece_map& map) {
    const std::uint32_t of_part = most_in_a_batch(s, job, map.pieces);
    if (job.mode != detail::balance::adaptive)
        return of_part;
    constexpr unit most_of_all = std::numeric_limits<std::uint32_t>::max();
    const auto all = static_cast<std::uint32_t>(std::min(job.units / map.each, most_of_all));
    return std::clamp(s.home.share_of(all) / 4, of_part, loop_word::max_pieces);
}

// A helper of the part, or of what others do below it, is done. If the owner has gone, the last helper reports in its
// place, and wakes a caller that sleeps.
void report_up(loop_part* p);

// Hands intervals out to `team` (may be empty), publishes the rest and works it off. ticks_per_unit is the average,
// `front` the cost of the first units; 0: not known. from_start: stealing is open at once.
measured work_off(slot& s, loop_part& p, loop_part* parent, const work& w, const assignment& team,
                  double ticks_per_unit, double front, bool from_start);

// Runs [w.first, w.last) in chunks of about a batch. Given a part, it publishes what is left after some batches below
// that part, so that other threads can take of it, and returns true. Learns what calls cost.
bool run_long(slot& s, loop_part* p, work w, double ticks_per_unit, call_cost& calls);

}  // namespace bough
