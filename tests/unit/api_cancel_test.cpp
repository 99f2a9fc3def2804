// Cancellation: through contexts, before a loop and inside it; reset; bound and isolated; task groups.

#include "unit/api_erased.h"

namespace {

using bough::task_group_context;
using bough_test::boom;
using bough_test::visits;

TEST(api_cancel, a_context_is_not_cancelled_until_someone_does) {
    task_group_context context;
    EXPECT_FALSE(context.is_group_execution_cancelled());
    EXPECT_TRUE(context.cancel_group_execution());
    EXPECT_FALSE(context.cancel_group_execution()) << "only the first request says true";
    EXPECT_TRUE(context.is_group_execution_cancelled());
    context.reset();
    EXPECT_FALSE(context.is_group_execution_cancelled());
    EXPECT_TRUE(context.cancel_group_execution());
}

TEST(api_cancel, a_cancelled_context_runs_no_body) {
    for (const auto kind : {task_group_context::bound, task_group_context::isolated}) {
        task_group_context context(kind);
        context.cancel_group_execution();
        bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
            std::atomic<int> calls{0};
            bough_test::for_index(0, 1000, [&](int) { calls.fetch_add(1); }, partitioner, context);
            bough_test::for_index(0, 1, [&](int) { calls.fetch_add(1); }, partitioner, context);
            EXPECT_EQ(calls.load(), 0) << name;
            int sum = 0;
            partitioner.choose([&](auto& p) {
                sum = bough::parallel_reduce(
                    bough::blocked_range<int>(0, 1000), 5,
                    [&](const bough::blocked_range<int>&, int v) {
                        calls.fetch_add(1);
                        return v;
                    },
                    std::plus<int>(), p, context);
            });
            EXPECT_EQ(calls.load(), 0) << name;
            EXPECT_EQ(sum, 5) << name << ": nothing but the identity was there";
        });
    }
}

TEST(api_cancel, reset_makes_it_usable_again) {
    task_group_context context;
    for (int round = 0; round < 100; ++round) {
        context.cancel_group_execution();
        std::atomic<int> calls{0};
        bough::parallel_for(0, 100, [&](int) { calls.fetch_add(1); }, context);
        ASSERT_EQ(calls.load(), 0);
        context.reset();
        visits seen(100);
        bough::parallel_for(std::size_t{0}, std::size_t{100}, [&](std::size_t i) { seen.hit(i); }, context);
        ASSERT_TRUE(seen.each_once());
    }
}

TEST(api_cancel, from_inside_stops_the_loop) {
    for (int round = 0; round < 50; ++round) {
        constexpr std::size_t n = 1000000;
        task_group_context context;
        bough_test::census cancelled_it;
        std::atomic<int> calls{0}, after{0};
        bough::parallel_for(
            bough::blocked_range<std::size_t>(0, n),
            [&](const bough::blocked_range<std::size_t>&) {
                after.fetch_add(cancelled_it.saw(std::this_thread::get_id()) ? 1 : 0);
                const bough_test::census::inside here(cancelled_it);
                calls.fetch_add(1);
                context.cancel_group_execution();
            },
            bough::simple_partitioner{}, context);
        EXPECT_EQ(after.load(), 0) << "the cancelling thread itself went on with the loop";
        EXPECT_LE(calls.load(), bough_test::allowed_threads()) << "more than one body per thread";
        EXPECT_TRUE(context.is_group_execution_cancelled());
    }
}

TEST(api_cancel, from_outside_stops_the_loop) {
    for (int round = 0; round < 5; ++round) {
        task_group_context context;
        std::atomic<bool> began{false};
        std::atomic<std::uint64_t> calls{0};
        std::thread canceller([&] {
            while (!began.load())
                std::this_thread::yield();
            context.cancel_group_execution();
        });
        // Far more bodies than can run before the time-out of the test.
        bough::parallel_for(
            std::uint64_t{0}, std::uint64_t{1} << 50,
            [&](std::uint64_t) {
                began = true;
                calls.fetch_add(1, std::memory_order_relaxed);
            },
            bough::simple_partitioner{}, context);
        canceller.join();
        EXPECT_GE(calls.load(), 1u);
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_cancel, other_contexts_are_left_alone) {
    task_group_context one, two;
    one.cancel_group_execution();
    visits seen(1000), plain(1000);
    bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { seen.hit(i); }, two);
    bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { plain.hit(i); });
    EXPECT_TRUE(seen.each_once());
    EXPECT_TRUE(plain.each_once());
    EXPECT_FALSE(two.is_group_execution_cancelled());
}

TEST(api_cancel, an_exception_cancels_the_context_of_its_loop) {
    task_group_context context;
    EXPECT_THROW(bough::parallel_for(0, 1000, [](int) { throw boom{1}; }, context), boom);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    std::atomic<int> calls{0};
    context.reset();
    bough::parallel_for(0, 100, [&](int) { calls.fetch_add(1); }, context);
    EXPECT_EQ(calls.load(), 100);
}

// Bodies of the outer loop cancel it and then start an inner one, which is bound to it.
int inner_bodies_after_cancelling_outer(task_group_context* inner_context) {
    task_group_context outer;
    std::atomic<int> calls{0};
    bough::parallel_for(
        0, 1,
        [&](int) {
            outer.cancel_group_execution();
            const auto count = [&](int) { calls.fetch_add(1); };
            if (inner_context)
                bough::parallel_for(0, 100, count, *inner_context);
            else
                bough::parallel_for(0, 100, count);
        },
        outer);
    return calls.load();
}

TEST(api_cancel, reaches_an_inner_loop_without_a_context) {
    EXPECT_EQ(inner_bodies_after_cancelling_outer(nullptr), 0);
}

TEST(api_cancel, reaches_an_inner_loop_with_a_bound_context) {
    task_group_context inner(task_group_context::bound);
    EXPECT_EQ(inner_bodies_after_cancelling_outer(&inner), 0);
}

TEST(api_cancel, does_not_reach_an_inner_loop_with_an_isolated_context) {
    task_group_context inner(task_group_context::isolated);
    EXPECT_EQ(inner_bodies_after_cancelling_outer(&inner), 100);
    EXPECT_FALSE(inner.is_group_execution_cancelled());
}

// oneTBB: the request travels down to bound contexts, and they say so.
TEST(api_cancel, a_bound_context_under_a_cancelled_one_says_so) {
    task_group_context outer;
    std::atomic<int> told{0};
    bough::parallel_for(
        0, 1,
        [&](int) {
            task_group_context inner;
            bough::parallel_for(
                0, 1,
                [&](int) {
                    outer.cancel_group_execution();
                    told.fetch_add(inner.is_group_execution_cancelled() ? 1 : 0);
                },
                inner);
        },
        outer);
    EXPECT_EQ(told.load(), 1);
}

TEST(api_cancel, of_an_inner_loop_leaves_the_outer_one_alone) {
    visits seen(200);
    task_group_context outer;
    bough::parallel_for(
        std::size_t{0}, std::size_t{200},
        [&](std::size_t i) {
            task_group_context inner;
            bough::parallel_for(0, 100, [&](int) { inner.cancel_group_execution(); }, inner);
            seen.hit(i);
        },
        outer);
    EXPECT_TRUE(seen.each_once());
    EXPECT_FALSE(outer.is_group_execution_cancelled());
}

TEST(api_cancel, a_failed_outer_loop_stops_long_inner_ones) {
    const int threads = bough_test::allowed_threads();
    if (threads < 2)
        GTEST_SKIP() << "one thread only";
    // One body loops for ever unless it is cancelled; the other throws when that has begun.
    std::atomic<bool> began{false};
    EXPECT_THROW(bough::parallel_for(0, 2,
                                     [&](int i) {
                                         if (i == 0) {
                                             bough::parallel_for(
                                                 std::uint64_t{0}, std::uint64_t{1} << 50,
                                                 [&](std::uint64_t) { began = true; },
                                                 bough::simple_partitioner{});
                                         } else {
                                             while (!began.load())
                                                 std::this_thread::yield();
                                             throw boom{1};
                                         }
                                     }),
                 boom);
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_cancel, of_a_group_before_its_tasks_run) {
    bough::task_group group;
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> calls{0};
        group.cancel();
        for (int i = 0; i < 20; ++i)
            group.run([&] { calls.fetch_add(1); });
        ASSERT_EQ(group.wait(), bough::canceled);
        ASSERT_EQ(calls.load(), 0) << "tasks of a cancelled group ran";
        group.run([&] { calls.fetch_add(1); });
        ASSERT_EQ(group.wait(), bough::complete) << "wait makes the group usable again";
        ASSERT_EQ(calls.load(), 1);
    }
}

TEST(api_cancel, of_a_group_by_one_of_its_tasks) {
    for (int round = 0; round < 100; ++round) {
        bough::task_group group;
        std::atomic<int> calls{0};
        const std::function<void()> endless = [&] {
            if (calls.fetch_add(1) == 50)
                group.cancel();
            group.run([&endless] { endless(); });
        };
        group.run([&endless] { endless(); });
        ASSERT_EQ(group.wait(), bough::canceled);
        ASSERT_GE(calls.load(), 51);
    }
}

TEST(api_cancel, of_a_group_stops_the_loops_in_its_tasks) {
    bough::task_group group;
    group.run([&] {
        bough::parallel_for(
            std::uint64_t{0}, std::uint64_t{1} << 50,
            [&](std::uint64_t i) { i == 1000 ? group.cancel() : void(); }, bough::simple_partitioner{});
    });
    EXPECT_EQ(group.wait(), bough::canceled);
}

TEST(api_cancel, of_a_context_that_a_group_was_made_with) {
    task_group_context context;
    bough::task_group group(context);
    std::atomic<int> calls{0};
    group.run([&] { calls.fetch_add(1); });
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_EQ(calls.load(), 1);
    context.cancel_group_execution();
    group.run([&] { calls.fetch_add(1); });
    EXPECT_EQ(group.wait(), bough::canceled);
    EXPECT_EQ(calls.load(), 1);
}

TEST(api_cancel, a_loop_in_the_body_that_cancelled_itself_isolated_goes_on) {
    std::atomic<int> outer_calls{0};
    task_group_context outer;
    bough::parallel_for(
        0, 4,
        [&](int) {
            outer_calls.fetch_add(1);
            outer.cancel_group_execution();
            task_group_context isolated(task_group_context::isolated);
            visits seen(300);
            bough::parallel_for(
                std::size_t{0}, std::size_t{300}, [&](std::size_t i) { seen.hit(i); }, isolated);
            EXPECT_TRUE(seen.each_once());
        },
        outer);
    EXPECT_GE(outer_calls.load(), 1);
}

}  // namespace
