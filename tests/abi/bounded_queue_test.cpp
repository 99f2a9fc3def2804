// How tbb::concurrent_bounded_queue blocks, wakes and aborts.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

#include <oneapi/tbb/concurrent_queue.h>

#include "sync_support.h"

namespace {
thread_local int yields = 0;  // of this thread
}

// In place of the C library's, for the library under test as well: it counts.
extern "C" int sched_yield() noexcept {
    ++yields;
    return static_cast<int>(syscall(SYS_sched_yield));
}

namespace {

using namespace sync_test;
using namespace std::chrono_literals;

using queue = tbb::concurrent_bounded_queue<int>;

TEST(bounded_queue, try_push_respects_the_capacity) {
    queue q;
    q.set_capacity(2);
    EXPECT_EQ(q.capacity(), 2);
    EXPECT_TRUE(q.try_push(1));
    EXPECT_TRUE(q.try_push(2));
    EXPECT_FALSE(q.try_push(3));
    int got = 0;
    EXPECT_TRUE(q.try_pop(got));
    EXPECT_EQ(got, 1);
    EXPECT_TRUE(q.try_push(3));
    q.pop(got);
    q.pop(got);
    EXPECT_EQ(got, 3);
    EXPECT_FALSE(q.try_pop(got));
}

TEST(bounded_queue, full_and_empty_queues_block) {
    queue q;
    q.set_capacity(1);
    std::atomic<int> pushed{0};
    std::atomic<pid_t> producers_id{0}, consumers_id{0};
    std::thread producer([&] {
        producers_id = gettid();
        for (int i = 0; i < 3; ++i) {
            q.push(i);
            pushed.fetch_add(1);
        }
    });
    EXPECT_TRUE(falls_asleep(producers_id));
    EXPECT_EQ(pushed.load(), 1);
    for (int i = 0; i < 3; ++i) {
        int got = -1;
        q.pop(got);
        EXPECT_EQ(got, i);
    }
    producer.join();

    std::atomic<bool> popped{false};
    std::thread consumer([&] {
        consumers_id = gettid();
        int got = -1;
        q.pop(got);
        popped.store(true);
        EXPECT_EQ(got, 9);
    });
    EXPECT_TRUE(falls_asleep(consumers_id));
    EXPECT_FALSE(popped.load());
    q.push(9);
    consumer.join();
}

// Beside the threads of other programs each yield may last for a time slice, or for several.
TEST(bounded_queue, a_thread_that_waits_does_not_yield) {
    queue q;
    q.set_capacity(1);
    const auto yields_of = [](auto wait, auto end_it) {
        std::atomic<pid_t> id{0};
        int counted = -1;
        std::thread waiting([&] {
            const int before = yields;
            id = gettid();
            wait();
            counted = yields - before;
        });
        EXPECT_TRUE(falls_asleep(id));
        end_it();
        waiting.join();
        return counted;
    };
    int got = 0;
    EXPECT_EQ(yields_of([&] { q.pop(got); }, [&] { q.push(1); }), 0);
    EXPECT_EQ(got, 1);
    q.push(2);
    EXPECT_EQ(yields_of([&] { q.push(3); }, [&] { q.pop(got); }), 0);
    EXPECT_EQ(got, 2);
}

TEST(bounded_queue, many_producers_and_consumers) {
    for (const int capacity : {1, 7, 1000}) {
        queue q;
        q.set_capacity(capacity);
        constexpr int each = 2000;
        std::atomic<long> sum{0};
        std::atomic<int> out_of_order{0};
        on_threads(6, [&](int thread) {
            if (thread < 3) {
                for (int i = 0; i < each; ++i)
                    q.push(thread * each + i);
                return;
            }
            std::array<int, 3> last{-1, -1, -1};
            for (int i = 0; i < each; ++i) {
                int got = -1;
                q.pop(got);
                sum.fetch_add(got);
                int& before = last[static_cast<std::size_t>(got / each)];
                if (got <= before)
                    out_of_order.fetch_add(1);
                before = got;
            }
        });
        EXPECT_EQ(sum.load(), 3L * each * (3L * each - 1) / 2);
        EXPECT_EQ(out_of_order.load(), 0);
        EXPECT_TRUE(q.empty());
    }
}

TEST(bounded_queue, abort_ends_all_waits) {
    queue empty, full;
    full.set_capacity(1);
    full.push(1);
    std::atomic<int> aborted{0};
    std::vector<std::thread> threads;
    const auto expect_abort = [&](auto wait) {
        threads.emplace_back([&, wait] {
            EXPECT_THROW(wait(), tbb::user_abort);
            aborted.fetch_add(1);
        });
    };
    for (int i = 0; i < 3; ++i) {
        expect_abort([&] {
            int got;
            empty.pop(got);
        });
        expect_abort([&] { full.push(2); });
    }
    wait_until([&] { return empty.size() == -3 && full.size() == 4; });  // those that wait count
    EXPECT_EQ(aborted.load(), 0);
    empty.abort();
    wait_until([&] { return aborted.load() == 3; });
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(aborted.load(), 3);
    full.abort();
    for (std::thread& t : threads)
        t.join();
    EXPECT_EQ(aborted.load(), 6);

    // They can be used as before.
    int got = 0;
    empty.push(5);
    empty.pop(got);
    EXPECT_EQ(got, 5);
    full.pop(got);
    EXPECT_EQ(got, 1);
}

TEST(bounded_queue, swapped_queues_keep_their_waiters) {
    queue a, b;
    a.set_capacity(1);
    a.push(1);
    using std::swap;
    swap(a, b);
    std::thread producer([&] { b.push(2); });
    std::this_thread::sleep_for(5ms);
    a.push(3);
    int got = 0;
    b.pop(got);
    EXPECT_EQ(got, 1);
    producer.join();
    b.pop(got);
    EXPECT_EQ(got, 2);
    a.pop(got);
    EXPECT_EQ(got, 3);
}

}  // namespace
