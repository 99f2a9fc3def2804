#pragma once
// What all runtimes on LLVM's OpenMP share: the version, and the limit.

#include <string>

#include <omp.h>

namespace bench {

struct omp_entry {
    static std::string version() { return "LLVM libomp " + std::to_string(__clang_major__); }

    template <class F>
    static void enter(unsigned threads, const F& f) {
        omp_set_dynamic(0);
        enter_thread(threads, f);
    }

    // The number of threads is each application thread's own.
    template <class F>
    static void enter_thread(unsigned threads, const F& f) {
        omp_set_num_threads(static_cast<int>(threads));
        f();
    }
};

}  // namespace bench
