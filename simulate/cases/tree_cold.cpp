// A tree of tasks after a pause in which all threads have gone to sleep: four leaves of 20 us for each thread.

#include <atomic>
#include <thread>

#include "first.h"
#include "runtime.h"

namespace {

void grow(auto& way, unsigned leaves, std::atomic<unsigned>& ran) {
    if (leaves == 1) {
        first::busy_for(20'000);
        ran.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    way.both([&] { grow(way, leaves / 2, ran); }, [&] { grow(way, leaves - leaves / 2, ran); });
}

}  // namespace

int main(int argc, char** argv) {
    return runtime::each_way(argc, argv, [](auto& way) {
        const unsigned leaves = 4 * runtime::threads();
        first::wake_threads(way);
        for (int round = 0; round < 12; ++round) {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            std::atomic<unsigned> ran{0};
            const double begin = runtime::now_ns();
            grow(way, leaves, ran);
            const double ns = runtime::now_ns() - begin;
            if (ran.load() != leaves) {
                std::fprintf(stderr, "wrong answer\n");
                std::exit(1);
            }
            if (round >= 2)
                std::printf("%s %.1f\n", way.name, ns);
        }
    });
}
