#pragma once
// What the rounds of a calibration agree on. Each measured part runs once a round, and the rounds are spread over the
// run, so what disturbs one of them for a second does not decide. Pure.

#include <vector>

#include "stats.h"

namespace bough::calibrate {

// A guest's counter may go in steps of 10 ns, as that of the EPYC guest in README.md does: a steal of 45 ns is 40 in
// one round and 50 in the next.
constexpr double clock_step_ns = 10;

// The larger may be a fifth above the smaller, and a step of the clock. Origin of the fifth: what two calibrations of
// an idle machine must reach (README.md, "Agreement"); a time span wrong by a fifth costs a loop less than one hand-
// off.
constexpr double agreement = 0.2;
constexpr bool do_agree(double smaller, double larger) {
    return larger <= smaller * (1 + agreement) + clock_step_ns;
}

struct agreed {
    double value = 0;
    // How far the middle half of the rounds lies apart beyond a step of the clock, as a share of its lowest: one
    // disturbed round of five does not count.
    double spread = 0;
};

// Noise makes times longer and hardly ever shorter. So the lowest round that agrees with the next one decides: the
// value is the median of the rounds that agree with it. If no two rounds agree, it is the median of all, and the
// spread tells.
agreed agree(std::vector<double> rounds);

// Counts are added up, and each percentile is what the rounds agree on; the spread is that of their medians. The
// least and the greatest time are of all rounds. Rounds without a sample do not count.
summary merge(const std::vector<summary>& rounds);

// The median of `samples` and the interval that holds the true one in at least 95 % of such measurements, by their
// order alone. With fewer than six samples there is no such interval: it is then from the least to the greatest.
struct interval {
    double median = 0;
    double low = 0;
    double high = 0;
};
interval median_interval(std::vector<double> samples);

}  // namespace bough::calibrate
