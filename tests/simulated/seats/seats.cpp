// Where threads sit and who is asked, printed by a program on the virtual machine for seats_test.py. Each line: what it
// is, then SLOT:CORE of every thread that ran a unit of the last of some loops. All units of a loop wait for each
// other, so each has a thread of its own. Then CORE:UNITS, of each thread that took part in a loop without waits, and
// CORE:NUMBERS in a scan. At last UNIT:VISITS, of loops of a static_partitioner.

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

// Long enough for all threads to be worth it, and over before anybody may steal: what each thread was given.
void show_shares(unsigned threads) {
    struct alignas(64) line {
        unsigned units = 0;
        int core = -1;
    };
    std::vector<line> of(threads);
    for (int i = 0; i < 20; ++i) {
        of.assign(threads, {});
        bough::parallel_for(0u, 64 * threads, [&](unsigned) {
            for (volatile unsigned work = 0; work < 20; work = work + 1) {
            }
            line& own = of[static_cast<unsigned>(bough::this_task_arena::current_thread_index())];
            ++own.units;
            own.core = sched_getcpu();
        });
    }
    std::printf("shares");
    for (const line& l : of)
        if (l.core >= 0)
            std::printf(" %d:%u", l.core, l.units);
    std::printf("\n");
}

// Some 40 us of work for one thread. NUMBERS: those of the final scan.
void show_scan(unsigned threads) {
    struct alignas(64) line {
        std::size_t numbers = 0;
        int core = -1;
    };
    using range = bough::blocked_range<std::size_t>;
    constexpr std::size_t length = 32768;
    const std::vector<double> in(length, 1);
    std::vector<double> out(length);
    std::vector<line> of(threads);
    for (int i = 0; i < 20; ++i) {
        of.assign(threads, {});
        bough::parallel_scan(
            range(0, length), 0.0,
            [&](const range& part, double sum, bool is_final) {
                line& own = of[static_cast<unsigned>(bough::this_task_arena::current_thread_index())];
                own.numbers += is_final ? part.size() : 0;
                own.core = sched_getcpu();
                for (std::size_t k = part.begin(); k != part.end(); ++k) {
                    sum += in[k];
                    if (is_final)
                        out[k] = sum;
                }
                return sum;
            },
            [](double left, double right) { return left + right; });
    }
    std::printf("scan");
    for (const line& l : of)
        if (l.core >= 0)
            std::printf(" %d:%zu", l.core, l.numbers);
    std::printf("\n");
}

// The slots begin where the first caller of the arena runs. The next one runs somewhere else, so the slots near it are
// not those that come after its own.
void show_fixed(unsigned threads) {
    constexpr int loops = 20;
    std::vector<std::atomic<int>> visits(threads);
    bough::task_arena shared(static_cast<int>(threads), 1);
    const auto visit_all = [&] {
        shared.execute([&] {
            bough::parallel_for(
                0u, threads, [&](unsigned unit) { visits[unit].fetch_add(1); }, bough::static_partitioner{});
        });
    };
    visit_all();
    std::thread([&] {
        for (int i = 1; i < loops; ++i)
            visit_all();
    }).join();
    std::printf("fixed");
    for (unsigned unit = 0; unit < threads; ++unit)
        std::printf(" %u:%d", unit, visits[unit].load());
    std::printf("\n");
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
    show_shares(all);
    show_scan(all);
    show_fixed(all);
}
