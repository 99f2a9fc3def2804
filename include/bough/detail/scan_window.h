#pragma once
// A stretch of a scan's units that is worked off from both ends: final from the front, where the sum of everything to
// the left is known, ahead of time from the back. The ends meet where the speeds of both say.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "loop_job.h"

namespace bough::detail {

struct unit_interval {
    unit first;
    unit last;
    bool empty() const { return first == last; }
};

class scan_window {
public:
    static constexpr unit most_units = std::numeric_limits<std::uint32_t>::max();

    // `threads` take parts of what is left that leave enough for all to end together; 16 each, and not less: a smaller
    // one would cost more than it evens out.
    scan_window(unit begin, unit end, unsigned threads)
        : begin_(begin), divisor_(unit{2} * threads), least_(1 + (end - begin) / (unit{16} * threads)),
          ends_(end - begin) {
        reserved_ = claim_front();
    }

    // The front's first part, whenever it comes for it: others may depend on its being scanned finally in this round.
    unit_interval reserved() const { return reserved_; }

    // Empty when nothing is left. Any thread; the front is one thread's, so that its parts lie together.
    unit_interval claim_front() {
        return claim(
            [](std::uint64_t ends, unit count) { return ends + (count << 32); },
            [](std::uint64_t ends, unit count) { return unit_interval{front(ends), front(ends) + count}; });
    }
    unit_interval claim_back() {
        return claim(
            [](std::uint64_t ends, unit count) { return ends - count; },
            [](std::uint64_t ends, unit count) { return unit_interval{back(ends) - count, back(ends)}; });
    }

private:
    static unit front(std::uint64_t ends) { return ends >> 32; }
    static unit back(std::uint64_t ends) { return ends & most_units; }

    template <class Without, class Part>
    unit_interval claim(Without&& without, Part&& part) {
        // relaxed, both: a claim only says whose the units are; what comes of them is seen after the loop's join.
        std::uint64_t ends = ends_.load(std::memory_order_relaxed);
        for (;;) {
            const unit left = back(ends) - front(ends);
            const unit count = std::min(left, std::max(least_, left / divisor_));
            if (count == 0)
                return {0, 0};
            if (ends_.compare_exchange_weak(ends, without(ends, count), std::memory_order_relaxed)) {
                const unit_interval taken = part(ends, count);
                return {begin_ + taken.first, begin_ + taken.last};
            }
        }
    }

    unit begin_;
    unit divisor_;
    unit least_;
    unit_interval reserved_{0, 0};
    alignas(cache_line) std::atomic<std::uint64_t> ends_;  // front and back, 32 bits each
};

// What a unit of a call site's scans takes, and so how long their windows are. Any thread reads and writes; a hint.
class scan_pace {
public:
    // Units of the next window, at least `fewest`.
    unit window(unit fewest) const {
        const double unit_ns = ns_per_unit();
        if (unit_ns == 0)
            return fewest;
        return static_cast<unit>(std::clamp(static_cast<double>(round_ns) / unit_ns,
                                            static_cast<double>(fewest),
                                            static_cast<double>(scan_window::most_units)));
    }

    // Surely longer than it takes to hand parts of it out.
    bool is_long(unit units) const { return static_cast<double>(units) * ns_per_unit() > long_ns; }

    // Down at once, up slowly: a lost CPU only ever makes units look longer.
    void learn(double ns, unit units) {
        const double seen = ns / static_cast<double>(units), old = ns_per_unit();
        if (old == 0 || seen < old * 0.8)
            store(seen);
        else if (seen > old * 1.25)
            store(old + (seen - old) / 4);
    }

    // A round costs about a microsecond in itself; what a thread scans in it twice stays in the L2 cache.
    static constexpr std::uint64_t round_ns = 64000;

private:
    static constexpr double long_ns = 4e3;

    double ns_per_unit() const { return static_cast<double>(ns_.load(std::memory_order_relaxed)); }
    void store(double ns) { ns_.store(static_cast<float>(std::max(ns, 1e-6)), std::memory_order_relaxed); }

    std::atomic<float> ns_{0};  // 0: never measured
};

template <class Job>
struct BOUGH_HIDDEN pace_of {
    static inline scan_pace value{};
};

}  // namespace bough::detail
