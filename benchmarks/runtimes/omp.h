#pragma once
// LLVM's OpenMP runtime. The build sets BENCH_OMP_SCHEDULE to static, dynamic or guided (a pragma takes no template
// argument). Inner parallel regions run on one thread, which is OpenMP's default.

#include <type_traits>

#include "common/runtime.h"
#include "runtimes/omp_entry.h"

namespace bench {

struct omp_runtime : omp_entry {
    static constexpr bool starts_all = true;

    template <class F>
    static void parallel_for(index first, index last, const F& f) {
#pragma omp parallel
        {
            const F local(f);
#pragma omp for schedule(BENCH_OMP_SCHEDULE) nowait
            for (index i = first; i < last; ++i)
                local(i);
        }
    }

    template <class Op, class F>
    static double parallel_reduce(index first, index last, const F& f) {
        double value = Op::identity;
        if constexpr (std::is_same_v<Op, plus>) {
#pragma omp parallel for schedule(BENCH_OMP_SCHEDULE) reduction(+ : value)
            for (index i = first; i < last; ++i)
                value = Op::apply(value, f(i));
        } else {
#pragma omp parallel for schedule(BENCH_OMP_SCHEDULE) reduction(max : value)
            for (index i = first; i < last; ++i)
                value = Op::apply(value, f(i));
        }
        return value;
    }
};

struct omp_static : omp_runtime {
    static constexpr const char* name = "omp_static";
};
struct omp_dynamic : omp_runtime {
    static constexpr const char* name = "omp_dynamic";
};
struct omp_guided : omp_runtime {
    static constexpr const char* name = "omp_guided";
};

}  // namespace bench
