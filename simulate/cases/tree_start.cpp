// P tasks of a fork-join tree on P threads, each of which waits until all have begun: how long after the call does the
// last one begin? tree_start_RUNTIME WAY ROUNDS: as all_start, for tasks.

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "runtime.h"

namespace {

struct alignas(128) stamp {
    double at = 0;
};

class start {
public:
    explicit start(unsigned tasks) : begun_(tasks) {}

    // When the last task has begun, after the call.
    double last_of(auto& way) {
        present_.value.store(0);
        const double call = runtime::now_ns();
        below(way, 0, static_cast<unsigned>(begun_.size()));
        double last = 0;
        for (const stamp& s : begun_)
            last = std::max(last, s.at - call);
        return last;
    }

private:
    void below(auto& way, unsigned first, unsigned end) {
        if (end - first == 1)
            return begin(first);
        const unsigned middle = first + (end - first + 1) / 2;
        way.both([&, first, middle] { below(way, first, middle); },
                 [&, middle, end] { below(way, middle, end); });
    }
    void begin(unsigned task) {
        begun_[task].at = runtime::now_ns();
        present_.value.fetch_add(1, std::memory_order_release);
        while (present_.value.load(std::memory_order_acquire) != begun_.size())
            runtime::pause();
    }

    std::vector<stamp> begun_;
    struct alignas(128) {
        std::atomic<unsigned> value{0};
    } present_;
};

void measure(auto& way, unsigned wanted_rounds) {
    if constexpr (requires { way.both([] {}, [] {}); }) {
        start of_all(runtime::threads());
        for (runtime::rounds r = wanted_rounds ? runtime::rounds(1, wanted_rounds) : runtime::rounds(20, 60);
             r.next();) {
            const double last = of_all.last_of(way);
            if (r.counted())
                std::printf("%s %.1f\n", way.name, last);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned rounds = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    return runtime::each_way(argc, argv, [rounds](auto& way) { measure(way, rounds); });
}
