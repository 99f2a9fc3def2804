// Enqueued tasks, isolation, observers, priorities, resumable tasks: what arenas offer beyond execute.

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "bough/detail/dispatch.h"
#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

namespace {

using bough::task_arena;

void spin_until(const std::atomic<int>& value, int wanted) {
    while (value.load() < wanted)
        std::this_thread::yield();
}

// ---- enqueue ----

TEST(api_enqueue, every_task_runs_once_also_when_nobody_waits) {
    for (const int slots : {1, 2, 4}) {
        task_arena arena(slots);
        std::atomic<int> ran{0};
        for (int i = 0; i < 200; ++i)
            arena.enqueue([&] { ++ran; });
        spin_until(ran, 200);
        EXPECT_EQ(ran, 200);
    }
}

TEST(api_enqueue, tasks_outlive_their_arena) {
    std::atomic<int> ran{0};
    for (int round = 0; round < 50; ++round) {
        task_arena arena(2);
        for (int i = 0; i < 4; ++i)
            arena.enqueue([&] { ++ran; });
    }
    spin_until(ran, 200);
    EXPECT_EQ(ran, 200);
}

TEST(api_enqueue, in_order_where_one_thread_runs_them) {
    task_arena arena(1, 0);  // one slot, for whoever comes
    std::vector<int> order;
    std::atomic<int> ran{0};
    arena.execute([&] {  // takes the slot, so that nobody begins before all are there
        for (int i = 0; i < 20; ++i)
            arena.enqueue([&, i] {
                order.push_back(i);
                ++ran;
            });
    });
    spin_until(ran, 20);
    for (int i = 0; i < 20; ++i)
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

// All slots are for application threads; what is enqueued runs all the same, in a slot that none of them sits on. A
// worker that comes while they have all of them has to be called again.
TEST(api_enqueue, a_worker_takes_a_slot_that_application_threads_have_given_back) {
    task_arena arena(2, 2);
    std::atomic<int> ran{0}, inside{0}, too_high{0};
    for (int round = 1; round <= 20; ++round) {
        inside = 0;
        const auto visit = [&] {
            arena.execute([&] {
                ++inside;
                spin_until(inside, 2);
                if (bough::this_task_arena::current_thread_index() == 0)
                    arena.enqueue([&] {
                        too_high += bough::this_task_arena::current_thread_index() > 1 ? 1 : 0;
                        ++ran;
                    });
                bough_test::work_a_little(1'000'000);  // meanwhile the worker comes, and finds no slot
            });
        };
        std::thread other(visit);
        visit();
        other.join();
        spin_until(ran, round);
    }
    EXPECT_EQ(too_high, 0);
}

// The worker that comes for them takes the last slot, or one beyond the only one.
TEST(api_enqueue, loops_are_handed_off_from_a_lent_slot) {
    for (const unsigned slots : {1u, 63u, 64u, 65u, 128u}) {
        task_arena arena(static_cast<int>(slots), slots);
        std::atomic<int> ran{0};
        arena.enqueue([&] {
            bough::parallel_for(0, 1000, [&](int) { ++ran; }, bough::static_partitioner());
            ++ran;
        });
        spin_until(ran, 1001);
    }
}

TEST(api_enqueue, loops_run_in_enqueued_tasks) {
    task_arena arena(3);
    std::atomic<int> ran{0};
    arena.enqueue([&] { bough::parallel_for(0, 1000, [&](int) { ++ran; }); });
    spin_until(ran, 1000);
    EXPECT_EQ(ran, 1000);
}

// ---- isolation ----

// An outer task that runs inside an inner wait would find a lock that its own thread holds.
TEST(api_isolate, a_wait_takes_nothing_from_outside) {
    std::atomic<int> reentered{0};
    thread_local static bool in_region = false;
    bough::task_group outer;
    for (int i = 0; i < 64; ++i) {
        outer.run([&] {
            if (in_region)
                ++reentered;
            bough::this_task_arena::isolate([&] {
                in_region = true;
                bough::task_group inner;
                for (int k = 0; k < 8; ++k)
                    inner.run([] {});
                bough::parallel_for(0, 16, [](int) {});
                inner.wait();
                in_region = false;
            });
        });
    }
    outer.wait();
    EXPECT_EQ(reentered, 0);
}

// The first region leaves a task in an outer group; the second begins in the same frame, and waits for another thread.
TEST(api_isolate, a_region_takes_nothing_that_an_earlier_one_left) {
    bough::task_arena(1).execute([] {
        bough::task_group outer;
        std::atomic<bool> ran{false}, is_over{false};
        bool ran_inside = false;
        for (const bool is_first : {true, false})
            bough::this_task_arena::isolate([&] {
                if (is_first)
                    return outer.run([&] { ran = true; });
                std::thread other([&] {
                    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // to be taken, if it would be
                    is_over = true;
                    bough::detail::unpark_all(&is_over);
                });
                bough::detail::work_until(
                    {[](const void* over) { return static_cast<const std::atomic<bool>*>(over)->load(); },
                     &is_over});
                other.join();
                ran_inside = ran;
            });
        outer.wait();
        EXPECT_FALSE(ran_inside);
        EXPECT_TRUE(ran);
    });
}

// Tags that programs choose are addresses.
TEST(api_isolate, tags_are_odd_have_the_top_bit_and_are_all_different) {
    std::mutex lock;
    std::set<std::uintptr_t> tags;
    constexpr int each = 70'000;  // more than a block of a slot's
    const auto take = [&] {
        std::vector<std::uintptr_t> mine(each);
        for (std::uintptr_t& tag : mine)
            bough::this_task_arena::isolate([&tag] { tag = bough::detail::current_isolation(); });
        const std::lock_guard guard(lock);
        tags.insert(mine.begin(), mine.end());
    };
    std::thread one(take), two(take);
    one.join();
    two.join();
    EXPECT_EQ(tags.size(), std::size_t{2} * each);
    for (const std::uintptr_t tag : tags)
        ASSERT_EQ(tag & (std::uintptr_t{1} << 63 | 1), std::uintptr_t{1} << 63 | 1);
}

TEST(api_isolate, returns_and_throws_what_the_function_does) {
    EXPECT_EQ(bough::this_task_arena::isolate([] { return 5; }), 5);
    EXPECT_THROW(bough::this_task_arena::isolate([] { throw 1; }), int);
    std::atomic<int> sum{0};
    bough::this_task_arena::isolate([&] {
        bough::this_task_arena::isolate([&] { bough::parallel_for(0, 100, [&](int i) { sum += i; }); });
        bough::parallel_for(0, 100, [&](int i) { sum += i; });
    });
    EXPECT_EQ(sum, 9900);
}

// ---- observers ----

struct counting : bough::observer {
    using bough::observer::observer;
    ~counting() override { observe(false); }
    void on_entry(bool) override {
        ++entries;
        const std::lock_guard lock(mutex);
        EXPECT_TRUE(inside.insert(std::this_thread::get_id()).second);
    }
    void on_exit(bool) override {
        ++exits;
        const std::lock_guard lock(mutex);
        EXPECT_EQ(inside.erase(std::this_thread::get_id()), 1u);
    }
    std::atomic<int> entries{0}, exits{0};
    std::mutex mutex;
    std::set<std::thread::id> inside;
};

TEST(api_observer, every_thread_enters_before_it_works_and_leaves_once) {
    task_arena arena(4);
    counting seen(arena);
    seen.observe(true);
    for (int round = 0; round < 20; ++round) {
        arena.execute([&] {
            bough::parallel_for(0, 200, [&](int) {
                const std::lock_guard lock(seen.mutex);
                EXPECT_EQ(seen.inside.count(std::this_thread::get_id()), 1u);
            });
        });
    }
    EXPECT_GE(seen.entries, 20);
    seen.observe(false);
    const int entries = seen.entries, exits = seen.exits;
    arena.execute([] { bough::parallel_for(0, 200, [](int) {}); });
    EXPECT_EQ(seen.entries, entries);
    EXPECT_EQ(seen.exits, exits);
}

// ---- resumable tasks ----

TEST(api_resumable, goes_on_after_another_thread_has_resumed_it) {
    std::atomic<bough::suspend_point> point{nullptr};
    std::atomic<int> steps{0};
    std::thread other([&] {
        bough::suspend_point p;
        while (!(p = point.load()))
            std::this_thread::yield();
        ++steps;
        bough::resume(p);
    });
    bough::task_group group;
    group.run([&] {
        bough::suspend([&](bough::suspend_point p) { point = p; });
        EXPECT_EQ(++steps, 2);
    });
    group.wait();
    other.join();
    EXPECT_EQ(steps, 2);
}

TEST(api_resumable, many_in_loops_inside_loops) {
    std::atomic<int> count{0};
    const auto pause = [] { bough::suspend([](bough::suspend_point p) { bough::resume(p); }); };
    for (int round = 0; round < 5; ++round) {
        bough::parallel_for(0, 8, [&](int) {
            pause();
            bough::parallel_for(0, 8, [&](int) {
                pause();
                ++count;
            });
            pause();
        });
    }
    EXPECT_EQ(count, 5 * 64);
}

TEST(api_resumable, exceptions_and_handlers_belong_to_their_stack) {
    bough::task_group group;
    const auto pause = [] { bough::suspend([](bough::suspend_point p) { bough::resume(p); }); };
    for (int i = 0; i < 16; ++i) {
        group.run([&, i] {
            try {
                throw i;
            } catch (int caught) {
                pause();
                EXPECT_EQ(caught, i);
                try {
                    throw;
                } catch (int again) {
                    EXPECT_EQ(again, i);
                }
            }
        });
    }
    group.wait();
}

// ---- one thread runs, another waits ----

TEST(api_threads, a_task_of_one_thread_is_waited_for_by_another) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the spawner waits for its tasks");
    for (int round = 0; round < 20; ++round) {
        bough::task_group group;
        std::atomic<int> ran{0}, spawned{0}, waited{0};
        std::thread first([&] {
            for (int i = 0; i < 10; ++i)
                group.run([&] { ++ran; });
            spawned = 1;
            spin_until(waited, 1);
        });
        spin_until(spawned, 1);
        group.wait();
        EXPECT_EQ(ran, 10);
        waited = 1;
        first.join();
    }
}

// The waiter sleeps already when the other thread spawns what it waits for, and does something else ever after.
TEST(api_threads, what_a_sleeping_thread_waits_for_may_be_spawned_later) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the spawner waits for its task");
    struct setting : bough::detail::task {
        std::atomic<bool> done{false};
        setting() {
            run = [](bough::detail::task& t, bool) {
                static_cast<setting&>(t).done = true;
                bough::detail::unpark_all(&t);
            };
        }
    };
    for (int round = 0; round < 5; ++round) {
        setting wanted;
        std::atomic<int> over{0};
        std::thread waiter([&] {
            bough::detail::work_until({[](const void* t) {
                                           return static_cast<const setting*>(
                                                      static_cast<const bough::detail::task*>(t))
                                               ->done.load();
                                       },
                                       static_cast<bough::detail::task*>(&wanted)});
            over = 1;
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // most likely it sleeps now
        bough::detail::post(wanted);
        spin_until(over, 1);
        waiter.join();
    }
}

}  // namespace
