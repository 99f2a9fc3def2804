#include "stats.h"

#include <algorithm>
#include <cmath>

namespace bough::calibrate {

summary summarize(std::vector<double>& samples_ns) {
    if (samples_ns.empty())
        return {};
    std::sort(samples_ns.begin(), samples_ns.end());
    const auto n = static_cast<double>(samples_ns.size());
    const auto at = [&](double p) {
        const auto rank = static_cast<std::size_t>(std::ceil(p * n));
        return samples_ns[std::clamp<std::size_t>(rank, 1, samples_ns.size()) - 1];
    };
    return {samples_ns.size(), samples_ns.front(), at(0.5),           at(0.9),
            at(0.99),          at(0.999),          samples_ns.back(), 0};
}

void histogram::add(double ns, std::uint64_t times) {
    const double bin = std::floor(4 * std::log2(std::max(ns, 1.0)));
    counts_[static_cast<std::size_t>(std::min(bin, static_cast<double>(bins - 1)))] += times;
}

double histogram::lower_ns(std::size_t bin) {
    return std::exp2(static_cast<double>(bin) / 4);
}

}  // namespace bough::calibrate
