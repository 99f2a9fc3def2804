#pragma once
// What all runtimes on oneTBB share: the version, and the limit.

#include <string>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/version.h>

#include "common/runtime.h"

namespace bench {

struct tbb_entry {
    static std::string version() { return std::string("oneTBB ") + TBB_runtime_version(); }

    template <class F>
    static void enter(unsigned threads, const F& f) {
        using oneapi::tbb::global_control;
        const global_control limit(global_control::max_allowed_parallelism, threads);
        if (!beyond_cpus(threads)) {
            f();
            return;
        }
        oneapi::tbb::task_arena arena(static_cast<int>(threads));
        arena.execute([&] { f(); });
    }
};

}  // namespace bench
