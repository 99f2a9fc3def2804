#pragma once
// oneTBB as most programs use it: loops with auto_partitioner, forks by parallel_invoke.

#include "runtimes/tbb.h"
#include "runtimes/tbb_fork.h"

namespace bench {

struct tbb_both : tbb_auto {
    static constexpr const char* name = "tbb";

    template <class F, class G>
    static void fork(const F& f, const G& g) {
        tbb_invoke::fork(f, g);
    }
};

}  // namespace bench
