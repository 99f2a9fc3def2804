#pragma once
// What the tests of blocking entry points share.

#include <gtest/gtest.h>

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
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

// What the system says of a thread of this process.
struct thread_state {
    bool sleeps = false;
    std::string switches;  // voluntary ones
    explicit thread_state(pid_t thread) {
        std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
        for (std::string word; status >> word;) {
            if (word == "State:")
                sleeps = status >> word && word == "S";
            else if (word == "voluntary_ctxt_switches:")
                status >> switches;
        }
    }
};

// Until the thread, once it has said its number, sleeps without waking for 20 ms. One that spins never does, nor one
// that naps between its looks.
inline testing::AssertionResult falls_asleep(const std::atomic<pid_t>& thread) {
    wait_until([&] { return thread.load() != 0; });
    for (int look = 0; look < 1000; ++look) {
        const thread_state before(thread);
        std::this_thread::sleep_for(20ms);
        const thread_state after(thread);
        if (before.sleeps && after.sleeps && before.switches == after.switches)
            return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << "thread " << thread << " does not sleep";
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
