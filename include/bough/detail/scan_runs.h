#pragma once
// How a deterministic scan goes through a unit of floating-point values: in runs of a few indices. Each is summed by
// itself, from the identity, and scanned finally from the sum of those before it, joined from left to right.
//
// In a sum of such numbers each addition waits for the one before, 3 or 4 cycles. No run waits for additions of
// another, so a core that looks ahead is in several at once, and one thread scans twice in less time than once without
// runs: of 2^24 doubles 13.3 ms and 15.9 (29.6 twice without runs). Memory is not what bounds these: the loads and
// additions take no longer than of as many numbers from the L1 cache.
//
// For functional scans of floating-point values. Integers are added in one cycle, several at once, which runs would
// only cut short. A grain size bounds runs from below, for calls that cost much. Runs depend on the range and the type
// alone.
//
// Rejected: to leave some of the units unsummed, since a final scan gives the sum as well. Where these lie the range
// alone must say, and each waits for the one before: if they are an eighth of all, no number of threads scans more than
// 8 times as fast as one, and two threads save a sixteenth.
// Rejected: runs for the sums alone, and a unit finally in one call: 22.2 ms. Sums of the next unit's runs between its
// parts do not help: the additions that wait in one long row fill what a core looks ahead.

#include <algorithm>
#include <type_traits>
#include <vector>

#include "range_cut.h"
#include "scan_window.h"

namespace bough::detail {

// True of a body of a value_type that is cheap to copy, with: identity(); value(); hold(value); joined(left, right);
// sum_of(range), from the identity; finish(range, from), which scans it finally, and returns the sum up to its end.
template <class Body>
struct is_scanned_in_runs : std::false_type {};

// How many runs a unit has, if the range is cut into `limit` units, or into grains.
template <class Range>
unit runs_of_unit(const Range& range, unit limit) {
    // Two and more fit into what a core looks ahead: 200 to 500 instructions, one to three for each number. (32 take
    // 0.8 of the time, 128 half as much again; but each is two calls.)
    constexpr unit least = 64;
    const unit grains = index_cut<Range>(range, ~unit{0}).units(), units = std::min(grains, limit);
    if (units == 0)
        return 1;
    return std::max(unit{1}, std::min(range.size() / units / least, grains / units));
}

// Units that were summed ahead.
template <class Body>
struct summed_units {
    using value_type = typename Body::value_type;
    unit_interval units;
    std::vector<value_type> of_runs;
    std::vector<value_type> of_units;
    value_type left{};      // of all to the left of them, once that is known
    value_type finished{};  // of all up to their end, as the last final scan has it
};

// Runs of units, each of `in_unit`: run(range) for each, end_of_unit() after a unit's last one.
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

// Ahead of time. Like finish_runs() it does not look at the body's value: the front writes that meanwhile.
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

// Finally, what was summed.
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

// Both at once. `left` then holds what lies to the left of the next unit. Returns the sum of all up to there, as the
// last final scan has it.
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

// What was summed now knows what lies to the left of it, and `left` goes behind it.
template <class Body>
void pass(summed_units<Body>& sums, Body& left) {
    sums.left = left.value();
    auto before_unit = sums.left;
    for (const auto& of_unit : sums.of_units)
        before_unit = left.joined(before_unit, of_unit);
    left.hold(before_unit);
}

}  // namespace bough::detail
