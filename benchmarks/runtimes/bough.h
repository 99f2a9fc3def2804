#pragma once
// bough with its defaults; the environment (BOUGH_DISTRIBUTE, BOUGH_GATE ...) makes the variants.

#include <functional>
#include <string>

#include <bough/bough.h>

#include "common/runtime.h"
#include "runtimes/scan_body.h"

namespace bench {

struct bough_default {
    static constexpr const char* name = "bough";
    static constexpr bool starts_all = true;
    static std::string version() { return std::string("this tree, ") + bough::variant(); }

    template <class F>
    static void enter(unsigned threads, const F& f) {
        const bough::global_control limit(bough::global_control::max_allowed_parallelism, threads);
        if (!beyond_cpus(threads)) {
            f();
            return;
        }
        bough::task_arena arena(static_cast<int>(threads));
        arena.execute([&] { f(); });
    }

    template <class F>
    static void parallel_for(index first, index last, const F& f) {
        bough::parallel_for(bough::blocked_range<index>(first, last),
                            [&](const bough::blocked_range<index>& r) { each(r.begin(), r.end(), f); });
    }

    template <class Op, class F>
    static double parallel_reduce(index first, index last, const F& f) {
        return bough::parallel_reduce(
            bough::blocked_range<index>(first, last), Op::identity,
            [&](const bough::blocked_range<index>& r, double value) {
                return fold<Op>(r.begin(), r.end(), value, f);
            },
            [](double a, double b) { return Op::apply(a, b); });
    }

    static void sort(double* first, double* last) { bough::parallel_sort(first, last); }

    template <bool deterministic>
    static void scan(const double* in, double* out, index n) {
        using range = bough::blocked_range<index>;
        if constexpr (deterministic)
            bough::parallel_deterministic_scan(range(0, n), 0.0, scan_body<range>(in, out), std::plus<>());
        else
            bough::parallel_scan(range(0, n), 0.0, scan_body<range>(in, out), std::plus<>());
    }

    static double deterministic_sum(const double* x, index n) {
        using range = bough::blocked_range<index>;
        return bough::parallel_deterministic_reduce(range(0, n), 0.0, sum_body<range>(x), std::plus<>());
    }

    template <class F, class G>
    static void fork(const F& f, const G& g) {
        bough::parallel_invoke(f, g);
    }
};

}  // namespace bench
