// What holds of every reader-writer mutex of oneTBB that waits through libtbb's entry points.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/rw_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>

#include "sync_support.h"

namespace {

namespace d1 = tbb::detail::d1;
using namespace sync_test;
using namespace std::chrono_literals;

template <class Mutex>
struct rw_mutexes : testing::Test {
    using scoped_lock = typename Mutex::scoped_lock;
};
using rw_mutex_types = testing::Types<tbb::queuing_rw_mutex, d1::rtm_rw_mutex, tbb::rw_mutex>;
TYPED_TEST_SUITE(rw_mutexes, rw_mutex_types);

// Every kind of use, by everybody at once. Returns what went wrong, and counts the changes.
template <class Mutex>
int use(Mutex& m, twins& data, int kind, long& changes) {
    typename Mutex::scoped_lock lock;
    int wrong = 0;
    const auto change = [&] {
        data.change();
        ++changes;
    };
    switch (kind) {
    case 0:
        lock.acquire(m, true);
        change();
        break;
    case 1:
        if (lock.try_acquire(m, true)) {
            change();
            break;
        }
        return 0;
    case 2:
        if (!lock.try_acquire(m, false))
            return 0;
        break;
    case 3: {
        lock.acquire(m, false);
        const long seen = data.first;
        if (lock.upgrade_to_writer() && data.first != seen)
            ++wrong;
        if (!lock.is_writer())
            ++wrong;
        change();
        break;
    }
    case 4: {
        lock.acquire(m, true);
        change();
        const long seen = data.first;
        if (!lock.downgrade_to_reader() || data.first != seen || lock.is_writer())
            ++wrong;
        break;
    }
    default:
        lock.acquire(m, false);
    }
    if (!data.are_equal())
        ++wrong;
    lock.release();
    return wrong;
}

TYPED_TEST(rw_mutexes, exclude_in_every_use) {
    TypeParam m;
    twins data;
    std::atomic<int> wrong{0};
    std::atomic<long> changes{0};
    on_threads(6, [&](int thread) {
        long mine = 0;
        std::uint32_t random = 12345u + static_cast<std::uint32_t>(thread);
        for (const auto end = in_a_while(); std::chrono::steady_clock::now() < end;) {
            random = random * 1664525u + 1013904223u;
            wrong += use(m, data, static_cast<int>((random >> 24) % 8), mine);
        }
        changes += mine;
    });
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(data.first, changes.load());
}

TYPED_TEST(rw_mutexes, readers_share) {
    TypeParam m;
    std::atomic<int> inside{0};
    on_threads(3, [&](int) {
        typename TestFixture::scoped_lock lock(m, false);
        inside.fetch_add(1);
        wait_until([&] { return inside.load() == 3; });
    });
}

TYPED_TEST(rw_mutexes, try_acquire_tells) {
    TypeParam m;
    typename TestFixture::scoped_lock holder, other;
    ASSERT_TRUE(holder.try_acquire(m, true));
    EXPECT_TRUE(holder.is_writer());
    EXPECT_FALSE(other.try_acquire(m, true));
    EXPECT_FALSE(other.try_acquire(m, false));
    holder.release();
    ASSERT_TRUE(other.try_acquire(m, false));
    EXPECT_FALSE(other.is_writer());
    EXPECT_FALSE(holder.try_acquire(m, true));
    other.release();
    ASSERT_TRUE(other.try_acquire(m, true));
}

TYPED_TEST(rw_mutexes, upgrade_waits_for_readers_and_keeps_the_lock) {
    TypeParam m;
    typename TestFixture::scoped_lock mine(m, false);
    std::atomic<int> step{0};
    bool seen_writing = false;
    std::atomic<bool> writing{false};
    std::thread reader([&] {
        typename TestFixture::scoped_lock lock(m, false);
        step.store(1);
        std::this_thread::sleep_for(20ms);
        seen_writing = writing.load();
        lock.release();
    });
    wait_until([&] { return step.load() == 1; });
    EXPECT_TRUE(mine.upgrade_to_writer());
    writing.store(true);
    EXPECT_TRUE(mine.is_writer());
    EXPECT_TRUE(mine.upgrade_to_writer());
    reader.join();
    EXPECT_FALSE(seen_writing);
    typename TestFixture::scoped_lock other;
    EXPECT_FALSE(other.try_acquire(m, false));
}

TYPED_TEST(rw_mutexes, of_two_upgrades_one_keeps_the_lock) {
    TypeParam m;
    std::atomic<int> readers{0}, kept{0};
    on_threads(2, [&](int) {
        typename TestFixture::scoped_lock lock(m, false);
        readers.fetch_add(1);
        wait_until([&] { return readers.load() == 2; });
        kept += lock.upgrade_to_writer();
        EXPECT_TRUE(lock.is_writer());
    });
    EXPECT_EQ(kept.load(), 1);
}

TYPED_TEST(rw_mutexes, downgrade_lets_readers_in) {
    TypeParam m;
    typename TestFixture::scoped_lock mine(m, true);
    std::atomic<int> inside{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 2; ++i)
        readers.emplace_back([&] {
            typename TestFixture::scoped_lock lock(m, false);
            inside.fetch_add(1);
        });
    std::this_thread::sleep_for(10ms);
    EXPECT_EQ(inside.load(), 0);
    mine.downgrade_to_reader();
    EXPECT_FALSE(mine.is_writer());
    for (std::thread& t : readers)
        t.join();
    EXPECT_EQ(inside.load(), 2);
    EXPECT_TRUE(mine.upgrade_to_writer());
}

}  // namespace
