// tbb::task_group_context: cancellation and who is reached by it, reset, traits, floating-point settings, and the
// current context of a task.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <cfenv>
#include <type_traits>

using namespace conformance;
using tbb::task_group_context;

static_assert(!std::is_copy_constructible_v<task_group_context> &&
              !std::is_copy_assignable_v<task_group_context>);

namespace {

// How many of `n` single iterations run under this context.
int iterations_under(task_group_context& context, int n) {
    std::atomic<int> count{0};
    tbb::parallel_for(
        tbb::blocked_range<int>(0, n), [&](const tbb::blocked_range<int>& r) { count += int(r.size()); },
        tbb::simple_partitioner(), context);
    return count;
}

TEST(task_group_context, traits) {
    using c = task_group_context;
    EXPECT_EQ(c().traits(), std::uintptr_t{c::default_traits});
    EXPECT_EQ(c(c::isolated).traits(), std::uintptr_t{c::default_traits});
    EXPECT_EQ(c(c::bound, c::fp_settings).traits(), std::uintptr_t{c::fp_settings});
    EXPECT_EQ(c(c::isolated, c::concurrent_wait).traits(), std::uintptr_t{c::concurrent_wait});
    EXPECT_EQ(c(c::bound, c::fp_settings | c::concurrent_wait).traits(),
              std::uintptr_t{c::fp_settings | c::concurrent_wait});
    c captured;
    captured.capture_fp_settings();
    EXPECT_EQ(captured.traits(), std::uintptr_t{c::fp_settings});
}

TEST(task_group_context, the_first_cancel_says_so) {
    for (auto kind : {task_group_context::bound, task_group_context::isolated}) {
        task_group_context context(kind);
        EXPECT_FALSE(context.is_group_execution_cancelled());
        EXPECT_TRUE(context.cancel_group_execution());
        EXPECT_TRUE(context.is_group_execution_cancelled());
        EXPECT_FALSE(context.cancel_group_execution());
        context.reset();
        EXPECT_FALSE(context.is_group_execution_cancelled());
        EXPECT_TRUE(context.cancel_group_execution());
    }
}

TEST(task_group_context, one_of_many_threads_cancels_first) {
    for (int round = 0; round < 50; ++round) {
        task_group_context context;
        std::atomic<int> first{0};
        run_threads(4, [&](int) { first += context.cancel_group_execution(); });
        EXPECT_EQ(first, 1);
    }
}

TEST(task_group_context, nothing_runs_under_a_cancelled_one_until_it_is_reset) {
    for_widths([] {
        for (auto kind : {task_group_context::bound, task_group_context::isolated}) {
            task_group_context context(kind);
            EXPECT_EQ(iterations_under(context, 100), 100);
            context.cancel_group_execution();
            EXPECT_EQ(iterations_under(context, 100), 0);
            EXPECT_EQ(iterations_under(context, 100), 0);
            EXPECT_TRUE(context.is_group_execution_cancelled()) << "a loop does not reset its context";
            context.reset();
            EXPECT_EQ(iterations_under(context, 100), 100);
        }
    });
}

TEST(task_group_context, cancelled_from_a_body) {
    for_widths([] {
        task_group_context context;
        std::atomic<int> after{0};
        tbb::parallel_for(
            tbb::blocked_range<int>(0, 1000),
            [&](const tbb::blocked_range<int>&) {
                after += context.cancel_group_execution();
                EXPECT_TRUE(tbb::is_current_task_group_canceling());
            },
            tbb::simple_partitioner(), context);
        EXPECT_EQ(after, 1);
        EXPECT_TRUE(context.is_group_execution_cancelled());
    });
    with_width(1, [] {
        task_group_context context;
        int pieces = 0;
        tbb::parallel_for(
            tbb::blocked_range<int>(0, 1000),
            [&](const tbb::blocked_range<int>&) {
                ++pieces;
                context.cancel_group_execution();
            },
            tbb::simple_partitioner(), context);
        EXPECT_EQ(pieces, 1) << "what had not begun was skipped";
    });
}

TEST(task_group_context, cancelled_from_another_thread) {
    for_widths([] {
        task_group_context context;
        std::atomic<bool> started{false};
        std::thread thread([&] {
            spin_until([&] { return started.load(); });
            context.cancel_group_execution();
        });
        tbb::parallel_for(
            0, 8,
            [&](int) {
                started = true;
                spin_until([] { return tbb::is_current_task_group_canceling(); });
            },
            context);
        thread.join();
    });
}

// Seen by the thread that cancels. That all the others see it at last is in better_test.cpp: oneTBB was seen to lose
// it.
TEST(task_group_context, cancellation_goes_down_the_tree) {
    for_widths([] {
        for (int round = 0; round < 10; ++round) {
            task_group_context top;
            std::atomic<int> cancelled{0};
            tbb::parallel_for(
                0, 4,
                [&](int) {
                    task_group_context middle;
                    std::atomic<bool> here{false};
                    const auto cancel = [&](int) {
                        if (top.cancel_group_execution()) {
                            EXPECT_TRUE(tbb::is_current_task_group_canceling());
                            EXPECT_TRUE(middle.is_group_execution_cancelled());
                            here = true;
                        }
                    };
                    tbb::parallel_for(0, 4, [&](int) { tbb::parallel_for(0, 4, cancel); }, middle);
                    if (here) {
                        ++cancelled;
                        EXPECT_TRUE(middle.is_group_execution_cancelled());
                        EXPECT_TRUE(tbb::is_current_task_group_canceling());
                    }
                },
                top);
            EXPECT_EQ(cancelled, 1);
            EXPECT_TRUE(top.is_group_execution_cancelled());
        }
    });
}

TEST(task_group_context, cancellation_does_not_go_up_nor_sideways) {
    for_widths([] {
        task_group_context top, unrelated;
        std::atomic<int> ended{0};
        tbb::parallel_for(
            0, 8,
            [&](int i) {
                task_group_context mine;
                if (i % 2) {
                    tbb::parallel_for(0, 4, [&](int) { mine.cancel_group_execution(); }, mine);
                    EXPECT_TRUE(mine.is_group_execution_cancelled());
                } else {
                    EXPECT_EQ(iterations_under(mine, 20), 20);
                    EXPECT_FALSE(mine.is_group_execution_cancelled());
                }
                EXPECT_FALSE(tbb::is_current_task_group_canceling());
                ++ended;
            },
            top);
        EXPECT_EQ(ended, 8);
        EXPECT_FALSE(top.is_group_execution_cancelled());
        EXPECT_EQ(iterations_under(unrelated, 10), 10);
    });
}

TEST(task_group_context, an_isolated_one_is_not_reached) {
    for_widths([] {
        task_group_context top;
        std::atomic<int> began{0}, whole{0};
        tbb::parallel_for(
            0, 4,
            [&](int) {
                ++began;
                task_group_context isolated(task_group_context::isolated);
                std::atomic<int> ran{0};
                tbb::parallel_for(
                    0, 50,
                    [&](int) {
                        top.cancel_group_execution();
                        EXPECT_FALSE(tbb::is_current_task_group_canceling());
                        ++ran;
                    },
                    isolated);
                EXPECT_FALSE(isolated.is_group_execution_cancelled());
                whole += ran == 50;
            },
            top);
        EXPECT_EQ(began, whole);
    });
}

TEST(task_group_context, one_that_begins_under_a_cancelled_one) {
    for_widths([] {
        task_group_context top;
        tbb::parallel_for(
            0, 4,
            [&](int) {
                top.cancel_group_execution();
                task_group_context bound, isolated(task_group_context::isolated);
                EXPECT_EQ(iterations_under(bound, 10), 0);
                EXPECT_EQ(iterations_under(isolated, 10), 10);
                bool ran = false;
                tbb::parallel_invoke([&] { ran = true; }, [&] { ran = true; });
                EXPECT_FALSE(ran);
            },
            top);
    });
}

TEST(task_group_context, cancelled_by_an_exception) {
    for_widths([] {
        task_group_context context;
        EXPECT_EQ(
            number_thrown_by([&] { tbb::parallel_for(0, 100, [](int) { throw test_error(3); }, context); }),
            3);
        EXPECT_TRUE(context.is_group_execution_cancelled());
        context.reset();
        EXPECT_EQ(iterations_under(context, 100), 100) << "and the exception is forgotten";
    });
}

TEST(task_group_context, outlives_the_thread_that_used_it) {
    for (int round = 0; round < 20; ++round) {
        auto context = std::make_unique<task_group_context>();
        std::thread([&] { EXPECT_EQ(iterations_under(*context, 10), 10); }).join();
        EXPECT_EQ(iterations_under(*context, 10), 10);
        EXPECT_TRUE(context->cancel_group_execution());
        std::thread([&] { context.reset(); }).join();
    }
}

TEST(task_group_context, made_in_one_task_destroyed_in_another) {
    for_widths([] {
        std::vector<std::unique_ptr<task_group_context>> contexts(50);
        tbb::parallel_for(std::size_t{0}, contexts.size(), [&](std::size_t i) {
            contexts[i] = std::make_unique<task_group_context>();
            EXPECT_EQ(iterations_under(*contexts[i], 5), 5);
        });
        tbb::parallel_for(std::size_t{0}, contexts.size(), [&](std::size_t i) { contexts[49 - i].reset(); });
    });
}

TEST(task_group_context, threads_make_use_and_cancel_many) {
    run_threads(4, [](int) {
        for (int i = 0; i < 50; ++i) {
            tbb::parallel_for(0, 4, [](int) {
                task_group_context context;
                EXPECT_EQ(iterations_under(context, 4), 4);
                context.cancel_group_execution();
                EXPECT_FALSE(tbb::is_current_task_group_canceling());
            });
        }
    });
}

TEST(current_context, outside_of_tasks_there_is_none) {
    std::thread([] {
        EXPECT_EQ(tbb::task::current_context(), nullptr);
        EXPECT_FALSE(tbb::is_current_task_group_canceling());
        tbb::parallel_for(0, 10, [](int) {});
        EXPECT_EQ(tbb::task::current_context(), nullptr);
    }).join();
}

TEST(current_context, is_the_loops_own) {
    for_widths([] {
        task_group_context outer;
        tbb::parallel_for(
            0, 20,
            [&](int) {
                EXPECT_EQ(tbb::task::current_context(), &outer);
                task_group_context inner;
                tbb::parallel_for(
                    0, 20, [&](int) { EXPECT_EQ(tbb::task::current_context(), &inner); }, inner);
                EXPECT_EQ(tbb::task::current_context(), &outer);
                tbb::parallel_for(0, 20, [&](int) {
                    EXPECT_NE(tbb::task::current_context(), nullptr);
                    EXPECT_NE(tbb::task::current_context(), &outer);
                });
                EXPECT_EQ(tbb::task::current_context(), &outer);
            },
            outer);
    });
}

TEST(current_context, cancels_the_loop_that_asks) {
    for_widths([] {
        tbb::parallel_for(0, 100, [&](int) {
            tbb::task::current_context()->cancel_group_execution();
            EXPECT_TRUE(tbb::is_current_task_group_canceling());
        });
        std::atomic<int> count{0};
        tbb::parallel_for(0, 100, [&](int) { ++count; });
        EXPECT_EQ(count, 100) << "the next loop has a context of its own";
    });
}

// Sets a rounding mode for as long as it lives.
class rounding {
public:
    explicit rounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
    ~rounding() { std::fesetround(before_); }

private:
    int before_;
};

void expect_rounding_in_bodies(task_group_context& context, int mode) {
    const int outside = std::fegetround();
    tbb::parallel_for(
        tbb::blocked_range<int>(0, 200),
        [mode](const tbb::blocked_range<int>&) {
            EXPECT_EQ(std::fegetround(), mode);
            tbb::parallel_for(0, 5,
                              [mode](int) { EXPECT_EQ(std::fegetround(), mode) << "in a loop inside"; });
            EXPECT_EQ(std::fegetround(), mode);
        },
        tbb::simple_partitioner(), context);
    EXPECT_EQ(std::fegetround(), outside) << "the caller keeps its own";
}

TEST(fp_settings, are_captured_when_the_context_is_made) {
    for_widths([] {
        for (auto kind : {task_group_context::bound, task_group_context::isolated}) {
            for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST}) {
                std::unique_ptr<task_group_context> context;
                {
                    const rounding change(mode);
                    context = std::make_unique<task_group_context>(kind, task_group_context::fp_settings);
                }
                expect_rounding_in_bodies(*context, mode);
                context->reset();
                expect_rounding_in_bodies(*context, mode);
            }
        }
    });
}

TEST(fp_settings, reach_the_functions_of_an_invoke_inside) {
    task_group_context context;
    {
        const rounding change(FE_UPWARD);
        context.capture_fp_settings();
    }
    tbb::parallel_for(
        0, 4,
        [](int) {
            std::atomic<int> began{0};
            const auto both = [&began] {  // on two threads, where there are two
                ++began;
                for (int us = 0; us < 1000 && began != 2; ++us)
                    std::this_thread::sleep_for(std::chrono::microseconds(1));
                EXPECT_EQ(std::fegetround(), FE_UPWARD);
            };
            for (int i = 0; i < 20; ++i) {
                began = 0;
                tbb::parallel_invoke(both, both);
            }
            EXPECT_EQ(std::fegetround(), FE_UPWARD);
        },
        context);
    std::atomic<int> near{0};
    tbb::parallel_invoke([&near] { near += std::fegetround() == FE_TONEAREST; },
                         [&near] { near += std::fegetround() == FE_TONEAREST; });
    EXPECT_EQ(near, 2);
}

TEST(fp_settings, are_captured_on_demand) {
    for_widths([] {
        task_group_context context;
        for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            {
                const rounding change(mode);
                context.capture_fp_settings();
            }
            expect_rounding_in_bodies(context, mode);
        }
        const rounding change(FE_DOWNWARD);
        expect_rounding_in_bodies(context, FE_TOWARDZERO);
    });
}

TEST(fp_settings, of_a_context_inside_win_over_those_outside) {
    for_widths([] {
        task_group_context outer, inner(task_group_context::isolated);
        {
            const rounding change(FE_UPWARD);
            outer.capture_fp_settings();
        }
        tbb::parallel_for(
            0, 20,
            [](int) {
                task_group_context own;
                {
                    const rounding change(FE_DOWNWARD);
                    own.capture_fp_settings();
                }
                EXPECT_EQ(std::fegetround(), FE_UPWARD);
                expect_rounding_in_bodies(own, FE_DOWNWARD);
            },
            outer);
    });
}

TEST(fp_settings, are_restored_after_an_exception) {
    task_group_context context;
    {
        const rounding change(FE_UPWARD);
        context.capture_fp_settings();
    }
    const int outside = std::fegetround();
    EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for(0, 10, [](int) { throw test_error(1); }, context); }),
              1);
    EXPECT_EQ(std::fegetround(), outside);
}

}  // namespace
