#pragma once
// How a deterministic scan goes through a unit of floating-point values: in runs of a few indices. Each is summed by itself,
// from the identity, and scanned finally from the sum of those before it, joined from left to right.
//
// In a sum of such numbers each addition waits for the one before, 3 or 4 cycles. No run waits for additions of another, so
// a core that looks ahead is in several at once, and one thread scans twice in less time than once without runs: of 2^24
// doubles 13.3 ms and 15.9 (29.6 twice without runs). Memory is not what bounds these: the loads and additions take no longer
// than of as many numbers from the L1 cache.
//
// For functional scans of floating-point values. Integers are added in one cycle, several at once, which runs would only
// cut short. A grain size bounds runs from below, for calls that cost much. Runs depend on the range and the type alone.
//
// Rejected: to leave some of the units unsummed, since a final scan gives the sum as well. Where these lie the range alone
// must say, and each waits for the one before: if they are an eighth of all, no number of threads scans more than 8 times
// as fast as one, and two threads save a sixteenth.
// Rejected: runs for the sums alone, and a unit finally in one call: 22.2 ms. Sums of the next unit's runs between its parts
// do not help: the additions that wait in one long row fill what a core looks ahead.

#include <algorithm>
#include <type_traits>
#include <vector>

#include "range_cut.h"
#include "scan_window.h"

namespace bough::detail {

// True of a body of a value_type that is cheap to copy, with: identity(); value(); hold(value); joined(left, right);
// sum_of(range), from the identity; finish(range, from), which scans it finally.
template <class Body>
struct is_scanned_in_runs : std::false_type {};

// How many runs a unit has, if the range is cut into `limit` units, or into grains.
template <class Range>
unit runs_of_unit(const Range& range, unit limit) {
    // Two and more fit into what a core looks ahead: 200 to 500 instructions, one to three for each number. (32 take 0.8 of
    // the time, 128 half as much again; but each is two calls.)
    constexpr unit least = 64;
    const unit grains = index_cut<Range>(range, ~unit{0}).units(), units = std::min(grains, limit);
    if (units == 0)
        return 1;
    return std::max(unit{1}, std::min(range.size() / units / least, grains / units));
}

// Of the runs of a unit, but for the last one: what it takes to scan the unit finally. Empty where there are none.
template <class Body, bool in_runs>
struct run_sums {};
template <class Body>
struct run_sums<Body, true> {
    std::vector<typename Body::value_type> values;
};

template <class Cut, class Call>
void for_each_run(const Cut& cut, unit_interval runs, Call&& call) {
    cut.visit(delivery::single, runs.first, runs.last, [&](const auto& run) {
        call(run);
        return true;
    });
}

// Ahead of time.
template <class Cut, class Body>
run_sums<Body, true> sum_runs(const Cut& cut, unit_interval runs, Body& sum) {
    run_sums<Body, true> known;
    known.values.reserve(runs.last - runs.first - 1);
    auto all = sum.identity();
    for_each_run(cut, runs, [&](const auto& run) {
        const auto s = sum.sum_of(run);
        all = sum.joined(all, s);
        if (known.values.size() != known.values.capacity())
            known.values.push_back(s);
    });
    sum.hold(all);
    return known;
}

// Finally, behind what `left` holds.
template <class Cut, class Body>
void finish_runs(const Cut& cut, unit_interval runs, const Body& left, const run_sums<Body, true>& known) {
    auto before = left.value();
    auto next = known.values.begin();
    for_each_run(cut, runs, [&](const auto& run) {
        left.finish(run, before);
        if (next != known.values.end())
            before = left.joined(before, *next++);
    });
}

// Both at once, of whole units of `in_unit` runs. `left` then holds what lies to the left of the next one.
template <class Cut, class Body>
void scan_runs(const Cut& cut, unit_interval runs, unit in_unit, Body& left) {
    auto before_unit = left.value(), before = before_unit, all = left.identity();
    unit more = in_unit;
    for_each_run(cut, runs, [&](const auto& run) {
        const auto s = left.sum_of(run);
        left.finish(run, before);
        all = left.joined(all, s);
        before = left.joined(before, s);
        if (--more == 0) {
            before = before_unit = left.joined(before_unit, all);
            all = left.identity();
            more = in_unit;
        }
    });
    left.hold(before_unit);
}

}  // namespace bough::detail
