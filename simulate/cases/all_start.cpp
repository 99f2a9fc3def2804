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
    const runtime::rounds planned = threads > many ? runtime::rounds(5, 9) : runtime::rounds(20, 60);
    std::vector<stamp> begun(threads);
    struct alignas(128) {
        std::atomic<unsigned> value{0};
    } present;
    for (runtime::rounds r = planned; r.next();) {
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
    return runtime::each_way(argc, argv, [](auto& way) { measure(way); });
}
