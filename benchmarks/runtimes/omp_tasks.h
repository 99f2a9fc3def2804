#pragma once
// Tasks of LLVM's OpenMP runtime: a parallel region per run of a workload, in which one thread begins.

#include "common/runtime.h"
#include "runtimes/omp_entry.h"

namespace bench {

struct omp_tasks : omp_entry {
    static constexpr const char* name = "omp_tasks";
    static constexpr bool starts_all = false;

    template <class F>
    static void fork_root(const F& f) {
#pragma omp parallel
#pragma omp single
        f();
    }

    template <class F, class G>
    static void fork(const F& f, const G& g) {
#pragma omp task shared(f)
        f();
        g();
#pragma omp taskwait
    }

    template <class F>
    static void fork_each(index first, index last, const F& f) {
        for (index i = first; i + 1 < last; ++i) {
#pragma omp task shared(f) firstprivate(i)
            f(i);
        }
        f(last - 1);
#pragma omp taskwait
    }
};

}  // namespace bench
