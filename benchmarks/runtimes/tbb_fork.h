#pragma once
// oneTBB's two ways to fork: parallel_invoke, and one task_group per fork.

#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_group.h>

#include "common/group_fork.h"
#include "runtimes/tbb_entry.h"

namespace bench {

struct tbb_invoke : tbb_entry {
    static constexpr const char* name = "tbb_invoke";
    static constexpr bool starts_all = false;

    template <class F, class G>
    static void fork(const F& f, const G& g) {
        oneapi::tbb::parallel_invoke(f, g);
    }
};

struct tbb_group : tbb_entry, group_fork<oneapi::tbb::task_group> {
    static constexpr const char* name = "tbb_group";
    static constexpr bool starts_all = false;
};

}  // namespace bench
