#pragma once
// What a call site remembers: ticks per unit of its loops, by size class, for loops that ran alone and with a team. Any
// thread reads and writes; a lost update costs accuracy only. src/share/prediction.h uses these values.

#include <array>
#include <atomic>
#include <cstdint>

#include "../config.h"
#include "estimate.h"

namespace bough::detail {

struct alignas(cache_line) call_site {
    struct size_class {
        // Ticks per unit; 0: never measured.
        std::atomic<float> solo{0};            // of the units that one thread runs
        std::atomic<float> front{0};           // of the first batch: uneven loops often begin with long units
        std::atomic<std::uint32_t> doubts{0};  // lately: loops that were wrongly held to be short
        std::atomic<std::uint32_t> kind{0};    // the class's number, for src/share/way_turns.h; 0: none yet
        estimate alone;  // of the whole loop, from call to return, if it was not handed off
        estimate team;   // the same if it was handed off
    };
    // Class k holds loops of 4^k to 4^(k+1) units; the last holds everything longer.
    std::array<size_class, 16> classes{};
};

// One site for each type of loop. Hidden, so that a plugin that has sites of its own can be unloaded.
template <class Job>
struct BOUGH_HIDDEN site_of {
    static inline call_site value{};
};

}  // namespace bough::detail
