#pragma once
// A window: an interval of a scan's units that threads work off from both ends. The front scans finally from the left
// end, as it has the sum of everything to the left. The other threads scan ahead of time from the right end. The place
// where they meet depends on the speeds of both.

#include <algorithm>
#include <atomic>
#include <cmath>
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

    // Each of `threads` threads takes parts of what is left, and leaves enough that all end together. A part has at
    // least a sixteenth of a thread's share: a smaller part would cost more than its better balance gains. The front's
    // first part is as small as if `all` threads took part: by it the front sees whether they should.
    scan_window(unit begin, unit end, unsigned threads, unsigned all)
        : begin_(begin), divisor_(unit{2} * threads), least_(1 + (end - begin) / (unit{16} * threads)),
          reserved_{begin, begin + std::min(end - begin, std::max(unit{1}, (end - begin) / (unit{2} * all)))},
          ends_((reserved_.last - begin) << 32 | (end - begin)) {}

    // The front's first part, reserved until the front comes for it: other threads may depend on the final scan of this
    // part in this round.
    unit_interval reserved() const { return reserved_; }

    // Empty: nothing is left. Any thread may claim at the back. Only one thread claims at the front, so that its parts
    // lie together.
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

    // Units that no thread has claimed.
    unit left() const {
        const std::uint64_t ends = ends_.load(std::memory_order_relaxed);
        return back(ends) - front(ends);
    }
    // The front takes no more of them, and neither does any other thread.
    void close() {
        // relaxed, as claim().
        std::uint64_t ends = ends_.load(std::memory_order_relaxed);
        while (!ends_.compare_exchange_weak(ends, back(ends) << 32 | back(ends), std::memory_order_relaxed)) {
        }
    }

private:
    static unit front(std::uint64_t ends) { return ends >> 32; }
    static unit back(std::uint64_t ends) { return ends & most_units; }

    template <class Without, class Part>
    unit_interval claim(Without&& without, Part&& part) {
        // relaxed, both: a claim only says which thread has the units; the loop's join publishes the results.
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

    const unit begin_;
    const unit divisor_;
    const unit least_;
    const unit_interval reserved_;
    alignas(cache_line) std::atomic<std::uint64_t> ends_;  // front and back, 32 bits each
};

// How long one thread takes for a unit in the scans of a call site, and so how large their windows should be, and how
// many threads a window is worth. Any thread reads and writes; a hint.
class scan_pace {
public:
    // How many units the next window of so many threads should have, at least `fewest`.
    unit window(unit fewest, unit threads) const {
        const double unit_ns = ns_per_unit();
        if (unit_ns == 0)
            return fewest;
        const double share = static_cast<double>(threads + 1) / 2;  // of a window scans one thread this part
        return static_cast<unit>(std::clamp(static_cast<double>(round_ns) * share / unit_ns,
                                            static_cast<double>(fewest),
                                            static_cast<double>(scan_window::most_units)));
    }

    // How many of `threads` threads so many units are worth. T threads take 2 w / (T + 1) for what takes one thread
    // w, and T times what a thread costs: the least of both together. Two at least, as a body may wait for another
    // part: of a short round the second thread takes something only if the round is handed off or takes long.
    unit worth(unit units, unit threads) const {
        const double work_ns = static_cast<double>(units) * ns_per_unit();
        if (work_ns == 0)
            return threads;
        const double best = std::sqrt(2 * work_ns / thread_ns) - 1;
        return static_cast<unit>(std::min(std::max(best, 2.0), static_cast<double>(threads)));
    }

    // Are so many units surely longer than the hand-offs of their parts?
    bool is_long(unit units) const { return static_cast<double>(units) * ns_per_unit() > long_ns; }

    // The value follows at once, up and down: after a lost CPU one round has more threads than it is worth, and after
    // other units one has fewer.
    void learn(double ns, unit units) {
        if (units == 0)
            return;
        const double seen = ns / static_cast<double>(units), old = ns_per_unit();
        if (old == 0 || seen < old * 0.8 || seen > old * 1.25)
            store(seen);
    }

    // How long a round should take. A round costs about a microsecond by itself. What a thread scans twice stays in the
    // L2 cache.
    static constexpr std::uint64_t round_ns = 64000;

    // After so long a clock's steps and a cold cache no longer make units look much dearer than they are.
    static constexpr double evidence_ns = 2000;
    // After so long nothing new is seen, and each look at the clock costs 25 ns; with some clocks more than 1 us.
    static constexpr double enough_ns = 16000;

private:
    static constexpr double long_ns = 8e3;
    // One more thread in a round: its hand-off, its claims, its report.
    static constexpr double thread_ns = 700;

    double ns_per_unit() const { return static_cast<double>(ns_.load(std::memory_order_relaxed)); }
    void store(double ns) { ns_.store(static_cast<float>(std::max(ns, 1e-6)), std::memory_order_relaxed); }

    std::atomic<float> ns_{0};  // 0: never measured
};

template <class Job>
struct BOUGH_HIDDEN pace_of {
    static inline scan_pace value{};
};

}  // namespace bough::detail
