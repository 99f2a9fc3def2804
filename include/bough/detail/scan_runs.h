#pragma once
// How a deterministic scan goes through a unit of floating-point values: in runs of a few indices. Each run is summed
// by itself, from the identity. Its final scan begins with the sum of the runs before it, joined from left to right.
//
// In a sum of floating-point numbers each addition waits for the one before, 3 or 4 cycles. No run waits for additions
// of another run. So a core that executes ahead works in several runs at once, and one thread scans twice with runs in
// less time than once without: 2^24 doubles take 13.3 ms and 15.9 ms (29.6 ms for two scans without runs). Memory does
// not bound these times: loads and additions of as many numbers from the L1 cache take no less time.
//
// For functional scans of floating-point values. Integers are added in one cycle, several at once, and runs would only
// shorten these sequences. A grain size bounds runs from below, for calls that cost much. Runs depend only on the range
// and the type.
//
// Rejected: some units are not summed, as a final scan gives the sum too. The range alone would have to say which units
// these are, and each would wait for the one before. If they were an eighth of all, no number of threads could scan
// more than 8 times as fast as one thread, and two threads would save a sixteenth.
//
// Rejected: runs for the sums alone, and one call for the final scan of a unit: 22.2 ms. It does not help to sum runs
// of the next unit between parts of the final scan: the additions that wait in one long chain fill the core's window of
// instructions.

#include <algorithm>
#include <type_traits>
#include <vector>

#include "range_cut.h"
#include "scan_window.h"

namespace bough::detail {

// True for a body whose value_type is cheap to copy, and which has these members: identity(); value(); hold(value);
// joined(left, right); sum_of(range), the sum from the identity on; finish(range, from), which scans the range finally
// and returns the sum up to its end.
template <class Body>
struct is_scanned_in_runs : std::false_type {};

// How many runs a unit has if the range is cut into `limit` units, or into fewer if it has fewer grains.
template <class Range>
unit runs_of_unit(const Range& range, unit limit) {
    // The fewest indices in a run. Two runs and more fit into the instructions that a core executes ahead: 200 to 500,
    // one to three for each number. (Runs of 32 indices take 0.8 of the time, runs of 128 take half as much again. But
    // each run costs two calls.)
    constexpr unit least = 64;
    const unit grains = index_cut<Range>(range, ~unit{0}).units(), units = std::min(grains, limit);
    if (units == 0)
        return 1;
    return std::max(unit{1}, std::min(range.size() / units / least, grains / units));
}

// Units that were summed ahead, and their sums.
template <class Body>
struct summed_units {
    using value_type = typename Body::value_type;
    unit_interval units;
    std::vector<value_type> of_runs;
    std::vector<value_type> of_units;
    value_type left{};      // the sum of everything to the left of the units, once it is known
    value_type finished{};  // the sum of everything up to their end, from the last final scan
};

// Each unit has `in_unit` runs. Calls run(range) for each run of the units, and end_of_unit() after a unit's last run.
template <class Cut, class Run, class Unit>
void for_each_run(const Cut& cut, unit_interval units, unit in_unit, Run&& run, Unit&& end_of_unit) {
    unit more = in_unit;
    cut.visit(delivery::single, units.first * in_unit, units.last * in_unit, [&](const auto& range) {
        run(range);
        if (--more == 0) {
            end_of_unit();
            more = in_unit;
        }
        return true;
    });
}

// Sums units ahead of time. Like finish_runs() it does not read the body's value, which the front writes meanwhile.
template <class Cut, class Body>
summed_units<Body> sum_runs(const Cut& cut, unit_interval units, unit in_unit, const Body& body) {
    summed_units<Body> sums{units, {}, {}};
    sums.of_runs.reserve((units.last - units.first) * in_unit);
    sums.of_units.reserve(units.last - units.first);
    auto all = body.identity();
    for_each_run(
        cut, units, in_unit,
        [&](const auto& run) {
            const auto s = body.sum_of(run);
            sums.of_runs.push_back(s);
            all = body.joined(all, s);
        },
        [&] {
            sums.of_units.push_back(all);
            all = body.identity();
        });
    return sums;
}

// Scans units finally that were summed.
template <class Cut, class Body>
void finish_runs(const Cut& cut, summed_units<Body>& sums, unit in_unit, const Body& body) {
    auto before_unit = sums.left, before = before_unit;
    auto of_run = sums.of_runs.begin(), of_unit = sums.of_units.begin();
    for_each_run(
        cut, sums.units, in_unit,
        [&](const auto& run) {
            sums.finished = body.finish(run, before);
            before = body.joined(before, *of_run++);
        },
        [&] { before = before_unit = body.joined(before_unit, *of_unit++); });
}

// Sums units and scans them finally, in one pass. `left` then holds the sum of everything to the left of the next unit.
// Returns the sum of everything up to there, from the last final scan.
template <class Cut, class Body>
auto scan_runs(const Cut& cut, unit_interval units, unit in_unit, Body& left) {
    auto before_unit = left.value(), before = before_unit, all = left.identity(), finished = before_unit;
    for_each_run(
        cut, units, in_unit,
        [&](const auto& run) {
            const auto s = left.sum_of(run);
            finished = left.finish(run, before);
            all = left.joined(all, s);
            before = left.joined(before, s);
        },
        [&] {
            before = before_unit = left.joined(before_unit, all);
            all = left.identity();
        });
    left.hold(before_unit);
    return finished;
}

// Gives `sums` the sum of everything to the left of its units. `left` then holds the sum up to their end.
template <class Body>
void pass(summed_units<Body>& sums, Body& left) {
    sums.left = left.value();
    auto before_unit = sums.left;
    for (const auto& of_unit : sums.of_units)
        before_unit = left.joined(before_unit, of_unit);
    left.hold(before_unit);
}

}  // namespace bough::detail
