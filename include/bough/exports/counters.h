#pragma once
// The counters of events (bough/statistics.h). Behind it: src/stats/counters.cpp.

#include "../config.h"

namespace bough {

enum class event : unsigned;
struct statistics;

// The event's name, such as "steal-won". Static storage.
BOUGH_EXPORT const char* name_of(event e) noexcept;

// Does this library count such events at all? Only the variants "...-counted" (exports/version.h) count events inside a
// local queue: exposed, exposed_unstolen, signal_sent, fence, cas_tried, cas_failed. Only the variant "channels" counts
// passed_on, given_back, tasks_sent and, as well, exposed. Counts of other events than the library counts read as zero.
// O(1), any thread, at any time.
BOUGH_EXPORT bool is_counted(event e) noexcept;

// Was BOUGH_STATS=1 set when the library read its settings? If this is the first call that needs the settings, it reads
// them, and may throw std::bad_alloc.
BOUGH_EXPORT bool counts_events();

// All counts since the start of the process. Throws std::bad_alloc.
BOUGH_EXPORT statistics statistics_now();

}  // namespace bough
