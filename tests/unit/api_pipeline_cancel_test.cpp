// parallel_pipeline that ends early, and inside of other things: exceptions, cancellation, nesting, suspended filters.
// No item leaks or is destroyed twice.

#include <bough/resumable.h>

#include "unit/api_pipeline_support.h"
#include "unit/blocking_bodies.h"

namespace {

using namespace bough_test;

class api_pipeline_throw
    : public ::testing::TestWithParam<std::tuple<std::size_t, filter_mode, std::size_t>> {};

// A filter throws at the 60th item.
TEST_P(api_pipeline_throw, reaches_the_caller_and_leaks_nothing) {
    const std::size_t thrower = std::get<0>(GetParam()), tokens = std::get<2>(GetParam());
    const filter_mode mode = std::get<1>(GetParam());
    for (int round = 0; round < 10; ++round) {
        const counter input(150);
        bough::task_group_context context;
        const auto step = [thrower](std::size_t at) {
            return [at, thrower](const counted& c) {
                work_a_little(c.value % 20 * 10);
                if (at == thrower && c.value >= 60)
                    throw boom{at};
                return c;
            };
        };
        try {
            parallel_pipeline(tokens,
                              make_filter<void, counted>(mode,
                                                         [&](flow_control& control) {
                                                             const int i = input(control);
                                                             if (thrower == 0 && i >= 60)
                                                                 throw boom{0};
                                                             return counted(i);
                                                         }) &
                                  make_filter<counted, counted>(filter_mode::parallel, step(1)) &
                                  make_filter<counted, counted>(mode, step(2)) &
                                  make_filter<counted, counted>(filter_mode::serial_in_order,
                                                                step(4)) &  // numbers them, perhaps
                                  make_filter<counted, void>(filter_mode::serial_in_order,
                                                             [last = step(3)](const counted& c) { last(c); }),
                              context);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const boom& caught) {
            EXPECT_EQ(caught.where, thrower);
        }
        EXPECT_TRUE(context.is_group_execution_cancelled());
        EXPECT_EQ(counted::alive, 0);
    }
}

INSTANTIATE_TEST_SUITE_P(all, api_pipeline_throw,
                         ::testing::Combine(::testing::Values(0, 1, 2, 3), ::testing::ValuesIn(all_modes),
                                            ::testing::Values(1, 4, 100)));

TEST(api_pipeline_cancel, running_filters_are_waited_for_when_one_throws) {
    budget rounds(300, 300);
    while (rounds.next()) {
        std::atomic<int> begun{0}, ended{0};
        const auto run = [&] {
            parallel_pipeline(8, make_filter<void, int>(filter_mode::parallel, counter(1000)) &
                                     make_filter<int, void>(filter_mode::parallel, [&](int i) {
                                         if (i == 20)
                                             throw boom{20};
                                         ++begun;
                                         work_a_little(500);
                                         ++ended;
                                     }));
        };
        EXPECT_THROW(run(), boom);
        ASSERT_EQ(begun, ended);
    }
    EXPECT_TRUE(pool_is_usable());
}

// The ordered filter never gets its first item, so the others are held back before it.
TEST(api_pipeline_cancel, items_that_are_held_back_are_destroyed) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the first item waits for the others");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    constexpr int items = 64;
    std::atomic<int> arrived{0};
    const counter input(items);
    const auto run = [&] {
        parallel_pipeline(items,
                          make_filter<void, counted>(filter_mode::serial_in_order, [&](flow_control& c) {
                              return counted(input(c));
                          }) & make_filter<counted, counted>(filter_mode::parallel, [&](const counted& c) {
                              ++arrived;
                              if (c.value == 0) {
                                  bough_test::comes_true([&] { return arrived == items; });
                                  throw boom{0};
                              }
                              return c;
                          }) & make_filter<counted, void>(filter_mode::serial_in_order, [](const counted&) {
                              ADD_FAILURE() << "its turn has not come";
                          }));
    };
    EXPECT_THROW(run(), boom);
    EXPECT_EQ(arrived, items);
    EXPECT_EQ(counted::alive, 0);
}

// An endless input ends only when it is cancelled.
auto endless(std::atomic<int>& passed) {
    return make_filter<void, counted>(filter_mode::serial_in_order,
                                      [](flow_control&) { return counted(1); }) &
           make_filter<counted, void>(filter_mode::parallel, [&](const counted&) { ++passed; });
}

TEST(api_pipeline_cancel, ends_when_its_context_is_cancelled) {
    for (const auto kind : {bough::task_group_context::bound, bough::task_group_context::isolated}) {
        bough::task_group_context context(kind);
        std::atomic<int> passed{0};
        const auto chain =
            make_filter<void, counted>(filter_mode::serial_in_order,
                                       [&](flow_control&) {
                                           if (passed >= 50)
                                               context.cancel_group_execution();
                                           return counted(1);
                                       }) &
            make_filter<counted, void>(filter_mode::parallel, [&](const counted&) { ++passed; });
        parallel_pipeline(8, chain, context);
        EXPECT_GE(passed, 50);
        const int before = passed;
        parallel_pipeline(8, chain, context);
        EXPECT_EQ(passed, before) << "nothing runs in a cancelled context";
        EXPECT_EQ(counted::alive, 0);
    }
}

TEST(api_pipeline_cancel, ends_with_the_task_around_it) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the spawner waits for what its tasks do");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    bough::task_group group;
    std::atomic<int> passed{0};
    group.run([&] { parallel_pipeline(4, endless(passed)); });
    group.run([&] {
        bough::task_group_context bound;
        parallel_pipeline(4, endless(passed), bound);
    });
    while (passed < 10)
        std::this_thread::yield();
    group.cancel();
    EXPECT_EQ(group.wait(), bough::canceled);
    EXPECT_EQ(counted::alive, 0);
}

TEST(api_pipeline_cancel, an_isolated_context_is_not_cancelled_with_the_task_around_it) {
    bough::task_group group;
    std::atomic<int> passed{0};
    group.run_and_wait([&] {
        group.cancel();
        bough::task_group_context isolated(bough::task_group_context::isolated);
        parallel_pipeline(4, make_filter<void, int>(filter_mode::parallel, counter(100)),
                          make_filter<int, void>(filter_mode::parallel, [&](int) { ++passed; }), isolated);
        EXPECT_EQ(passed, 100);
        parallel_pipeline(4, make_filter<void, int>(filter_mode::parallel, counter(100)),
                          make_filter<int, void>(filter_mode::parallel, [&](int) { ++passed; }));
    });
    EXPECT_EQ(passed, 100);
}

// What runs inside a filter is cancelled with it.
TEST(api_pipeline_cancel, reaches_loops_inside_filters) {
    if (allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    bough::task_group_context context;
    std::atomic<bool> is_inside{false};
    parallel_pipeline(2, make_filter<void, int>(filter_mode::serial_in_order, counter(2)),
                      make_filter<int, void>(filter_mode::parallel,
                                             [&](int i) {
                                                 if (i == 1) {
                                                     while (!is_inside)
                                                         std::this_thread::yield();
                                                     context.cancel_group_execution();
                                                     return;
                                                 }
                                                 std::atomic<int> passed{0};
                                                 is_inside = true;
                                                 parallel_pipeline(4, endless(passed));
                                             }),
                      context);
    EXPECT_EQ(counted::alive, 0);
}

TEST(api_pipeline_nested, in_every_filter_of_a_pipeline) {
    std::atomic<int> inner_items{0}, indices{0};
    const auto inner = [&] {
        parallel_pipeline(3, make_filter<void, int>(filter_mode::parallel, counter(5)) &
                                 make_filter<int, void>(filter_mode::serial_in_order, [&](int) {
                                     ++inner_items;
                                     bough::parallel_for(0, 10, [&](int) { ++indices; });
                                 }));
    };
    const counter input(20);
    parallel_pipeline(4, make_filter<void, int>(filter_mode::parallel, [&](flow_control& control) {
                             const int i = input(control);
                             if (!control.is_stopped())
                                 inner();
                             return i;
                         }) & make_filter<int, int>(filter_mode::serial_in_order, [&](int i) {
                             inner();
                             return i;
                         }) & make_filter<int, void>(filter_mode::parallel, [&](int) { inner(); }));
    EXPECT_EQ(inner_items, 3 * 20 * 5);
    EXPECT_EQ(indices, 10 * inner_items);
}

TEST(api_pipeline_nested, in_loops_and_in_isolated_regions) {
    std::atomic<int> passed{0};
    bough::parallel_for(0, 50, [&](int) {
        bough::this_task_arena::isolate([&] {
            parallel_pipeline(4, make_filter<void, int>(filter_mode::serial_in_order, counter(10)) &
                                     make_filter<int, void>(filter_mode::parallel, [&](int) { ++passed; }));
        });
    });
    EXPECT_EQ(passed, 500);
}

TEST(api_pipeline_nested, an_inner_exception_goes_through_both) {
    const auto run = [&] {
        parallel_pipeline(
            4, make_filter<void, int>(filter_mode::parallel, counter(100)),
            make_filter<int, void>(filter_mode::parallel, [&](int i) {
                parallel_pipeline(
                    2, make_filter<void, counted>(filter_mode::parallel, [i](flow_control&) {
                           if (i == 50)
                               throw boom{50};
                           return counted(i);
                       }) & make_filter<counted, counted>(filter_mode::serial_in_order, [](const counted& c) {
                           if (c.value != 50)
                               throw c.value;
                           return c;
                       }) & make_filter<counted, void>(filter_mode::parallel, [](const counted&) {}));
            }));
    };
    EXPECT_ANY_THROW(run());
    EXPECT_EQ(counted::alive, 0);
}

TEST(api_pipeline_nested, from_many_threads_at_once) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int round = 0; round < 20; ++round) {
                int next = 0;
                parallel_pipeline(3,
                                  make_filter<void, int>(filter_mode::serial_in_order, counter(50)) &
                                      make_filter<int, int>(filter_mode::parallel, [](int i) { return i; }) &
                                      make_filter<int, void>(filter_mode::serial_in_order,
                                                             [&](int i) { EXPECT_EQ(i, next++); }));
                EXPECT_EQ(next, 50);
            }
        });
    for (std::thread& t : threads)
        t.join();
}

// The thread of a suspended filter goes on with other tokens.
TEST(api_pipeline_nested, filters_may_be_suspended) {
    std::atomic<int> resumed{0};
    int next = 0;
    parallel_pipeline(
        4, make_filter<void, int>(filter_mode::serial_in_order, counter(50)) &
               make_filter<int, int>(filter_mode::parallel,
                                     [&](int i) {
                                         bough::suspend([](bough::suspend_point p) { bough::resume(p); });
                                         ++resumed;
                                         return i;
                                     }) &
               make_filter<int, void>(filter_mode::serial_in_order, [&](int i) { EXPECT_EQ(i, next++); }));
    EXPECT_EQ(resumed, 50);
    EXPECT_EQ(next, 50);
}

}  // namespace
