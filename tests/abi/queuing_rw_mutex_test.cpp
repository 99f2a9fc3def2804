// The order in which tbb::queuing_rw_mutex serves; what it shares with the others is in rw_mutex_test.cpp.

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <oneapi/tbb/queuing_rw_mutex.h>

#include "sync_support.h"

namespace {

using namespace sync_test;
using namespace std::chrono_literals;

using queuing_lock = tbb::queuing_rw_mutex::scoped_lock;

// The mutex is the tail of its queue and nothing else, in both libraries.
bool is_last(const tbb::queuing_rw_mutex& m, const queuing_lock& l) {
    const auto tail = reinterpret_cast<const std::atomic<std::uintptr_t>*>(&m)->load();
    return (tail & ~std::uintptr_t{7}) == reinterpret_cast<std::uintptr_t>(&l);
}

struct queuing_rw_mutex : testing::Test {
    tbb::queuing_rw_mutex m;
    std::array<queuing_lock, 5> locks;
    std::vector<std::thread> threads;
    std::atomic<int> entered{0};

    // A thread that takes lock i, calls then(), and lets go; returns when it stands in the queue.
    template <class Then>
    void queue_up(std::size_t i, bool write, Then then) {
        threads.emplace_back([this, i, write, then] {
            locks[i].acquire(m, write);
            then();
            locks[i].release();
        });
        wait_until([&] { return is_last(m, locks[i]); });
    }
    void join() {
        for (std::thread& t : threads)
            t.join();
    }
    void TearDown() override {
        queuing_lock last;
        EXPECT_TRUE(last.try_acquire(m, true));  // nobody has been forgotten
    }
};

TEST_F(queuing_rw_mutex, serves_in_order) {
    queuing_lock mine(m, true);
    std::vector<int> order;
    for (std::size_t i = 0; i < locks.size(); ++i)
        queue_up(i, true, [&order, i] { order.push_back(static_cast<int>(i)); });
    mine.release();
    join();
    EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST_F(queuing_rw_mutex, a_reader_does_not_pass_a_waiting_writer) {
    queuing_lock mine(m, false);
    std::atomic<int> turn{0};
    int of_writer = 0, of_reader = 0;
    queue_up(0, true, [&] { of_writer = ++turn; });
    queue_up(1, false, [&] { of_reader = ++turn; });
    EXPECT_EQ(turn.load(), 0);
    mine.release();
    join();
    EXPECT_EQ(of_writer, 1);
    EXPECT_EQ(of_reader, 2);
}

TEST_F(queuing_rw_mutex, waiting_readers_are_let_in_together) {
    queuing_lock mine(m, true);
    for (std::size_t i = 0; i < 4; ++i)
        queue_up(i, false, [this] {
            entered.fetch_add(1);
            wait_until([this] { return entered.load() == 4; });
        });
    queue_up(4, true, [this] { EXPECT_EQ(entered.load(), 4); });
    mine.release();
    join();
}

TEST_F(queuing_rw_mutex, downgrade_stops_at_the_next_writer) {
    queuing_lock mine(m, true);
    queue_up(0, false, [this] { entered.fetch_add(1); });
    queue_up(1, true, [this] { EXPECT_EQ(entered.fetch_add(1), 1); });
    queue_up(2, false, [this] { EXPECT_EQ(entered.fetch_add(1), 2); });
    mine.downgrade_to_reader();
    threads[0].join();
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(entered.load(), 1);
    mine.release();
    threads[1].join();
    threads[2].join();
}

TEST_F(queuing_rw_mutex, readers_leave_in_any_order) {
    const std::array<std::array<std::size_t, 3>, 6> orders{
        {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}};
    for (const auto& order : orders) {
        for (std::size_t i = 0; i < 3; ++i)
            locks[i].acquire(m, false);
        queue_up(3, true, [this] { entered.fetch_add(1); });
        for (const std::size_t i : order) {
            EXPECT_EQ(entered.load(), 0);
            locks[i].release();
        }
        join();
        threads.clear();
        EXPECT_EQ(entered.exchange(0), 1);
    }
}

// Three readers, one of them upgrades while a reader and a writer queue up behind; the others leave in either order.
TEST_F(queuing_rw_mutex, upgrades_among_readers) {
    for (const std::size_t upgrading : {0u, 1u, 2u})
        for (const bool backwards : {false, true}) {
            for (std::size_t i = 0; i < 3; ++i)
                locks[i].acquire(m, false);
            std::atomic<bool> started{false}, done{false};
            threads.emplace_back([&] {
                started.store(true);
                EXPECT_TRUE(locks[upgrading].upgrade_to_writer());
                done.store(true);
                EXPECT_EQ(entered.load(), 0);
                locks[upgrading].release();
            });
            wait_until([&] { return started.load(); });
            std::this_thread::sleep_for(2ms);
            queue_up(3, true, [this] { EXPECT_EQ(entered.fetch_add(1), 0); });
            queue_up(4, false, [this] { EXPECT_EQ(entered.fetch_add(1), 1); });
            std::vector<std::size_t> others;
            for (std::size_t i = 0; i < 3; ++i)
                if (i != upgrading)
                    others.insert(backwards ? others.begin() : others.end(), i);
            for (const std::size_t i : others) {
                EXPECT_FALSE(done.load());
                locks[i].release();
            }
            join();
            threads.clear();
            EXPECT_EQ(entered.exchange(0), 2);
        }
}

}  // namespace
