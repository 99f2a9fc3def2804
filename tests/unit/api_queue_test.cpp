// What depends on the local queue; run on each variant of the library.

#include <cfenv>

#include "support/fib.h"
#include "unit/api_support.h"

namespace {

TEST(api_queue, tasks_in_tasks_and_loops) {
    bough::task_arena arena(3);
    arena.execute([&] {
        EXPECT_EQ(bough_test::fib_by_invoke(16), 987);
        std::atomic<int> ran{0};
        bough::parallel_for(0, 20, [&](int) {
            bough::task_group group;
            for (int i = 0; i < 20; ++i)
                group.run([&] { bough::parallel_for(0, 3, [&](int) { ++ran; }); });
            group.wait();
        });
        EXPECT_EQ(ran, 20 * 20 * 3);
    });
}

// Nobody blocks but in bough's own wait: what the thread left in the queue of the arena around it must be had by
// others.
TEST(api_queue, waits_in_another_arena_for_what_it_spawned_in_this_one) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    for (int round = 0; round < 50; ++round) {
        bough::task_arena outer(3), inner(3);
        std::atomic<bool> ran{false};
        outer.execute([&] {
            bough::task_group group;
            group.run([&] { ran = true; });
            inner.execute([&] { group.wait(); });
        });
        EXPECT_TRUE(ran);
    }
}

// The only worker sees a task that it cannot have, and another arena needs it.
TEST(api_queue, private_tasks_keep_no_worker_from_another_arena) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    bough::task_arena a(3), b(2);
    a.execute([&] {
        bough::task_group group;
        group.run([] {});
        std::atomic<bool> ran{false};
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // time for the worker to come
        b.enqueue([&] { ran = true; });
        while (!ran)
            std::this_thread::yield();
        group.wait();
    });
}

// Waits until the task has run, or for longer than an idle worker stays.
void let_workers_leave(const std::atomic<bool>& ran) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(40);
    while (!ran && std::chrono::steady_clock::now() < until)
        std::this_thread::yield();
}

// A worker has seen the task, could not have it, and has left: whoever gives the task away later calls another one.
TEST(api_queue, a_task_is_given_away_when_its_thread_leaves_the_arena) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    bough::task_arena arena(2);
    bough::task_group group;
    std::atomic<bool> ran{false};
    arena.execute([&] {
        group.run([&] { ran = true; });
        let_workers_leave(ran);
    });
    group.wait();
    EXPECT_TRUE(ran);
}
TEST(api_queue, a_task_is_given_away_when_its_thread_may_not_take_it) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    bough::task_group group;
    std::atomic<bool> ran{false};
    group.run([&] { ran = true; });
    let_workers_leave(ran);
    bough::this_task_arena::isolate([&] { group.wait(); });
    EXPECT_TRUE(ran);
}
TEST(api_queue, a_task_is_given_away_when_its_thread_waits_for_a_slot) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    bough::task_arena full(1, 1);
    std::atomic<bool> is_inside{false}, ran{false};
    std::thread holder([&] {
        full.execute([&] {
            is_inside = true;
            while (!ran)
                std::this_thread::yield();
        });
    });
    while (!is_inside)
        std::this_thread::yield();
    bough::task_group group;
    group.run([&] { ran = true; });
    let_workers_leave(ran);
    full.execute([] {});
    holder.join();
    group.wait();
}

// More than abp's array holds: there some run where they are spawned, in the arena's rounding mode all the same.
TEST(api_queue, what_runs_in_place_computes_as_the_arena_does) {
    bough::task_arena a(3);
    const int before = std::fegetround();
    std::atomic<int> ran{0}, as_the_spawner{0};
    a.execute([&] {
        bough::task_group group;
        std::fesetround(FE_UPWARD);
        for (int i = 0; i < 10'000; ++i)
            group.run([&] {
                ++ran;
                as_the_spawner += std::fegetround() == FE_UPWARD ? 1 : 0;
            });
        std::fesetround(before);
        group.wait();
    });
    EXPECT_EQ(ran, 10'000);
    EXPECT_EQ(as_the_spawner, 0);
}

}  // namespace
