#pragma once

#include <cstddef>

namespace runtime {

// Of a range: what is between begin and end, after what was before. What both libraries' scans call.
struct sums {
    const double* in;
    double* out;
    template <class Range>
    double operator()(const Range& r, double sum, bool is_final) const {
        for (std::size_t i = r.begin(); i != r.end(); ++i) {
            sum += in[i];
            if (is_final)
                out[i] = sum;
        }
        return sum;
    }
};

}  // namespace runtime
