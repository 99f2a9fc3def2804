#pragma once
// Helpers of the black-box tests: who visited what, who was there at the same time, who met whom. Knows the public
// API only. A rendezvous that nobody joins gives up after a long while, so that a lost body is a named failure and
// not only a time-out of the whole executable.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <bough/bough.h>
#include <gtest/gtest.h>

#include "support/patience.h"
#include "support/sanitized.h"
#include "unit/blocking_bodies.h"

namespace bough_test {

// LONG=1 asks for the long version of every repeated test.
inline bool long_run() {
    const char* value = std::getenv("LONG");
    return value != nullptr && *value != '\0' && *value != '0';
}

// Threads that a loop started here may use, the caller included.
inline int allowed_threads() {
    const auto limit = bough::global_control::active_value(bough::global_control::max_allowed_parallelism);
    return static_cast<int>(
        std::min<std::size_t>(static_cast<std::size_t>(bough::this_task_arena::max_concurrency()), limit));
}

// Rounds of a repeated test: goes on until `rounds` were made or its time is used up, whichever is first. Nothing is
// asserted about time; it only keeps slow builds (sanitizers, 16 threads on 2 cores) from taking minutes.
class budget {
public:
    explicit budget(int rounds, int milliseconds = 400)
        : rounds_(long_run() ? rounds * 50 : rounds),
          end_(std::chrono::steady_clock::now() +
               std::chrono::milliseconds(milliseconds) * (long_run() ? 50 : 1)) {}

    bool next() {
        const bool more = done_ == 0 || (done_ < rounds_ && std::chrono::steady_clock::now() < end_);
        done_ += more ? 1 : 0;
        return more;
    }
    int done() const { return done_; }

private:
    int rounds_;
    int done_ = 0;
    std::chrono::steady_clock::time_point end_;
};

// A generator whose seed is printed; BOUGH_TEST_SEED repeats a run.
inline std::mt19937_64 seeded_generator() {
    const char* given = std::getenv("BOUGH_TEST_SEED");
    const std::uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    std::cout << "BOUGH_TEST_SEED=" << seed << std::endl;
    return std::mt19937_64(seed);
}

inline std::size_t uniform(std::mt19937_64& generator, std::size_t low, std::size_t high) {
    return std::uniform_int_distribution<std::size_t>(low, high)(generator);
}

// How often each index was visited.
class visits {
public:
    explicit visits(std::size_t n) : counts_(std::make_unique<std::atomic<std::uint32_t>[]>(n)), size_(n) {}

    void hit(std::size_t i) {
        if (i < size_)
            counts_[i].fetch_add(1, std::memory_order_relaxed);
        else
            outside_.fetch_add(1, std::memory_order_relaxed);
    }
    template <class Range>
    void hit_range(const Range& r) {
        for (auto i = r.begin(); i < r.end(); ++i)
            hit(static_cast<std::size_t>(i));
    }
    std::uint32_t count(std::size_t i) const { return counts_[i].load(); }
    std::uint64_t total() const {
        std::uint64_t sum = outside_.load();
        for (std::size_t i = 0; i < size_; ++i)
            sum += counts_[i].load();
        return sum;
    }
    ::testing::AssertionResult each_once() const {
        if (outside_.load() != 0)
            return ::testing::AssertionFailure()
                   << outside_.load() << " visits outside of [0, " << size_ << ")";
        for (std::size_t i = 0; i < size_; ++i)
            if (counts_[i].load() != 1)
                return ::testing::AssertionFailure()
                       << "index " << i << " of " << size_ << " visited " << counts_[i].load() << " times";
        return ::testing::AssertionSuccess();
    }
    ::testing::AssertionResult none_twice() const {
        for (std::size_t i = 0; i < size_; ++i)
            if (counts_[i].load() > 1)
                return ::testing::AssertionFailure()
                       << "index " << i << " visited " << counts_[i].load() << " times";
        return ::testing::AssertionSuccess();
    }

private:
    std::unique_ptr<std::atomic<std::uint32_t>[]> counts_;
    std::size_t size_;
    std::atomic<std::uint64_t> outside_{0};
};

// A place where n parties wait until all have come: the blocking body of the contract. How a party waits is chosen by
// the test: `spinning` yields, `sleeping` leaves the CPU.
class rendezvous {
public:
    enum how { spinning, sleeping };

    explicit rendezvous(int parties, how way = spinning) : parties_(parties), way_(way) {}
    rendezvous(const rendezvous&) = delete;
    rendezvous& operator=(const rendezvous&) = delete;

    void arrive_and_wait() {
        if (way_ == spinning)
            spin();
        else
            sleep();
    }
    int arrived() const { return arrived_.load(); }
    ::testing::AssertionResult met() const {
        if (gave_up_.load())
            return ::testing::AssertionFailure()
                   << "a body waited for " << patience().count() << " s: only " << seen_.load() << " of "
                   << parties_ << " bodies were running together";
        if (arrived_.load() != parties_)
            return ::testing::AssertionFailure() << arrived_.load() << " of " << parties_ << " bodies ran";
        return ::testing::AssertionSuccess();
    }

private:
    void give_up() {
        if (!gave_up_.exchange(true))
            seen_.store(arrived_.load());
    }
    void spin() {
        arrived_.fetch_add(1);
        const auto end = end_of_patience();
        while (arrived_.load() < parties_ && !gave_up_.load()) {
            std::this_thread::yield();
            if (std::chrono::steady_clock::now() > end)
                give_up();
        }
    }
    void sleep() {
        std::unique_lock<std::mutex> lock(mutex_);
        if (arrived_.fetch_add(1) + 1 >= parties_)
            all_.notify_all();
        const auto complete = [&] { return arrived_.load() >= parties_ || gave_up_.load(); };
        if (!all_.wait_until(lock, std::chrono::system_clock::now() + patience(), complete))
            give_up();
    }

    const int parties_;
    const how way_;
    std::atomic<int> arrived_{0};
    std::atomic<int> seen_{0};
    std::atomic<bool> gave_up_{false};
    std::mutex mutex_;
    std::condition_variable all_;
};

// Which threads came by, and how many were inside at one time.
class census {
public:
    class inside {
    public:
        explicit inside(census& c) : census_(c) { census_.enter(); }
        ~inside() { census_.now_.fetch_sub(1); }
        inside(const inside&) = delete;
        inside& operator=(const inside&) = delete;

    private:
        census& census_;
    };

    int most_at_once() const { return most_.load(); }
    int distinct_threads() const {
        std::lock_guard<std::mutex> lock(mutex_);
        return static_cast<int>(ids_.size());
    }
    bool saw(std::thread::id id) const {
        std::lock_guard<std::mutex> lock(mutex_);
        return ids_.count(id) != 0;
    }

private:
    void enter() {
        const int now = now_.fetch_add(1) + 1;
        int most = most_.load();
        while (most < now && !most_.compare_exchange_weak(most, now)) {
        }
        std::lock_guard<std::mutex> lock(mutex_);
        ids_.insert(std::this_thread::get_id());
    }

    std::atomic<int> now_{0};
    std::atomic<int> most_{0};
    mutable std::mutex mutex_;
    std::set<std::thread::id> ids_;
};

// A body long enough (tens of microseconds) that other threads come to help.
inline void work_a_little(int amount = 2000) {
    for (int i = 0; i < amount; ++i)
        std::atomic_signal_fence(std::memory_order_seq_cst);
}

// An exception that nothing else throws.
struct boom {
    std::size_t where;
};

// A body of a reduction or a scan: throws the n-th time that anything is called, and counts those that are alive.
struct failing_body {
    failing_body(std::atomic<int>& l, std::atomic<int>& a) : left(l), alive(a) { ++alive; }
    failing_body(failing_body& other, bough::split) : left(other.left), alive(other.alive) {
        tick();
        ++alive;
    }
    ~failing_body() { --alive; }
    template <class Range, class... Tag>
    void operator()(const Range&, Tag...) {
        work_a_little(300);
        tick();
    }
    void join(failing_body&) { tick(); }
    void reverse_join(failing_body&) { tick(); }
    void assign(failing_body&) { tick(); }
    void tick() {
        if (left-- == 0)
            throw boom{1};
    }
    std::atomic<int>& left;
    std::atomic<int>& alive;
};

// Calls run() in arenas of several widths.
template <class Run>
void for_widths(Run&& run) {
    for (int threads : {1, 2, 3, 8})
        bough::task_arena(threads).execute([&] { run(); });
}

// Calls test(name, partitioner) for oneTBB's four partitioners as they are.
template <class Test>
void for_each_partitioner(Test&& test) {
    const bough::auto_partitioner automatic;
    const bough::simple_partitioner simple;
    const bough::static_partitioner fixed;
    bough::affinity_partitioner affinity;
    test("auto_partitioner", automatic);
    test("simple_partitioner", simple);
    test("static_partitioner", fixed);
    test("affinity_partitioner", affinity);
}

inline const std::vector<std::size_t>& usual_sizes() {
    static const std::vector<std::size_t> sizes{0, 1, 2, 3, 7, 64, 1000, 100000};
    return sizes;
}

// The pool must be whole after whatever happened before: every allowed thread can be in a body at the same time. Where
// bodies must not wait for each other: a loop ends, and each of its bodies has run.
inline ::testing::AssertionResult pool_is_usable() {
    const int threads = allowed_threads();
    if (loop_bodies_must_not_block()) {
        std::atomic<int> ran{0};
        bough::parallel_for(0, 1000, [&](int) { ++ran; });
        return ran == 1000 ? ::testing::AssertionSuccess()
                           : ::testing::AssertionFailure() << ran << " bodies ran";
    }
    rendezvous all(threads, rendezvous::sleeping);
    bough::parallel_for(0, threads, [&](int) { all.arrive_and_wait(); });
    return all.met();
}

}  // namespace bough_test
