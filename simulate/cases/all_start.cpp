// P units on P threads, each of which waits until all have begun: how long after the call does the last one begin?
// all_start_RUNTIME WAY ROUNDS: so many rounds count, after one that does not, where a round takes minutes of the host.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "runtime.h"

namespace {

constexpr unsigned many = 256;  // threads: from there on each round takes seconds of the host's time

struct alignas(128) stamp {
    double at = 0;
};

runtime::rounds planned_for(unsigned threads, unsigned wanted) {
    if (wanted != 0)
        return runtime::rounds(1, wanted);
    return threads > many ? runtime::rounds(5, 9) : runtime::rounds(20, 60);
}

void measure(auto& way, unsigned wanted_rounds) {
    const unsigned threads = runtime::threads();
    std::vector<stamp> begun(threads);
    struct alignas(128) {
        std::atomic<unsigned> value{0};
    } present;
    for (runtime::rounds r = planned_for(threads, wanted_rounds); r.next();) {
        present.value.store(0);
        const double call = runtime::now_ns();
        way.for_each(threads, [&](std::size_t unit) {
            begun[unit].at = runtime::now_ns();
            present.value.fetch_add(1, std::memory_order_release);
            while (present.value.load(std::memory_order_acquire) != threads)
                runtime::pause();
        });
        double last = 0;
        for (const stamp& s : begun)
            last = std::max(last, s.at - call);
        if (r.counted())
            std::printf("%s %.1f\n", way.name, last);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned rounds = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    return runtime::each_way(argc, argv, [rounds](auto& way) { measure(way, rounds); });
}
