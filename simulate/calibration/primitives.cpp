// What a machine's prices are taken from, and nothing else is: an answer over one cache line, additions to one word by
// all threads, a sleeper's wake-up, and single operations of one thread. Runs on the host and on the virtual machine;
// prints a name and the nanoseconds in each line, the median of some rounds.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using word = std::atomic<unsigned>;
constexpr unsigned rounds = 15;

double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

template <class Round>
void print_median(const char* name, Round&& round) {
    std::vector<double> all;
    for (unsigned i = 0; i < rounds; ++i)
        all.push_back(round());
    std::sort(all.begin(), all.end());
    std::printf("%s %.2f\n", name, all[rounds / 2]);
}

template <class Operation>
double each(unsigned times, Operation&& operation) {
    const double begin = now_ns();
    for (unsigned i = 0; i < times; ++i)
        operation();
    return (now_ns() - begin) / times;
}

void one_thread() {
    alignas(128) static word owned{0};
    constexpr unsigned times = 2000;
    print_median("locked", [] { return each(times, [] { owned.fetch_add(1); }); });
    print_median("full_fence", [] {
        return each(times, [] {
            owned.store(1, std::memory_order_relaxed);  // else the compiler makes one fence of all
            std::atomic_thread_fence(std::memory_order_seq_cst);
        });
    });
    print_median("pause", [] { return each(times, [] { __builtin_ia32_pause(); }); });
    print_median("clock_read", [] { return each(times, [] { now_ns(); }); });
    print_median("yield", [] { return each(times, [] { sched_yield(); }); });
}

// Serial code of several kinds: what an instruction costs.
long ackermann(long m, long n) {
    return m == 0 ? n + 1 : ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}
void compute() {
    static std::vector<unsigned> numbers(1000), sorted;
    static std::vector<double> a(1000, 1.5), b(1000, 0.5);
    unsigned long draw = 1;
    for (unsigned& n : numbers)
        n = static_cast<unsigned>((draw = draw * 6364136223846793005u + 1442695040888963407u) >> 33);
    static volatile double sink;
    print_median("sort", [] {
        return each(20, [] {
            sorted = numbers;
            std::sort(sorted.begin(), sorted.end());
        });
    });
    print_median("dot", [] {
        return each(200, [] {
            double sum = 0;
            for (std::size_t i = 0; i < a.size(); ++i)
                sum += a[i] * b[i];
            sink = sum;
        });
    });
    print_median("recursion", [] { return each(20, [] { sink = static_cast<double>(ackermann(2, 20)); }); });
    print_median("hash", [] {
        return each(200, [] {
            unsigned long h = 14695981039346656037u;
            for (const unsigned n : numbers)
                h = (h ^ n) * 1099511628211u;
            sink = static_cast<double>(h);
        });
    });
}

// There and back.
void ping() {
    constexpr unsigned times = 2000;
    alignas(128) static word ball{0};
    print_median("ping", [] {
        ball.store(0);
        std::thread other([] {
            for (unsigned i = 1; i < 2 * times; i += 2) {
                while (ball.load(std::memory_order_acquire) != i) {
                }
                ball.store(i + 1, std::memory_order_release);
            }
        });
        const auto play = [](unsigned from, unsigned to) {
            const double begin = now_ns();
            for (unsigned i = from; i < to; i += 2) {
                ball.store(i + 1, std::memory_order_release);
                while (ball.load(std::memory_order_acquire) != i + 2) {
                }
            }
            return (now_ns() - begin) * 2 / (to - from);
        };
        play(0, times);  // until the other one runs
        const double result = play(times, 2 * times);
        other.join();
        return result;
    });
}

void contended_add(unsigned threads) {
    constexpr unsigned times = 2000;
    alignas(128) static word sum{0}, present{0};
    print_median("contended_add", [threads] {
        present.store(0);
        sum.store(0);
        std::vector<double> took(threads);
        std::vector<std::thread> all;
        for (unsigned i = 0; i < threads; ++i)
            all.emplace_back([&, i] {
                present.fetch_add(1);
                while (present.load() != threads) {
                }
                took[i] = each(times, [] { sum.fetch_add(1); });
            });
        for (std::thread& t : all)
            t.join();
        if (sum.load() != threads * times)
            std::exit(1);
        return *std::max_element(took.begin(), took.end()) / threads;
    });
}

long futex(word& w, int operation, unsigned value) {
    return syscall(SYS_futex, &w, operation | FUTEX_PRIVATE_FLAG, value, nullptr, nullptr, 0);
}

// From the store and the call until the sleeper runs; and how long the caller is away.
void wake_up() {
    alignas(128) static word state{0};
    static double woken_at, called;
    print_median("wake_up", [] {
        state.store(0);
        std::thread sleeper([] {
            state.store(1);
            while (state.load() == 1)
                futex(state, FUTEX_WAIT, 1);
            woken_at = now_ns();
        });
        while (state.load() != 1) {
        }
        const timespec pause{.tv_sec = 0, .tv_nsec = 300'000};
        nanosleep(&pause, nullptr);
        const double begin = now_ns();
        state.store(2);
        futex(state, FUTEX_WAKE, 1);
        called = now_ns() - begin;
        sleeper.join();
        return woken_at - begin;
    });
    std::printf("futex_wake %.2f\n", called);
}

}  // namespace

// primitives [ping]: all, or this alone.
int main(int argc, char**) {
    if (argc > 1) {
        ping();
        return 0;
    }
    one_thread();
    compute();
    ping();
    contended_add(std::thread::hardware_concurrency());
    wake_up();
}
