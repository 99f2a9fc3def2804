#pragma once
// What is kept of many measured times: a few percentiles and a histogram with logarithmic bins. Pure.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bough::calibrate {

// Times in ns.
struct summary {
    std::size_t count = 0;
    double min = 0;
    double p50 = 0;
    double p90 = 0;
    double p99 = 0;
    double p999 = 0;
    double max = 0;
    double spread = 0;  // between rounds (agreement.h); 0 for one round
};

// Sorts the samples. The percentile p of n samples is the smallest that at least p * n of them do not exceed.
summary summarize(std::vector<double>& samples_ns);

// Four bins an octave: bin i holds the times from 2^(i/4) ns up to the next bin's.
class histogram {
public:
    static constexpr std::size_t bins = 160;  // up to 2^40 ns, 18 minutes

    histogram() : counts_(bins) {}

    void add(double ns, std::uint64_t times = 1);
    void add_to_bin(std::size_t bin, std::uint64_t times) { counts_.at(bin) += times; }
    std::uint64_t operator[](std::size_t bin) const { return counts_[bin]; }
    static double lower_ns(std::size_t bin);

private:
    std::vector<std::uint64_t> counts_;
};

}  // namespace bough::calibrate
