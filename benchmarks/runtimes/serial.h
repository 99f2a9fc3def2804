#pragma once
// Plain loops and plain calls.

#include <algorithm>
#include <numeric>
#include <string>

#include "common/fork_serial.h"
#include "common/runtime.h"

namespace bench {

struct serial : fork_serial {
    static constexpr const char* name = "serial";
    static constexpr bool starts_all = false;
    static std::string version() { return "-"; }

    template <class F>
    static void enter(unsigned, const F& f) {
        f();
    }

    template <class F>
    static void parallel_for(index first, index last, const F& f) {
        each(first, last, f);
    }

    template <class Op, class F>
    static double parallel_reduce(index first, index last, const F& f) {
        return fold<Op>(first, last, Op::identity, f);
    }

    static void sort(double* first, double* last) { std::sort(first, last); }
    template <bool>
    static void scan(const double* in, double* out, index n) {
        std::partial_sum(in, in + n, out);
    }
    static double deterministic_sum(const double* x, index n) { return std::accumulate(x, x + n, 0.0); }
};

}  // namespace bench
