// Two units, of which each waits until the other has begun, after a pause: how long does it take to give one of them to
// another thread, and to hear of it?

#include <atomic>

#include "runtime.h"

namespace {

constexpr unsigned units = 2;
constexpr double pause_ns = 3000;  // so that the others look for work; too short for a worker to fall asleep

void wait(double ns) {
    const double until = runtime::now_ns() + ns;
    while (runtime::now_ns() < until)
        runtime::pause();
}

void run(auto& way) {
    struct alignas(128) {
        std::atomic<unsigned> value{0};
    } present;
    for (runtime::rounds r(20, 60); r.next();) {
        wait(pause_ns);
        present.value.store(0);
        const double begin = runtime::now_ns();
        way.for_each(units, [&](std::size_t) {
            present.value.fetch_add(1, std::memory_order_release);
            while (present.value.load(std::memory_order_acquire) != units)
                runtime::pause();
        });
        const double ns = runtime::now_ns() - begin;
        if (r.counted())
            std::printf("%s %.1f\n", way.name, ns);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return runtime::each_way(argc, argv, [](auto& way) { run(way); });
}
