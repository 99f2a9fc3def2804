#pragma once
// oneTBB with one of its four partitioners.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/parallel_sort.h>
#include <oneapi/tbb/partitioner.h>

#include <functional>

#include "runtimes/scan_body.h"
#include "runtimes/tbb_entry.h"

namespace bench {

// The partitioner object of a call site. An affinity_partitioner remembers where pieces ran, so it lives from call to
// call; each thread has its own, as a nested loop runs on several threads at a time, and a call that finds it in use
// (a thread that waits inside the loop may take up another run of it) has a fresh one.
template <class Partitioner, class Site>
class call_partitioner {
public:
    Partitioner& get() { return fresh_; }

private:
    Partitioner fresh_;
};

template <class Site>
class call_partitioner<oneapi::tbb::affinity_partitioner, Site> {
public:
    call_partitioner() : owner_(!busy) { busy = true; }
    ~call_partitioner() {
        if (owner_)
            busy = false;
    }
    call_partitioner(const call_partitioner&) = delete;
    call_partitioner& operator=(const call_partitioner&) = delete;
    oneapi::tbb::affinity_partitioner& get() { return owner_ ? kept : fresh_; }

private:
    static inline thread_local oneapi::tbb::affinity_partitioner kept;
    static inline thread_local bool busy = false;
    bool owner_;
    oneapi::tbb::affinity_partitioner fresh_;
};

template <class Partitioner>
struct tbb_runtime : tbb_entry {
    static constexpr bool starts_all = true;
    using range = oneapi::tbb::blocked_range<index>;

    template <class F>
    static void parallel_for(index first, index last, const F& f) {
        call_partitioner<Partitioner, F> partitioner;
        oneapi::tbb::parallel_for(
            range(first, last), [&](const range& r) { each(r.begin(), r.end(), f); }, partitioner.get());
    }

    template <class Op, class F>
    static double parallel_reduce(index first, index last, const F& f) {
        call_partitioner<Partitioner, F> partitioner;
        return oneapi::tbb::parallel_reduce(
            range(first, last), Op::identity,
            [&](const range& r, double value) { return fold<Op>(r.begin(), r.end(), value, f); },
            [](double a, double b) { return Op::apply(a, b); }, partitioner.get());
    }
};

// Its sort and scan have this partitioner by default. It has no deterministic scan: the plain one stands in for that.
// Its deterministic reduction takes a simple_partitioner, the default, which would make a task of every element, or a
// static_partitioner, the faster, though its bits are the same for one number of threads only.
struct tbb_auto : tbb_runtime<const oneapi::tbb::auto_partitioner> {
    static constexpr const char* name = "tbb_auto";

    static void sort(double* first, double* last) { oneapi::tbb::parallel_sort(first, last); }
    template <bool>
    static void scan(const double* in, double* out, index n) {
        oneapi::tbb::parallel_scan(range(0, n), 0.0, scan_body<range>(in, out), std::plus<>());
    }
    static double deterministic_sum(const double* x, index n) {
        return oneapi::tbb::parallel_deterministic_reduce(range(0, n), 0.0, sum_body<range>(x), std::plus<>(),
                                                          oneapi::tbb::static_partitioner());
    }
};
struct tbb_simple : tbb_runtime<const oneapi::tbb::simple_partitioner> {
    static constexpr const char* name = "tbb_simple";
};
struct tbb_static : tbb_runtime<const oneapi::tbb::static_partitioner> {
    static constexpr const char* name = "tbb_static";
};
struct tbb_affinity : tbb_runtime<oneapi::tbb::affinity_partitioner> {
    static constexpr const char* name = "tbb_affinity";
};

}  // namespace bench
