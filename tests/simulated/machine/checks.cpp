// What machine_test.py looks at, printed by a program on the virtual machine.
//   machine_checks computes CORE: the nanoseconds that a loop takes on that core
//   machine_checks reads: the nanoseconds that a load of a line takes which another core has written; and the same if
//     the line was prefetched long before, and just before
//   machine_checks ends: what is printed at the end of the main thread

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

bool tell = false;

// A thread_local object that a static constructor touches: its destructor runs when main() has returned.
struct last_words {
    int value = 0;
    ~last_words() {
        if (tell)
            std::puts("a thread_local object of a static constructor ended");
    }
};
thread_local last_words early;

struct toucher {
    toucher() { early.value = 1; }
};
const toucher touches;

int compute(const char* core) {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    CPU_SET(static_cast<unsigned>(std::atoi(core)), &mask);
    if (pthread_setaffinity_np(pthread_self(), sizeof mask, &mask) != 0)
        return 1;
    using clock = std::chrono::steady_clock;
    const clock::time_point begin = clock::now();
    for (unsigned i = 0; i < 100'000; ++i)
        asm volatile("" : "+r"(i));
    std::printf("%lld\n", static_cast<long long>((clock::now() - begin) / std::chrono::nanoseconds(1)));
    return 0;
}

void compute_for_long() {
    for (unsigned i = 0; i < 10'000; ++i)
        asm volatile("" : "+r"(i));
}

// The loads of lines that another thread has written, on average: far from each other, so that none overlaps.
template <class Before>
double load_ns(const Before& before) {
    constexpr unsigned lines = 16;
    struct alignas(128) line {
        std::atomic<int> value{0};
    };
    std::vector<line> all(lines);
    std::thread([&] {
        for (line& l : all)
            l.value.store(1);
    }).join();
    using clock = std::chrono::steady_clock;
    clock::duration loads{};
    for (line& l : all) {
        compute_for_long();
        before(&l);
        const clock::time_point begin = clock::now();
        if (l.value.load() != 1)
            std::exit(1);
        loads += clock::now() - begin;
    }
    return std::chrono::duration<double, std::nano>(loads).count() / lines;
}

int read() {
    std::printf("%.1f %.1f %.1f\n", load_ns([](const void*) {}), load_ns([](const void* line) {
                    __builtin_prefetch(line);
                    compute_for_long();
                }),
                load_ns([](const void* line) { __builtin_prefetch(line); }));
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    if (count == 3 && std::strcmp(arguments[1], "computes") == 0)
        return compute(arguments[2]);
    if (count == 2 && std::strcmp(arguments[1], "reads") == 0)
        return read();
    if (count == 2 && std::strcmp(arguments[1], "ends") == 0) {
        tell = true;
        std::puts("main() returns");
        return 0;
    }
    std::fprintf(stderr, "machine_checks computes CORE | reads | ends\n");
    return 2;
}
