#pragma once
// What is counted (bough/statistics.h). Behind it: src/stats/counters.cpp.

#include "../config.h"

namespace bough {

enum class event : unsigned;
struct statistics;

// "steal-won". Static storage.
BOUGH_EXPORT const char* name_of(event e) noexcept;

// Whether this library counts such events at all: what goes on inside a local queue (exposed, exposed_unstolen,
// signal_sent, fence, cas_tried, cas_failed) only the variants "...-counted" count (exports/version.h). What is not
// counted reads as zero. O(1), any thread, at any time.
BOUGH_EXPORT bool is_counted(event e) noexcept;

// Whether BOUGH_STATS=1 was set when the library read its settings.
// The first call may be the one that reads them, and throw std::bad_alloc.
BOUGH_EXPORT bool counts_events();

// Since the start of the process. Throws std::bad_alloc.
BOUGH_EXPORT statistics statistics_now();

}  // namespace bough
