#include "stress/mix/report.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace mix {

figures done;

void fail(const scope& s, const char* what) {
    static std::atomic<bool> is_told{false};
    while (is_told.exchange(true, std::memory_order_acquire))
        pause();  // until the process ends
    std::printf("bough-stress: WRONG: seed %llu, thread %u, operation %llu, in %s: %s\n",
                static_cast<unsigned long long>(s.from->seed), s.from->thread,
                static_cast<unsigned long long>(s.from->number.load()), s.name, what);
    std::fflush(stdout);
    std::_Exit(1);
}

}  // namespace mix
