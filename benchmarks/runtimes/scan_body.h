#pragma once
// A running sum over [range), for the functional forms of oneTBB's and bough's scans.

#include "common/runtime.h"

namespace bench {

template <class Range>
auto scan_body(const double* in, double* out) {
    return [=](const Range& r, double sum, bool is_final) {
        for (index i = r.begin(); i < r.end(); ++i) {
            sum += in[i];
            if (is_final)
                out[i] = sum;
        }
        return sum;
    };
}

template <class Range>
auto sum_body(const double* in) {
    return [=](const Range& r, double sum) {
        for (index i = r.begin(); i < r.end(); ++i)
            sum += in[i];
        return sum;
    };
}

}  // namespace bench
