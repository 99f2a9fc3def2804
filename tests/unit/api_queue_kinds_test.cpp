// Arenas with each kind of queue, in one process.

#include <cfenv>

#include "profile/settings.h"
#include "support/fib.h"
#include "unit/api_support.h"

namespace {

using queue = bough::task_arena::queue;

bough::task_arena arena_with(queue kind) {
    return bough::task_arena(3, 1, bough::task_arena::priority::normal,
                             bough::task_arena::waiting::by_environment, kind);
}

class api_queue_kinds : public ::testing::TestWithParam<queue> {};

TEST_P(api_queue_kinds, tasks_in_tasks_and_loops) {
    bough::task_arena arena = arena_with(GetParam());
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
TEST_P(api_queue_kinds, waits_in_another_arena_for_what_it_spawned_in_this_one) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    for (int round = 0; round < 50; ++round) {
        bough::task_arena outer = arena_with(GetParam()), inner = arena_with(queue::chase_lev);
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
TEST_P(api_queue_kinds, private_tasks_keep_no_worker_from_another_arena) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    bough::task_arena a = arena_with(GetParam()), b(2);
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

// More than an array of tasks holds: some run where they are spawned, in the arena's rounding mode all the same.
TEST(api_queue_kinds_abp, what_runs_in_place_computes_as_the_arena_does) {
    bough::task_arena a = arena_with(queue::abp);
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

std::string name(const ::testing::TestParamInfo<queue>& kind) {
    std::string text(bough::name_of(kind.param));
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
}

INSTANTIATE_TEST_SUITE_P(all, api_queue_kinds,
                         ::testing::Values(queue::chase_lev, queue::mutex, queue::abp, queue::split,
                                           queue::split_signal, queue::split_signal_conservative,
                                           queue::split_signal_half),
                         name);

}  // namespace
