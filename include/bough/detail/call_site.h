#pragma once
// What a call site remembers: ticks per unit of its loops, by size class, run alone and run by a team.
// Any thread reads and writes; a lost update costs accuracy only. The engine (src/share/prediction.h) gives it meaning.

#include <array>
#include <atomic>
#include <cstdint>

#include "../config.h"
#include "estimate.h"

namespace bough::detail {

struct alignas(cache_line) call_site {
    struct size_class {
        // Ticks per unit; 0: never measured.
        std::atomic<float> solo{0};            // of what one thread runs
        std::atomic<float> front{0};           // of the first batch: uneven loops often begin with long units
        std::atomic<std::uint32_t> doubts{0};  // how often a loop that seemed too short to be timed was not
        std::atomic<std::uint32_t> kind{0};    // its number, for src/share/way_turns.h; 0: none yet
        estimate alone;  // of the whole loop, call to return, when it was not handed off
        estimate team;   // the same when it was
    };
    // Class k holds loops of 4^k to 4^(k+1) units; the last holds everything longer.
    std::array<size_class, 16> classes{};
};

// One site per loop type. Hidden, so that a plugin with its own sites stays unloadable.
template <class Job>
struct BOUGH_HIDDEN site_of {
    static inline call_site value{};
};

}  // namespace bough::detail
