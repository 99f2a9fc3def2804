// P units on P threads, each of which waits until all have begun: how long after the call does the last one begin?

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <vector>

#include "runtime.h"

namespace {

constexpr unsigned many = 256;  // threads: from there on each round takes seconds of the host's time

struct alignas(128) stamp {
    double at = 0;
};

void measure(auto& way) {
    const unsigned threads = runtime::threads();
    const unsigned warm_ups = threads > many ? 5 : 20, rounds = threads > many ? 9 : 60;
    std::vector<stamp> begun(threads);
    struct alignas(128) {
        std::atomic<unsigned> value{0};
    } present;
    for (unsigned round = 0; round < warm_ups + rounds; ++round) {
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
        if (round >= warm_ups)
            std::printf("%s %.1f\n", way.name, last);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return runtime::each_way(argc, argv, [](auto& way) { measure(way); });
}
