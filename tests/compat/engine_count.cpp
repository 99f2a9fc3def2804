// The executable's definitions come before the libraries'; each counts and hands on.

#include "engine_count.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include <bough/bough.h>
#include <tbb/task_group.h>

namespace engine_count {

std::atomic<int> bough_calls{0};
std::atomic<int> onetbb_calls{0};

template <class Function>
Function* next(const char* symbol) {
    void* found = dlsym(RTLD_NEXT, symbol);
    if (!found) {
        std::fprintf(stderr, "engine_count: no %s; did its signature change?\n", symbol);
        std::abort();
    }
    return reinterpret_cast<Function*>(found);
}

}  // namespace engine_count

namespace bough::detail {

void run_loop(loop_job& job) {
    static auto* const real =
        engine_count::next<void(loop_job&)>("_ZN5bough6detail8run_loopERNS0_8loop_jobE");
    ++engine_count::bough_calls;
    real(job);
}

void open_forks(fork_group& g, task& last) {
    static auto* const real = engine_count::next<void(fork_group&, task&)>(
        "_ZN5bough6detail10open_forksERNS0_10fork_groupERNS0_4taskE");
    ++engine_count::bough_calls;
    real(g, last);
}

void spawn(task& t) {
    static auto* const real = engine_count::next<void(task&)>("_ZN5bough6detail5spawnERNS0_4taskE");
    ++engine_count::bough_calls;
    real(t);
}

}  // namespace bough::detail

namespace tbb::detail::r1 {

void execute_and_wait(d1::task& t, d1::task_group_context& t_context, d1::wait_context& w,
                      d1::task_group_context& w_context) {
    static auto* const real = engine_count::next<void(d1::task&, d1::task_group_context&, d1::wait_context&,
                                                      d1::task_group_context&)>(
        "_ZN3tbb6detail2r116execute_and_waitERNS0_2d14taskERNS2_18task_group_contextERNS2_12wait_"
        "contextES6_");
    ++engine_count::onetbb_calls;
    real(t, t_context, w, w_context);
}

}  // namespace tbb::detail::r1
