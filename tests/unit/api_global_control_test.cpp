// global_control: limits that are limits, the smallest one wins, and they go as they came.

#include "unit/api_support.h"

#include <csignal>
#include <exception>
#include <optional>
#include <stdexcept>

namespace {

using bough::global_control;
constexpr auto parallelism = global_control::max_allowed_parallelism;

std::size_t active() {
    return global_control::active_value(parallelism);
}

// An arena made under a limit: in another one a worker that was about to steal when the limit came may still do so
// (src/worker/rare_states.md). It has more slots than any limit here.
bough::task_arena fresh_arena() {
    return bough::task_arena(16);
}

// A loop whose bodies are long enough that everybody who may come does.
void crowd(bough_test::census& who, int bodies = 64) {
    bough::parallel_for(
        0, bodies,
        [&](int) {
            const bough_test::census::inside here(who);
            bough_test::work_a_little(20000);
        },
        bough::simple_partitioner{});
}

TEST(api_global_control, says_the_number_of_threads_without_any_control) {
    EXPECT_GE(active(), 1u);
    EXPECT_EQ(active(), static_cast<std::size_t>(bough::this_task_arena::max_concurrency()));
}

TEST(api_global_control, the_smallest_living_limit_holds) {
    const std::size_t all = active();
    const std::size_t two = std::min<std::size_t>(2, all), four = std::min<std::size_t>(4, all);
    {
        const global_control outer(parallelism, four);
        EXPECT_EQ(active(), four);
        {
            const global_control inner(parallelism, two);
            EXPECT_EQ(active(), two);
            {
                const global_control wider(parallelism, four);
                EXPECT_EQ(active(), two) << "a larger limit inside widened the smaller one";
                const global_control one(parallelism, 1);
                EXPECT_EQ(active(), 1u);
            }
            EXPECT_EQ(active(), two);
        }
        EXPECT_EQ(active(), four);
    }
    EXPECT_EQ(active(), all) << "the limit stayed after its control was gone";
}

TEST(api_global_control, limits_may_end_in_any_order) {
    const std::size_t all = active();
    auto one = std::make_unique<global_control>(parallelism, 1);
    auto two = std::make_unique<global_control>(parallelism, std::min<std::size_t>(2, all));
    auto second_one = std::make_unique<global_control>(parallelism, 1);
    EXPECT_EQ(active(), 1u);
    one.reset();
    EXPECT_EQ(active(), 1u) << "of two equal limits one is still alive";
    second_one.reset();
    EXPECT_EQ(active(), std::min<std::size_t>(2, all));
    two.reset();
    EXPECT_EQ(active(), all);
}

TEST(api_global_control, a_limit_of_one_runs_everything_on_the_caller) {
    EXPECT_TRUE(bough_test::pool_is_usable());  // a hot team stands by
    const global_control one(parallelism, 1);
    for (int round = 0; round < 20; ++round) {
        bough_test::census who, in_tasks;
        fresh_arena().execute([&] {
            crowd(who);
            bough::task_group group;
            for (int i = 0; i < 20; ++i)
                group.run([&] { const bough_test::census::inside here(in_tasks); });
            group.wait();
        });
        ASSERT_EQ(who.distinct_threads(), 1);
        ASSERT_TRUE(who.saw(std::this_thread::get_id()));
        ASSERT_TRUE(in_tasks.saw(std::this_thread::get_id()));
        ASSERT_EQ(in_tasks.distinct_threads(), 1);
    }
}

TEST(api_global_control, never_more_threads_than_allowed) {
    const auto all = static_cast<std::size_t>(bough_test::allowed_threads());
    for (std::size_t limit = 1; limit <= std::min<std::size_t>(all, 6); ++limit) {
        EXPECT_TRUE(bough_test::pool_is_usable());
        const global_control control(parallelism, limit);
        for (int round = 0; round < 5; ++round) {
            bough_test::census who;
            fresh_arena().execute([&] { crowd(who); });
            ASSERT_LE(who.most_at_once(), static_cast<int>(limit));
        }
    }
}

TEST(api_global_control, nested_loops_and_tasks_keep_the_limit) {
    const int limit = std::min(2, bough_test::allowed_threads());
    EXPECT_TRUE(bough_test::pool_is_usable());
    const global_control control(parallelism, static_cast<std::size_t>(limit));
    bough_test::census leaves;
    const auto tasks_with_loops = [&](int) {
        bough::task_group group;
        for (int t = 0; t < 3; ++t)
            group.run([&] {
                bough::parallel_for(0, 8, [&](int) {
                    const bough_test::census::inside here(leaves);
                    bough_test::work_a_little(3000);
                });
            });
        group.wait();
    };
    fresh_arena().execute([&] { bough::parallel_for(0, 8, tasks_with_loops); });
    EXPECT_LE(leaves.most_at_once(), limit);
}

// The last handle of an arena goes, and a function that is left in it takes a new one: from then on the limit holds
// there as it did before.
TEST(api_global_control, a_limit_of_one_holds_in_an_arena_that_had_been_given_up) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    std::optional<bough::task_arena> again;
    std::atomic<bool> is_busy{false}, is_given_up{false}, is_back{false};
    bough::task_arena other(2, 1);
    const global_control two(parallelism, 2);
    other.enqueue([&] {  // the only worker is busy as long as the arena has a handle
        is_busy = true;
        while (!is_given_up)
            std::this_thread::yield();
    });
    while (!is_busy)
        std::this_thread::yield();
    {
        bough::task_arena arena(4, 1);
        arena.enqueue([&] {
            again.emplace(bough::task_arena::attach{});
            is_back = true;
        });
    }
    is_given_up = true;
    while (!is_back)
        std::this_thread::yield();
    const global_control one(parallelism, 1);
    bough_test::census still_there, who;
    again->execute([&] {
        crowd(still_there);
        for (int round = 0; round < 50; ++round)
            crowd(who);
    });
    EXPECT_EQ(who.most_at_once(), 1);
}

// A limit is also a promise: so many threads do come.
TEST(api_global_control, as_many_threads_as_allowed_do_come) {
    const auto all = static_cast<std::size_t>(bough_test::allowed_threads());
    for (std::size_t limit = 1; limit <= std::min<std::size_t>(all, 6); ++limit) {
        const global_control control(parallelism, limit);
        EXPECT_TRUE(bough_test::pool_is_usable()) << "limit " << limit;
    }
    EXPECT_TRUE(bough_test::pool_is_usable()) << "after all limits";
}

TEST(api_global_control, limits_that_come_and_go_between_loops) {
    auto generator = bough_test::seeded_generator();
    const auto all = static_cast<std::size_t>(bough_test::allowed_threads());
    bough_test::budget rounds(500);
    while (rounds.next()) {
        const std::size_t limit = bough_test::uniform(generator, 1, all);
        const global_control control(parallelism, limit);
        bough_test::census who;
        fresh_arena().execute([&] {
            bough::parallel_for(0, 100, [&](int) {
                const bough_test::census::inside here(who);
                bough_test::work_a_little(200);
            });
        });
        ASSERT_LE(who.most_at_once(), static_cast<int>(limit));
        ASSERT_TRUE(bough_test::pool_is_usable());
    }
}

// Every index once, whatever the limit: work planned for threads that may not come is done by others.
// With one thread by default no worker may enter the caller's arena under a limit of two, and calls for its tasks are
// forgotten. Under a limit of one a worker stands in for a thread that waits for such a task.
TEST(api_global_control, a_limit_of_one_after_a_larger_one_finds_all_tasks) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the main thread joins one that waits for a task of its");
    for (const bool published_before : {false, true}) {
        bough::task_group group;
        std::atomic<bool> ran{false};
        bough::task_handle later = group.defer([&ran] { ran = true; });
        std::optional<global_control> limit(std::in_place, parallelism, 2);
        bough::task_group others;
        others.run([] {});
        others.wait();
        if (published_before)
            group.run(std::move(later));
        limit.emplace(parallelism, 1);
        std::thread waiter([&group] { group.wait(); });
        if (!published_before)
            group.run(std::move(later));
        waiter.join();
        EXPECT_TRUE(ran);
    }
}

TEST(api_global_control, static_partitioner_under_a_limit_loses_nothing) {
    const auto all = static_cast<std::size_t>(bough_test::allowed_threads());
    for (std::size_t limit = 1; limit <= all; ++limit) {
        const global_control control(parallelism, limit);
        bough_test::visits seen(1000);
        std::atomic<int> pieces{0};
        bough::parallel_for(
            bough::blocked_range<std::size_t>(0, 1000),
            [&](const bough::blocked_range<std::size_t>& r) {
                seen.hit_range(r);
                ++pieces;
            },
            bough::static_partitioner{});
        EXPECT_TRUE(seen.each_once());
        EXPECT_LE(pieces.load(), static_cast<int>(all));
    }
}

TEST(api_global_control, a_value_of_zero_is_refused) {
    EXPECT_THROW(global_control(parallelism, 0), std::invalid_argument);
    EXPECT_GE(active(), 1u);
}

// What bough itself throws, and what a wait rethrows. Each catches: a child that does not end there returns.
TEST(api_global_control_death_test, terminate_on_exception_holds_for_every_exception) {
    // A forked child may start no threads under the thread sanitizer.
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const auto ends = [](const auto& f) {
        const global_control control(global_control::terminate_on_exception, 1);
        try {
            f();
        } catch (...) {
        }
    };
    const auto by_terminate = testing::KilledBySignal(SIGABRT);
    const char* const said = "terminate called after throwing";
    EXPECT_EXIT(ends([] { bough::parallel_for(0, 10, 0, [](int) {}); }), by_terminate, said);
    EXPECT_EXIT(ends([] { bough::task_arena(0).initialize(); }), by_terminate, said);
    EXPECT_EXIT(ends([] { const global_control none(parallelism, 0); }), by_terminate, said);
    EXPECT_EXIT(ends([] { bough::parallel_pipeline(1, bough::filter<void, void>()); }), by_terminate, said);
    EXPECT_EXIT(ends([] {
                    bough::task_group group;
                    for (int i = 0; i < 10; ++i)
                        group.run([] {});
                }),
                by_terminate, said)
        << "missing_wait";
    const auto execute_in_full_arena = [] {
        bough::task_arena full(1);
        full.execute([&] {
            std::thread([&] {
                try {
                    full.execute([] { throw std::runtime_error("in a worker"); });
                } catch (...) {
                }
            }).join();
        });
    };
    EXPECT_EXIT(ends(execute_in_full_arena), by_terminate, said) << "a worker runs it";
    const auto kept = std::make_exception_ptr(std::runtime_error("before the control began"));
    EXPECT_EXIT(ends([&] { bough::detail::raise_again(kept); }), by_terminate, said);
}

TEST(api_global_control, stack_size_has_a_value_and_can_be_changed) {
    const std::size_t before = global_control::active_value(global_control::thread_stack_size);
    EXPECT_GE(before, std::size_t{64} << 10);
    {
        const global_control bigger(global_control::thread_stack_size, std::size_t{16} << 20);
        EXPECT_EQ(global_control::active_value(global_control::thread_stack_size), std::size_t{16} << 20);
        const global_control smaller(global_control::thread_stack_size, std::size_t{1} << 20);
        EXPECT_EQ(global_control::active_value(global_control::thread_stack_size), std::size_t{16} << 20)
            << "the largest stack size holds";
        EXPECT_TRUE(bough_test::pool_is_usable());
    }
    EXPECT_EQ(global_control::active_value(global_control::thread_stack_size), before);
}

}  // namespace
