// Where threads sit and who is asked, printed by a program on the virtual machine for seats_test.py. Each line: what it
// is, then SLOT:CORE of every thread that ran a unit. All units of a loop wait for each other, so each has a thread of
// its own.

#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <bough/bough.h>

namespace {

void show(const char* what, unsigned threads, int loops = 1) {
    struct place {
        int slot = -1, core = -1;
    };
    std::vector<place> places(threads);
    for (int i = 0; i < loops; ++i) {
        std::atomic<unsigned> begun{0};
        bough::parallel_for(0u, threads, [&](unsigned unit) {
            places[unit] = {bough::this_task_arena::current_thread_index(), sched_getcpu()};
            begun.fetch_add(1);
            while (begun.load() != threads)
                bough::poll();
        });
    }
    std::printf("%s", what);
    for (const place& p : places)
        std::printf(" %d:%d", p.slot, p.core);
    std::printf("\n");
}

// All workers leave: the watcher stays for 10 ms.
void let_all_sleep() {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

}  // namespace

int main() {
    const auto all = static_cast<unsigned>(bough::this_task_arena::max_concurrency());
    show("first", all);
    let_all_sleep();
    show("woken", 4);
    let_all_sleep();
    show("all", all, 20);
    show("team", 12);
}
