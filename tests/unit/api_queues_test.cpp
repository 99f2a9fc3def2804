// Queues that keep tasks private, or are full at some time, in arenas that want them: who waits in the library's own waits gets
// what it waits for.

#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <thread>

#include <bough/bough.h>

namespace {

using bough::task_arena;

task_arena arena_with(task_arena::queue queue, int seats) {
    return task_arena(seats, 1, task_arena::priority::normal, task_arena::waiting::any, queue);
}

constexpr task_arena::queue private_ones[] = {task_arena::queue::split, task_arena::queue::split_signal,
                                              task_arena::queue::split_signal_conservative,
                                              task_arena::queue::split_signal_half};

// The only worker sees a task that it cannot have, and another arena needs it.
TEST(queues, private_tasks_keep_no_worker_from_another_arena) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    for (const task_arena::queue queue : private_ones) {
        task_arena a = arena_with(queue, 2), b(2);
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
}

TEST(queues, a_wait_in_another_arena_gives_private_tasks_away) {
    for (const task_arena::queue queue : private_ones) {
        task_arena a = arena_with(queue, 2), b(1);
        std::atomic<int> ran{0};
        a.execute([&] {
            bough::task_group group;
            group.run([&] { ++ran; });
            b.execute([&] { group.wait(); });
        });
        EXPECT_EQ(ran, 1);
    }
}

// More than an array of tasks holds: some run where they are spawned, in the arena's rounding mode all the same.
TEST(queues, what_runs_in_place_computes_as_the_arena_does) {
    task_arena a = arena_with(task_arena::queue::abp, 2);
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
