#pragma once
// What a workload may ask of a runtime. A runtime is a struct in runtimes/ with these static members:
//   name, version()            for reports
//   starts_all                 true when P iterations that wait for each other run on P threads
//   enter(threads, f)          sets the number of threads, calls f() with the limit in force
//   parallel_for(first, last, f)              f(i) for each index; may be called from inside f
//   parallel_reduce<Op>(first, last, f)       Op over f(i)
// and where a further application thread must set the limit for itself:
//   enter_thread(threads, f)   as enter, on that thread
// Runtimes that fork have what common/fork_join.h lists, with or without the loops. Kernels use nothing else, so that
// one kernel text serves all; a binary lists the cases for which its runtime has what they need.

#include <cstddef>
#include <thread>

namespace bench {

using index = std::size_t;

// More threads than a runtime's own default arena has slots for.
inline bool beyond_cpus(unsigned threads) {
    return threads > std::thread::hardware_concurrency();
}

struct plus {
    static constexpr double identity = 0.0;
    static constexpr double apply(double a, double b) { return a + b; }
};

// For values that are not negative.
struct maximum {
    static constexpr double identity = 0.0;
    static constexpr double apply(double a, double b) { return a < b ? b : a; }
};

// The loop of one chunk. The copy of f keeps its members in registers whatever f stores to.
template <class F>
inline void each(index first, index last, const F& f) {
    const F local(f);
    for (index i = first; i < last; ++i)
        local(i);
}

template <class Op, class F>
inline double fold(index first, index last, double value, const F& f) {
    const F local(f);
    for (index i = first; i < last; ++i)
        value = Op::apply(value, local(i));
    return value;
}

}  // namespace bench
