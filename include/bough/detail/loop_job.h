#pragma once
// The only way from the loop templates into the library: a job over units 0 .. units-1 and run_loop() (exports/loop.h).
// A unit is the smallest thing that may be handed off on its own: an index, a grain of indices, a leaf of a range.

#include <atomic>
#include <cstdint>
#include <exception>

#include "../config.h"
#include "../exports/loop.h"
#include "call_site.h"
#include "cancel_node.h"

namespace bough {
class task_group_context;
struct replay;
}  // namespace bough

namespace bough::detail {

struct chunk_map;

using unit = std::uint64_t;

enum class balance : std::uint8_t {
    adaptive,  // pieces are batched by measured cost and stolen in halves
    single,    // simple_partitioner: every unit is claimed, and may be stolen, on its own
    fixed,     // static_partitioner: one unit per thread, each runs as a whole
};

struct alignas(cache_line) loop_job {
    // Runs units [first, last). `accumulator` is null on the caller's own interval, else what fork() gave.
    using run_function = void (*)(loop_job&, void* accumulator, unit first, unit last);
    // Called by whoever takes over an interval that begins at `first`; null where nothing is accumulated.
    using fork_function = void* (*)(loop_job&, unit first);

    // What a helper needs stands first: one line to fetch.
    run_function run = nullptr;
    fork_function fork = nullptr;
    cancel_node node;  // the engine's
    balance mode = balance::adaptive;
    std::atomic<bool> failed{false};  // the engine's
    bool has_fp_settings = false;     // the engine's
    std::uint16_t slot = 0;  // the engine's: the caller's, where units have slots (src/share/units_by_slot.h)
    unit units = 0;

    // What only the caller needs.
    call_site* site = nullptr;
    task_group_context* context = nullptr;  // the user's, or null
    chunk_map* map = nullptr;  // of an affinity_partitioner; null: which thread ran what is not remembered
    replay* again = nullptr;   // the engine's: units are chunks now, in the order of a map
    std::uint64_t fp_settings = 0;  // the engine's: of the caller, if they are not the arena's
    std::exception_ptr error;  // the engine's: written by the one that turned `failed`, read after the join

    loop_job() = default;
    loop_job(const loop_job&) = delete;
    loop_job& operator=(const loop_job&) = delete;
};

}  // namespace bough::detail
