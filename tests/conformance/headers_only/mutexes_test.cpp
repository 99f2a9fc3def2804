// Every mutex of oneTBB under contention: exclusion, sharing, the forms of scoped_lock, upgrade and downgrade, and use
// through the standard's locks. Where the compiler knows transactions, the speculative ones enter the runtime.

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/null_mutex.h>
#include <oneapi/tbb/null_rw_mutex.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::gate;
using headers_only::sum_below;

template <class F>
void on_another_thread(F&& f) {
    std::thread(std::forward<F>(f)).join();
}

template <class Mutex>
class every_mutex : public testing::Test {};
using mutexes =
    testing::Types<tbb::spin_mutex, tbb::mutex, tbb::queuing_mutex, tbb::speculative_spin_mutex,
                   tbb::spin_rw_mutex, tbb::rw_mutex, tbb::queuing_rw_mutex, tbb::speculative_spin_rw_mutex>;
TYPED_TEST_SUITE(every_mutex, mutexes);

// Now and then others may run between the read and the write, also on one CPU: without a lock, additions get lost.
void add_slowly(int& counter, int value, int turn) {
    const int seen = counter;
    if (turn % 16 == 0)
        std::this_thread::yield();
    counter = seen + value;
}

TYPED_TEST(every_mutex, excludes) {
    TypeParam mutex;
    int counter = 0;
    tbb::parallel_for(0, 2000, [&](int i) {
        typename TypeParam::scoped_lock lock(mutex);
        add_slowly(counter, i, i);
    });
    EXPECT_EQ(counter, sum_below(2000));
}

TYPED_TEST(every_mutex, excludes_threads_of_the_application) {
    TypeParam mutex;
    int counter = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                typename TypeParam::scoped_lock lock;
                lock.acquire(mutex);
                add_slowly(counter, 1, i);
                lock.release();
            }
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(counter, 2000);
}

TYPED_TEST(every_mutex, try_acquire) {
    TypeParam mutex;
    typename TypeParam::scoped_lock lock;
    EXPECT_TRUE(lock.try_acquire(mutex));
    on_another_thread([&] {
        typename TypeParam::scoped_lock other;
        EXPECT_FALSE(other.try_acquire(mutex));
    });
    lock.release();
    on_another_thread([&] {
        typename TypeParam::scoped_lock other;
        EXPECT_TRUE(other.try_acquire(mutex));
    });
    EXPECT_TRUE(lock.try_acquire(mutex));
}

TYPED_TEST(every_mutex, try_acquire_excludes) {
    TypeParam mutex;
    int counter = 0;
    std::atomic<int> successes{0};
    tbb::parallel_for(0, 2000, [&](int i) {
        typename TypeParam::scoped_lock lock;
        if (lock.try_acquire(mutex)) {
            add_slowly(counter, 1, i);
            lock.release();
            ++successes;
        }
    });
    EXPECT_EQ(counter, successes);
    EXPECT_GT(counter, 0) << "the first that tries finds it free";
}

// The others ask while the lock is held, long enough for some of them to fall asleep; all of them get it.
TYPED_TEST(every_mutex, wakes_who_waits) {
    TypeParam mutex;
    int counter = 0;
    std::atomic<int> asking{0};
    std::vector<std::thread> threads;
    {
        typename TypeParam::scoped_lock lock(mutex);
        for (int t = 0; t < 4; ++t)
            threads.emplace_back([&] {
                ++asking;
                typename TypeParam::scoped_lock mine(mutex);
                ++counter;
            });
        while (asking < 4)
            std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        EXPECT_EQ(counter, 0);
    }
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(counter, 4);
}

TYPED_TEST(every_mutex, traits) {
    static_assert(!TypeParam::is_recursive_mutex);
    constexpr bool queues =
        std::is_same_v<TypeParam, tbb::queuing_mutex> || std::is_same_v<TypeParam, tbb::queuing_rw_mutex>;
    static_assert(TypeParam::is_fair_mutex == queues);
    static_assert(!std::is_copy_constructible_v<TypeParam>);
    static_assert(!std::is_copy_constructible_v<typename TypeParam::scoped_lock>);
}

template <class Mutex>
class rw_mutexes : public testing::Test {};
using rw_list =
    testing::Types<tbb::spin_rw_mutex, tbb::rw_mutex, tbb::queuing_rw_mutex, tbb::speculative_spin_rw_mutex>;
TYPED_TEST_SUITE(rw_mutexes, rw_list);

// The main thread reads until the other one reads as well.
TYPED_TEST(rw_mutexes, readers_share) {
    static_assert(TypeParam::is_rw_mutex);
    TypeParam mutex;
    gate both_read;
    typename TypeParam::scoped_lock lock(mutex, false);
    EXPECT_FALSE(lock.is_writer());
    std::thread reader([&] {
        typename TypeParam::scoped_lock other;
        other.acquire(mutex, false);
        both_read.open();
    });
    both_read.wait();
    reader.join();
}

TYPED_TEST(rw_mutexes, a_writer_is_alone) {
    TypeParam mutex;
    typename TypeParam::scoped_lock lock(mutex, true);
    EXPECT_TRUE(lock.is_writer());
    on_another_thread([&] {
        typename TypeParam::scoped_lock other;
        EXPECT_FALSE(other.try_acquire(mutex, false));
        EXPECT_FALSE(other.try_acquire(mutex, true));
    });
    lock.release();
    lock.acquire(mutex, false);
    on_another_thread([&] {
        typename TypeParam::scoped_lock other;
        EXPECT_FALSE(other.try_acquire(mutex, true));
    });
}

TYPED_TEST(rw_mutexes, readers_never_see_half_a_write) {
    TypeParam mutex;
    int first = 0;
    int second = 0;
    std::atomic<int> torn{0};
    tbb::parallel_for(0, 4000, [&](int i) {
        typename TypeParam::scoped_lock lock(mutex, i % 8 == 0);
        if (i % 8 == 0) {
            ++first;
            std::this_thread::yield();
            ++second;
        } else {
            torn += first == second ? 0 : 1;
        }
    });
    EXPECT_EQ(torn, 0);
    EXPECT_EQ(first, 500);
}

TYPED_TEST(rw_mutexes, upgrade) {
    TypeParam mutex;
    int counter = 0;
    int disturbed = 0;
    tbb::parallel_for(0, 2000, [&](int i) {
        typename TypeParam::scoped_lock lock(mutex, false);
        const int seen = counter;
        if (i % 16 == 0)
            std::this_thread::yield();
        const bool at_once = lock.upgrade_to_writer();
        EXPECT_TRUE(lock.is_writer());
        if (at_once)
            disturbed += seen == counter ? 0 : 1;
        add_slowly(counter, 1, i);
    });
    EXPECT_EQ(counter, 2000);
    EXPECT_EQ(disturbed, 0) << "an upgrade that says true let nobody write between";
}

TYPED_TEST(rw_mutexes, upgrade_without_rivals_is_at_once) {
    TypeParam mutex;
    typename TypeParam::scoped_lock lock(mutex, false);
    EXPECT_TRUE(lock.upgrade_to_writer());
    EXPECT_TRUE(lock.is_writer());
    on_another_thread([&] {
        typename TypeParam::scoped_lock other;
        EXPECT_FALSE(other.try_acquire(mutex, false));
    });
}

TYPED_TEST(rw_mutexes, downgrade_lets_readers_in) {
    TypeParam mutex;
    gate other_reads;
    int value = 0;
    typename TypeParam::scoped_lock lock(mutex, true);
    std::thread reader([&] {
        typename TypeParam::scoped_lock other(mutex, false);
        EXPECT_EQ(value, 1);
        other_reads.open();
    });
    value = 1;
    EXPECT_TRUE(lock.downgrade_to_reader());
    EXPECT_FALSE(lock.is_writer());
    other_reads.wait();
    reader.join();
}

TYPED_TEST(rw_mutexes, up_and_down_under_contention) {
    TypeParam mutex;
    int counter = 0;
    std::atomic<int> lost{0};
    tbb::parallel_for(0, 1000, [&](int i) {
        typename TypeParam::scoped_lock lock(mutex, i % 2 == 0);
        if (i % 2 != 0)
            lock.upgrade_to_writer();
        add_slowly(counter, 1, i);
        const int mine = counter;
        if (lock.downgrade_to_reader())
            lost += mine == counter ? 0 : 1;
    });
    EXPECT_EQ(counter, 1000);
    EXPECT_EQ(lost, 0) << "nobody writes while a downgraded lock is read";
}

template <class Mutex>
class standard_locks : public testing::Test {};
using lockable = testing::Types<tbb::spin_mutex, tbb::mutex, tbb::spin_rw_mutex, tbb::rw_mutex>;
TYPED_TEST_SUITE(standard_locks, lockable);

TYPED_TEST(standard_locks, work_on_it) {
    TypeParam a;
    TypeParam b;
    int counter = 0;
    tbb::parallel_for(0, 1000, [&](int i) {
        if (i % 2 == 0) {
            std::scoped_lock lock(a, b);
            ++counter;
        } else {
            std::unique_lock first(b, std::defer_lock);
            std::unique_lock second(a, std::defer_lock);
            std::lock(first, second);
            ++counter;
        }
    });
    EXPECT_EQ(counter, 1000);
    std::lock_guard guard(a);
    on_another_thread([&] {
        std::unique_lock lock(a, std::try_to_lock);
        EXPECT_FALSE(lock.owns_lock());
        EXPECT_TRUE(b.try_lock());
        b.unlock();
    });
}

template <class Mutex>
void expect_std_shared_lock() {
    Mutex mutex;
    gate both_read;
    std::shared_lock lock(mutex);
    std::thread reader([&] {
        EXPECT_TRUE(mutex.try_lock_shared());
        EXPECT_FALSE(mutex.try_lock());
        both_read.open();
        mutex.unlock_shared();
    });
    both_read.wait();
    reader.join();
    lock.unlock();
    EXPECT_TRUE(mutex.try_lock());
    EXPECT_FALSE(mutex.try_lock_shared());
    mutex.unlock();
}

TEST(standard_locks, shared_lock) {
    expect_std_shared_lock<tbb::spin_rw_mutex>();
    expect_std_shared_lock<tbb::rw_mutex>();
}

TEST(null_mutexes, always_succeed) {
    tbb::null_mutex none;
    tbb::null_mutex::scoped_lock a(none);
    tbb::null_mutex::scoped_lock b;
    EXPECT_TRUE(b.try_acquire(none));
    b.release();
    EXPECT_TRUE(none.try_lock());
    tbb::null_rw_mutex none_rw;
    tbb::null_rw_mutex::scoped_lock w(none_rw, true);
    tbb::null_rw_mutex::scoped_lock r(none_rw, false);
    EXPECT_TRUE(r.upgrade_to_writer());
    EXPECT_TRUE(r.downgrade_to_reader());
    EXPECT_TRUE(none_rw.try_lock());
    EXPECT_TRUE(none_rw.try_lock_shared());
    static_assert(tbb::null_mutex::is_recursive_mutex && tbb::null_rw_mutex::is_rw_mutex);
}

}  // namespace
