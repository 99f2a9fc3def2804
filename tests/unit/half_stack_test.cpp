// A thread that has used half of its stack leaves work to others, but for what no other thread would do.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <bough/bough.h>

#include "bough/detail/dispatch.h"
#include "support/patience.h"
#include "support/sanitized.h"
#include "support/small_stack.h"
#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

using bough_test::comes_true;

namespace {

// f with more than half of the thread's stack used.
template <class F>
void deep(const F& f) {
    volatile char used[std::size_t{300} << 10];
    for (std::size_t i = 0; i < sizeof used; i += 4096)
        used[i] = 1;
    f();
    used[0] = 2;
}

#define SKIP_UNDER_A_SANITIZER()                                                                             \
    do {                                                                                                     \
        if (bough_test::sanitized)                                                                           \
            GTEST_SKIP() << "a sanitizer's frames do not fit into these stacks";                             \
    } while (false)

TEST(half_stack, a_caller_takes_pieces_of_the_loop_that_it_joins_however_late_they_come) {
    SKIP_UNDER_A_SANITIZER();
    bough_test::on_small_stack([] {
        bough::parallel_for(0, 100, [](int) {});  // from its own slot it visits others
        bough::task_arena arena(2);
        const bough::global_control two(bough::global_control::max_allowed_parallelism, 2);
        std::atomic<int> begun{0}, met{0}, late{0};
        const auto inner = [&] {
            std::this_thread::sleep_for(
                std::chrono::milliseconds(5));  // until the caller is tired of looking
            bough::parallel_for(
                0, 2,
                [&](int) {
                    ++met;
                    late += !comes_true([&] { return met == 2; });
                },
                bough::simple_partitioner());
        };
        arena.execute([&] {
            deep([&] {
                bough::parallel_for(
                    0, 2,
                    [&](int) {
                        if (++begun == 2)
                            inner();
                        else
                            comes_true([&] { return begun == 2; });
                    },
                    bough::simple_partitioner());
            });
        });
        EXPECT_EQ(late, 0);
    });
}

TEST(half_stack, a_thread_takes_what_lies_in_an_arena_without_slots_for_workers) {
    SKIP_UNDER_A_SANITIZER();
    bough_test::on_small_stack([] {
        bough::parallel_for(0, 100, [](int) {});  // from its own slot it visits others
        bough::task_arena arena(2, 2);
        std::atomic<bool> is_inside{false}, has_left{false}, has_run{false};
        const auto group = std::make_unique<bough::task_group>();
        std::thread other([&] {
            comes_true([&] { return is_inside.load(); });
            arena.execute([&] { group->run([&] { has_run = true; }); });
            has_left = true;
            comes_true([&] { return has_run.load(); });  // its own slot's tasks would be run when it ends
        });
        arena.execute([&] {
            is_inside = true;
            comes_true([&] { return has_left.load(); });
            deep([&] { group->wait(); });
        });
        EXPECT_TRUE(has_run);
        other.join();
    });
}

TEST(half_stack, a_sleeper_takes_what_is_left_when_the_limit_becomes_one) {
    SKIP_UNDER_A_SANITIZER();
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("who spawned the task waits until it has run");
    bough_test::on_small_stack([] {
        bough::parallel_for(0, 100, [](int) {});  // from its own slot it visits others
        bough::task_arena elsewhere(2, 1), arena(3, 2);
        const bough::global_control two(bough::global_control::max_allowed_parallelism, 2);
        std::atomic<bool> is_busy{false}, is_over{false}, is_inside{false}, is_spawned{false}, has_run{false};
        elsewhere.enqueue([&] {
            is_busy = true;
            comes_true([&] { return is_over.load(); });
        });
        ASSERT_TRUE(comes_true([&] { return is_busy.load(); }));
        const auto group = std::make_unique<bough::task_group>();
        std::thread other([&] {
            arena.execute([&] {
                comes_true([&] { return is_inside.load(); });
                group->run([&] { has_run = true; });
                is_spawned = true;
                EXPECT_TRUE(comes_true([&] { return has_run.load(); }));
            });
        });
        std::thread limiter([&] {
            comes_true([&] { return is_spawned.load(); });
            std::this_thread::sleep_for(
                std::chrono::milliseconds(50));  // until the main thread sleeps, most likely
            const bough::global_control one(bough::global_control::max_allowed_parallelism, 1);
            comes_true([&] { return has_run.load(); });
            is_over = true;
        });
        arena.execute([&] {
            is_inside = true;
            comes_true([&] { return is_spawned.load(); });
            deep([&] { bough::parallel_for(0, 1, [&](int) { group->wait(); }); });
        });
        other.join();
        limiter.join();
        comes_true([&] { return is_over.load(); });
    });
}

// Each function waits in an execute(), where it may take the next one.
TEST(half_stack, enqueued_functions_do_not_nest_beyond_it) {
    SKIP_UNDER_A_SANITIZER();
    constexpr int functions = 3000;
    const bough::global_control two(bough::global_control::max_allowed_parallelism, 2);
    bough::task_arena arena(2, 1);
    std::atomic<bool> may_end{false};
    std::atomic<int> ended{0};
    const auto wait = [&] {
        bough::task_group group;
        group.run_and_wait([] {});
        bough::detail::work_until(
            {[](const void* flag) { return static_cast<const std::atomic<bool>*>(flag)->load(); }, &may_end});
    };
    for (int i = 0; i < functions; ++i)
        arena.enqueue([&] {
            volatile char frame[16384];
            frame[0] = 0;
            arena.execute(wait);
            ended += 1 + frame[0];
        });
    std::this_thread::sleep_for(
        std::chrono::milliseconds(200));  // until they have nested as deeply as they do
    may_end = true;
    bough::detail::unpark_all(&may_end);
    EXPECT_TRUE(comes_true([&] { return ended == functions; }));
}

}  // namespace
