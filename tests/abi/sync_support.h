#pragma once
// What the tests of blocking entry points share.

#include <time.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

namespace sync_test {

using namespace std::chrono_literals;

// All of them start together.
template <class Body>
void on_threads(int count, Body body) {
    std::vector<std::thread> threads;
    std::atomic<int> started{0};
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&, i] {
            started.fetch_add(1);
            while (started.load() < count)
                std::this_thread::yield();
            body(i);
        });
    for (std::thread& t : threads)
        t.join();
}

template <class Condition>
void wait_until(Condition condition) {
    while (!condition())
        std::this_thread::yield();
}

// Several time slices away, so that threads are interrupted anywhere, on few CPUs too.
inline std::chrono::steady_clock::time_point in_a_while() {
    return std::chrono::steady_clock::now() + 80ms;
}

inline std::uint64_t cpu_time_ns() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(t.tv_nsec);
}

// Two words that only a writer changes, both at once; what a reader sees must be equal.
struct twins {
    long first = 0;
    long second = 0;
    void change() {
        const long seen = first;
        first = seen + 1;
        second = seen + 1;
    }
    bool are_equal() const { return first == second; }
};

}  // namespace sync_test
