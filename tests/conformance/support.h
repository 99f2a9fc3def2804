// What the conformance tests share. They are written against oneTBB's public interface only, so that the same sources
// run on oneTBB and on bough. Nothing here may rely on timing, nor on a worker thread that oneTBB does not promise.
#pragma once

#include <gtest/gtest.h>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <typeinfo>
#include <vector>

namespace conformance {

// Calls f under a limit of `threads`, in an arena with that many slots.
template <typename F>
void with_width(int threads, const F& f) {
    SCOPED_TRACE("threads: " + std::to_string(threads));
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                              static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    arena.execute([&] { f(); });
}

// Calls f as the machine is, then with 1, 2 and 8 threads.
template <typename F>
void for_widths(const F& f) {
    {
        SCOPED_TRACE("threads: default");
        f();
    }
    for (int threads : {1, 2, 8})
        with_width(threads, f);
}

// Waits for a condition that another thread is bound to make true.
template <typename Condition>
void spin_until(const Condition& condition) {
    while (!condition())
        std::this_thread::yield();
}

inline void run_threads(int count, const std::function<void(int)>& f) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&f, i] { f(i); });
    for (std::thread& t : threads)
        t.join();
}

// Thrown by the tests: the type has to survive, and the number says which throw arrived.
struct test_error : std::runtime_error {
    explicit test_error(int n) : std::runtime_error("test"), number(n) {}
    int number;
};

// Calls f, which has to throw a test_error, and returns its number.
template <typename F>
int number_thrown_by(const F& f) {
    try {
        f();
    } catch (const test_error& e) {
        EXPECT_TRUE(typeid(e) == typeid(test_error));
        return e.number;
    }
    ADD_FAILURE() << "no exception";
    return -1;
}

// Calls f once with each set of trailing arguments that parallel_for and parallel_reduce take. f may leave its context
// cancelled.
template <typename F>
void for_each_loop_tail(const F& f) {
    tbb::affinity_partitioner affinities[2];
    tbb::task_group_context contexts[5];
    f();
    f(tbb::simple_partitioner());
    f(tbb::auto_partitioner());
    f(tbb::static_partitioner());
    f(affinities[0]);
    f(contexts[0]);
    f(tbb::simple_partitioner(), contexts[1]);
    f(tbb::auto_partitioner(), contexts[2]);
    f(tbb::static_partitioner(), contexts[3]);
    f(affinities[1], contexts[4]);
}

// How many threads are inside at once, and the most there ever were.
class occupancy {
public:
    void enter() {
        const int now = ++inside_;
        int seen = most_.load();
        while (seen < now && !most_.compare_exchange_weak(seen, now)) {
        }
    }
    void leave() { --inside_; }
    int most() const { return most_; }

private:
    std::atomic<int> inside_{0};
    std::atomic<int> most_{0};
};

// Which indices were visited how often.
class visits {
public:
    explicit visits(std::size_t size) : counts_(new std::atomic<int>[size]), size_(size) { clear(); }
    void add(std::size_t i) {
        ASSERT_LT(i, size_);
        ++counts_[i];
    }
    bool each_once() const { return between(1, 1); }
    bool none() const { return between(0, 0); }
    bool at_most_once() const { return between(0, 1); }
    void clear() {
        for (std::size_t i = 0; i < size_; ++i)
            counts_[i] = 0;
    }

private:
    bool between(int low, int high) const {
        for (std::size_t i = 0; i < size_; ++i) {
            if (counts_[i] < low || counts_[i] > high)
                return false;
        }
        return true;
    }

    std::unique_ptr<std::atomic<int>[]> counts_;
    std::size_t size_;
};

}  // namespace conformance
