#pragma once
// A runtime that forgets the last index of every loop, and the second half of every fork. Each check must notice;
// selfcheck.py sees to it.

#include <algorithm>
#include <numeric>
#include <string>

#include "common/runtime.h"

namespace bench {

struct broken {
    static constexpr const char* name = "broken";
    static constexpr bool starts_all = true;
    static std::string version() { return "-"; }

    template <class F>
    static void enter(unsigned, const F& f) {
        f();
    }

    template <class F>
    static void parallel_for(index first, index last, const F& f) {
        if (first < last)
            each(first, last - 1, f);
    }

    template <class Op, class F>
    static double parallel_reduce(index first, index last, const F& f) {
        return first < last ? fold<Op>(first, last - 1, Op::identity, f) : Op::identity;
    }

    static void sort(double* first, double* last) { std::sort(first, last - 1); }
    template <bool>
    static void scan(const double* in, double* out, index n) {
        std::partial_sum(in, in + n - 1, out);
    }
    static double deterministic_sum(const double* x, index n) { return std::accumulate(x, x + n - 1, 0.0); }

    template <class F, class G>
    static void fork(const F& f, const G&) {
        f();
    }
};

}  // namespace bench
