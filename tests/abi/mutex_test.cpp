// Mutexes that sleep (tbb::mutex, tbb::rw_mutex) or may speculate (tbb::speculative_spin_mutex).

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>

#include "sync_support.h"

namespace {

namespace d1 = tbb::detail::d1;
using namespace sync_test;
using namespace std::chrono_literals;

template <class Mutex>
void expect_exclusion() {
    Mutex m;
    twins data;
    std::atomic<int> wrong{0};
    std::atomic<long> taken{0};
    on_threads(6, [&](int thread) {
        int i = 0;
        for (const auto end = in_a_while(); std::chrono::steady_clock::now() < end; ++i) {
            typename Mutex::scoped_lock lock;
            if ((i + thread) % 4 != 0)
                lock.acquire(m);
            else if (!lock.try_acquire(m))
                continue;
            if (!data.are_equal())
                wrong.fetch_add(1);
            data.change();
            taken.fetch_add(1, std::memory_order_relaxed);
        }
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(data.first, taken.load());
}

TEST(mutex, excludes) {
    expect_exclusion<tbb::mutex>();
}

TEST(speculative_spin_mutex, excludes) {
    expect_exclusion<d1::rtm_mutex>();
    expect_exclusion<tbb::speculative_spin_mutex>();
}

TEST(speculative_spin_mutex, try_acquire_tells) {
    d1::rtm_mutex m;
    d1::rtm_mutex::scoped_lock a, b;
    ASSERT_TRUE(a.try_acquire(m));
    EXPECT_FALSE(b.try_acquire(m));
    a.release();
    EXPECT_TRUE(b.try_acquire(m));
}

template <class Mutex>
void expect_sleep(bool write) {
    Mutex m;
    typename Mutex::scoped_lock mine(m);
    std::atomic<pid_t> id{0};
    std::thread waiter([&] {
        id = gettid();
        typename Mutex::scoped_lock lock;
        if constexpr (Mutex::is_rw_mutex)
            lock.acquire(m, write);
        else
            lock.acquire(m);
    });
    EXPECT_TRUE(falls_asleep(id));
    mine.release();
    waiter.join();
}

TEST(mutex, waiters_sleep) {
    expect_sleep<tbb::mutex>(true);
    expect_sleep<tbb::rw_mutex>(true);
    expect_sleep<tbb::rw_mutex>(false);
}

// Holders that sleep drive everybody else into the list.
TEST(mutex, sleepers_are_woken) {
    tbb::mutex m;
    tbb::rw_mutex rw;
    on_threads(6, [&](int thread) {
        for (int i = 0; i < 10; ++i) {
            {
                const tbb::mutex::scoped_lock lock(m);
                std::this_thread::sleep_for(200us);
            }
            tbb::rw_mutex::scoped_lock lock(rw, (i + thread) % 3 == 0);
            std::this_thread::sleep_for(200us);
            if ((i + thread) % 3 == 1)
                lock.upgrade_to_writer();
            else if ((i + thread) % 3 == 0)
                lock.downgrade_to_reader();
        }
    });
}

}  // namespace
