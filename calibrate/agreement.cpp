#include "agreement.h"

#include <algorithm>
#include <cmath>

namespace bough::calibrate {
namespace {

double lower_median(const std::vector<double>& sorted, std::size_t from, std::size_t to) {
    return sorted[from + (to - from - 1) / 2];
}

double value_of(const std::vector<double>& sorted) {
    for (std::size_t i = 0; i + 1 < sorted.size(); ++i) {
        if (!do_agree(sorted[i], sorted[i + 1]))
            continue;
        std::size_t end = i + 2;
        while (end < sorted.size() && do_agree(sorted[i], sorted[end]))
            ++end;
        return lower_median(sorted, i, end);
    }
    return lower_median(sorted, 0, sorted.size());
}

double spread_of(const std::vector<double>& sorted) {
    const std::size_t out = sorted.size() / 4;
    constexpr double least_ns = 1;  // below it a clock that ticks in ns tells nothing
    const double low = std::max(least_ns, sorted[out]);
    return std::max(0.0, (sorted[sorted.size() - 1 - out] - low - clock_step_ns) / low);
}

template <typename Get>
agreed agree_on(const std::vector<summary>& rounds, Get get) {
    std::vector<double> values;
    for (const summary& s : rounds)
        values.push_back(get(s));
    return agree(values);
}

}  // namespace

agreed agree(std::vector<double> rounds) {
    if (rounds.empty())
        return {};
    std::sort(rounds.begin(), rounds.end());
    return {value_of(rounds), spread_of(rounds)};
}

summary merge(const std::vector<summary>& rounds) {
    std::vector<summary> held;
    std::copy_if(rounds.begin(), rounds.end(), std::back_inserter(held),
                 [](const summary& s) { return s.count > 0; });
    if (held.empty())
        return {};
    summary all = held.front();
    all.count = 0;
    for (const summary& s : held) {
        all.count += s.count;
        all.min = std::min(all.min, s.min);
        all.max = std::max(all.max, s.max);
    }
    const agreed median = agree_on(held, [](const summary& s) { return s.p50; });
    all.p50 = median.value;
    all.spread = median.spread;
    // Each is agreed on alone: a percentile must not fall below a lower one for that.
    all.p90 = std::max(all.p50, agree_on(held, [](const summary& s) { return s.p90; }).value);
    all.p99 = std::max(all.p90, agree_on(held, [](const summary& s) { return s.p99; }).value);
    all.p999 = std::max(all.p99, agree_on(held, [](const summary& s) { return s.p999; }).value);
    return all;
}

interval median_interval(std::vector<double> samples) {
    if (samples.empty())
        return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t n = samples.size();
    // As many as `out` samples at each end may be left out: the chance that no more than `out` of n fair coins show
    // heads is the chance that the true median lies among the left-out ones of one end.
    double ways = std::exp2(-static_cast<double>(n));  // of exactly `out` heads
    double chance = ways;
    std::size_t out = 0;
    while (true) {
        const double next = ways * static_cast<double>(n - out) / static_cast<double>(out + 1);
        if (chance + next > 0.025 || out + 1 >= (n + 1) / 2)
            break;
        ways = next;
        chance += next;
        ++out;
    }
    // `out` is now the largest k with P(heads <= k) <= 2.5 %, so the k + 1-th smallest bounds the median.
    return {samples[(n - 1) / 2], samples[out], samples[n - 1 - out]};
}

}  // namespace bough::calibrate
