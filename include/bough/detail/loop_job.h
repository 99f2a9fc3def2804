#pragma once
// How the loop templates call the library: with a job over units 0 .. units-1, which run_loop() runs (exports/loop.h).
// A unit is the smallest piece that may be handed off on its own: an index, a grain of indices, a leaf of a range.

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
    // Runs units [first, last). `accumulator` is null in the caller's own interval, else it is what fork() returned.
    using run_function = void (*)(loop_job&, void* accumulator, unit first, unit last);
    // A thread that takes over an interval beginning at `first` calls this. Null if nothing is accumulated.
    using fork_function = void* (*)(loop_job&, unit first);

    // Members that a helper needs come first, so that it fetches one cache line.
    run_function run = nullptr;
    fork_function fork = nullptr;
    cancel_node node;  // the library's
    balance mode = balance::adaptive;
    std::atomic<bool> failed{false};  // the library's
    bool has_fp_settings = false;     // the library's
    std::uint16_t slot = 0;  // the library's: caller's slot, if units have slots (src/share/units_by_slot.h)
    unit units = 0;

    // Only the caller needs these.
    call_site* site = nullptr;
    task_group_context* context = nullptr;  // the user's, or null
    chunk_map* map = nullptr;               // of an affinity_partitioner; null: nothing is remembered
    replay* again = nullptr;        // the library's: not null: units are chunks, in the order of a map
    std::uint64_t fp_settings = 0;  // the library's: the caller's, if they are not the arena's
    std::exception_ptr error;  // the library's: the thread that sets `failed` writes it; read after the join

    loop_job() = default;
    loop_job(const loop_job&) = delete;
    loop_job& operator=(const loop_job&) = delete;
};

}  // namespace bough::detail
