// What oneTBB's newest does not pass and bough does: progress and memory where oneTBB has neither. For our engines
// only. Memory is the resident size of the process, from /proc.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <fstream>

#include "support/no_huge_pages.h"

using namespace conformance;

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool memory_is_ours = false;  // sanitizers keep what is freed
#else
constexpr bool memory_is_ours = true;
#endif

long resident_kib() {
    long size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Binds the calling thread, and those that it starts, to one CPU.
class one_cpu {
public:
    one_cpu() {
        EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++i) {
            if (CPU_ISSET(i, &before_))
                CPU_SET(i, &one);
        }
        EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    }
    ~one_cpu() { sched_setaffinity(0, sizeof before_, &before_); }

private:
    cpu_set_t before_;
};

// Runs f in a thread of its own; false if it has not come back after the time. A thread that hangs is left behind, so
// f may refer to nothing that dies.
template <typename F>
bool returns_within(std::chrono::seconds limit, F f) {
    const auto done = std::make_shared<std::atomic<bool>>(false);
    std::thread([f, done] {
        f();
        *done = true;
    }).detach();
    const auto end = std::chrono::steady_clock::now() + limit;
    while (!*done && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return *done;
}

// A call of execute() that comes back to an arena by way of another one, in which no other slot is free and the worker
// for what is enqueued is busy.
TEST(better, waits_in_an_execute_that_came_back_take_what_is_enqueued) {
    ASSERT_TRUE(returns_within(std::chrono::seconds(100), [] {
        tbb::task_arena outer(1), inner(1);
        std::atomic<bool> begun{false}, released{false}, ended{false};
        outer.enqueue([&] {
            begun = true;
            spin_until([&] { return released.load(); });
            ended = true;
        });
        spin_until([&] { return begun.load(); });
        const auto enqueue_and_wait = [&] {
            tbb::task_group group;
            outer.enqueue(group.defer([] {}));
            group.wait();
        };
        outer.execute([&] { inner.execute([&] { outer.execute(enqueue_and_wait); }); });
        released = true;
        spin_until([&] { return ended.load(); });
    }));
}

// One thread runs tasks and goes on with other things; another waits for them, and so does their work.
void run_here_wait_there() {
    const auto group = std::make_shared<tbb::task_group>();
    const auto count = std::make_shared<std::atomic<int>>(0);
    const auto waited = std::make_shared<std::atomic<bool>>(false);
    std::thread waiter([=] {
        spin_until([=] { return *count == -1; });
        EXPECT_EQ(group->wait(), tbb::complete);
        *waited = true;
    });
    std::atomic<int> ran{0};
    for (int i = 0; i < 10; ++i)
        group->run([&ran] { ++ran; });
    *count = -1;
    spin_until([=] { return waited->load(); });
    EXPECT_EQ(ran, 10);
    waiter.join();
}

TEST(better, run_in_one_thread_wait_in_another) {
    const one_cpu bound;
    ASSERT_TRUE(returns_within(std::chrono::seconds(100), [] {
        for (int round = 0; round < 20; ++round)
            run_here_wait_there();
    }));
}

// The waiter sleeps before the limit falls to one thread; then another thread runs a task and does not wait for it.
TEST(better, a_limit_that_falls_to_one_over_a_sleeping_waiter) {
    ASSERT_TRUE(returns_within(std::chrono::seconds(20), [] {
        tbb::task_group group;
        tbb::task_handle last = group.defer([] {});
        std::atomic<bool> stop{false};
        std::thread other([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
            tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
            group.run(std::move(last));
            spin_until([&] { return stop.load(); });
        });
        group.wait();
        stop = true;
        other.join();
    }));
}

// The same where the waiter sleeps over suspended tasks.
TEST(better, one_thread_allowed_and_a_waiter_over_suspended_tasks) {
    ASSERT_TRUE(returns_within(std::chrono::seconds(20), [] {
        tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
        tbb::task_group group;
        std::atomic<tbb::task::suspend_point> points[2]{};
        for (auto& point : points)
            group.run([&point] { tbb::task::suspend([&](tbb::task::suspend_point p) { point = p; }); });
        tbb::task_handle last = group.defer([] {});
        std::atomic<bool> stop{false};
        std::thread other([&] {
            spin_until([&] { return points[0].load() && points[1].load(); });
            tbb::task::resume(points[1]);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            tbb::task::resume(points[0]);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            group.run(std::move(last));
            spin_until([&] { return stop.load(); });
        });
        group.wait();
        stop = true;
        other.join();
    }));
}

TEST(better, static_partitioner_with_one_thread_allowed) {
    std::atomic<int> of_a_machines{0};  // a program that has used all threads before, and may use one now
    tbb::parallel_for(0, 100, [&](int) { ++of_a_machines; });
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    long pieces = 0;
    const auto loops = [&](int number) {
        for (int i = 0; i < number; ++i) {
            tbb::parallel_for(
                tbb::blocked_range<int>(0, 1000), [&](const tbb::blocked_range<int>&) { ++pieces; },
                tbb::static_partitioner());
        }
    };
    loops(1000);
    const long before = resident_kib();
    pieces = 0;
    loops(300000);
    // oneTBB's headers cut by the slots, of which a limit takes none; ours by the threads that may come.
    const int each = CONFORMANCE_OWN_HEADERS ? 1 : tbb::this_task_arena::max_concurrency();
    EXPECT_EQ(pieces, 300000 * each) << "one thread, so one piece for each loop";
    EXPECT_TRUE(!memory_is_ours || resident_kib() - before <= 1024) << resident_kib() - before << " KiB more";
}

TEST(better, arenas_that_come_and_go) {
    const auto arenas = [](int number) {
        for (int i = 0; i < number; ++i) {
            tbb::task_arena arena(2);
            int count = 0;
            arena.execute([&] { ++count; });
            ASSERT_EQ(count, 1);
        }
    };
    arenas(1000);
    const long before = resident_kib();
    const auto start = std::chrono::steady_clock::now();
    arenas(20000);
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - start;
    std::printf("an arena made, used and destroyed: %.2f us\n", time.count() / 20000);
    EXPECT_TRUE(!memory_is_ours || resident_kib() - before <= 2048) << resident_kib() - before << " KiB more";
}

TEST(better, finalize_is_refused_inside_execute) {
    tbb::task_arena arena(2);
    arena.execute([] {
        tbb::task_scheduler_handle handle{tbb::attach{}};
        EXPECT_FALSE(tbb::finalize(handle, std::nothrow));
    });
    std::atomic<int> count{0};
    arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); });
    EXPECT_EQ(count, 100);
}

// oneTBB's only worker may sleep in the first arena, beside the suspended task, and leave the second alone.
TEST(better, resumed_by_a_task_of_another_arena) {
    ASSERT_TRUE(returns_within(std::chrono::seconds(100), [] {
        tbb::task_arena arena(2);
        for (int round = 0; round < 300; ++round) {
            tbb::task_group group;
            group.run([&] {
                tbb::task::suspend(
                    [&](tbb::task::suspend_point p) { arena.enqueue([p] { tbb::task::resume(p); }); });
            });
            EXPECT_EQ(group.wait(), tbb::complete);
        }
    }));
}

// Contexts are made and bound while the one above them is cancelled. oneTBB was seen to hang here, once in some hundred
// runs of its tests.
TEST(better, cancellation_reaches_every_context) {
    ASSERT_TRUE(returns_within(std::chrono::seconds(100), [] {
        tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
        tbb::task_arena arena(8);
        for (int round = 0; round < 200; ++round) {
            tbb::task_group_context top;
            const auto cancel_and_wait = [&](int) {
                top.cancel_group_execution();
                spin_until([] { return tbb::is_current_task_group_canceling(); });
            };
            const auto nested = [&](int) {
                tbb::task_group_context middle;
                tbb::parallel_for(0, 4, [&](int) { tbb::parallel_for(0, 4, cancel_and_wait); }, middle);
            };
            arena.execute([&] { tbb::parallel_for(0, 4, nested, top); });
        }
    }));
}

// An item of a pipeline that is too large to be passed in a pointer, and counts.
struct item {
    explicit item(std::atomic<int>& a) : alive(&a) { ++*alive; }
    item(const item& other) : alive(other.alive) { ++*alive; }
    ~item() { --*alive; }
    std::atomic<int>* alive;
    long padding[8] = {};
};

TEST(better, a_pipeline_that_throws_destroys_its_items) {
    using tbb::filter_mode;
    for_widths([] {
        for (int round = 0; round < 50; ++round) {
            std::atomic<int> alive{0}, next{0}, passed{0};
            const auto source = [&](tbb::flow_control& control) {
                if (next++ >= 100)
                    control.stop();
                return item(alive);
            };
            const auto fail = [&](const item& i) {
                if (++passed == 50)
                    throw test_error(50);
                return i;
            };
            const auto chain = tbb::make_filter<void, item>(filter_mode::serial_in_order, source) &
                               tbb::make_filter<item, item>(filter_mode::parallel, fail) &
                               tbb::make_filter<item, void>(filter_mode::serial_in_order, [](const item&) {});
            EXPECT_EQ(number_thrown_by([&] { tbb::parallel_pipeline(8, chain); }), 50);
            ASSERT_EQ(alive, 0);
        }
    });
}

#if CONFORMANCE_OWN_HEADERS
// oneTBB's headers finalize the task a second time when a join throws.
TEST(better, a_join_may_throw) {
    struct body {
        body() = default;
        body(body&, tbb::split) {}
        void operator()(const tbb::blocked_range<int>&) {}
        void join(body&) { throw test_error(3); }
    };
    const auto same = [](const tbb::blocked_range<int>&, int x) { return x; };
    const auto fail = [](int, int) -> int { throw test_error(4); };
    for_widths([&] {
        const tbb::blocked_range<int> range(0, 1000);
        for (int round = 0; round < 20; ++round) {
            body b;
            EXPECT_EQ(number_thrown_by([&] { tbb::parallel_deterministic_reduce(range, b); }), 3);
            EXPECT_EQ(number_thrown_by([&] { tbb::parallel_deterministic_reduce(range, 0, same, fail); }), 4);
        }
    });
}
#endif

}  // namespace
