#pragma once
// The first loop of a call site, of which the library knows nothing yet: how long does it take? Each round runs a call
// site of its own.

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "runtime.h"

namespace first {

constexpr std::size_t sites = 40;

// Computes for so long, without memory.
inline void busy_for(double ns) {
    for (const double end = runtime::now_ns() + ns; runtime::now_ns() < end;)
        runtime::pause();
}

// Until other threads help, which on a host takes milliseconds.
void wake_threads(auto& way) {
    constexpr double each = 20'000, most = 100e6;
    const double begin = runtime::now_ns();
    for (double took = 2 * each * runtime::threads();
         took > 1.5 * each && runtime::now_ns() < begin + most;) {
        const double call = runtime::now_ns();
        way.for_each(runtime::threads(), [](std::size_t) { busy_for(each); });
        took = runtime::now_ns() - call;
    }
}

template <std::size_t site>
void measure_site(auto& way, std::size_t units, double ns_each) {
    std::atomic<std::size_t> sum{0};
    const double begin = runtime::now_ns();
    way.for_each(units, [&](std::size_t unit) {
        if (ns_each > 0)
            busy_for(ns_each);
        if (unit % 64 == site)  // makes the body another one in each call site
            sum.fetch_add(unit, std::memory_order_relaxed);
    });
    const double ns = runtime::now_ns() - begin;
    std::size_t expected = 0;
    for (std::size_t unit = site; unit < units; unit += 64)
        expected += unit;
    if (sum.load() != expected) {
        std::fprintf(stderr, "wrong answer\n");
        std::exit(1);
    }
    std::printf("%s %.1f\n", way.name, ns);
    busy_for(20'000);  // a program computes between its loops
}

template <std::size_t... site>
void measure_sites(auto& way, std::size_t units, double ns_each, std::index_sequence<site...>) {
    wake_threads(way);
    (measure_site<site>(way, units, ns_each), ...);
}

inline int measure(int argc, char** argv, std::size_t units, double ns_each) {
    return runtime::each_way(argc, argv, [=](auto& way) {
        measure_sites(way, units, ns_each, std::make_index_sequence<sites>());
    });
}

}  // namespace first
