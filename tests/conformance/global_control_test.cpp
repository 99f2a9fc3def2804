// tbb::global_control: parameters, how several controls combine, and that the limit on threads holds. Also the handler
// of failed assertions.
#include "support.h"

#include <oneapi/tbb/concurrent_vector.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>

#include <chrono>

using namespace conformance;
using control = tbb::global_control;

namespace {

TEST(global_control, defaults) {
    EXPECT_EQ(control::active_value(control::max_allowed_parallelism),
              std::size_t(tbb::info::default_concurrency()));
    EXPECT_GT(control::active_value(control::thread_stack_size), 0u);
    EXPECT_EQ(control::active_value(control::terminate_on_exception), 0u);
    EXPECT_EQ(control::active_value(control::leave_policy),
              std::size_t(tbb::task_arena::leave_policy::automatic));
}

TEST(global_control, of_parallelism_the_smallest_counts) {
    const auto active = [] { return control::active_value(control::max_allowed_parallelism); };
    const std::size_t before = active();
    auto five = std::make_unique<control>(control::max_allowed_parallelism, 5);
    EXPECT_EQ(active(), 5u);
    auto three = std::make_unique<control>(control::max_allowed_parallelism, 3);
    EXPECT_EQ(active(), 3u);
    auto four = std::make_unique<control>(control::max_allowed_parallelism, 4);
    EXPECT_EQ(active(), 3u);
    auto three_again = std::make_unique<control>(control::max_allowed_parallelism, 3);
    EXPECT_EQ(active(), 3u);
    three.reset();
    EXPECT_EQ(active(), 3u);
    three_again.reset();
    EXPECT_EQ(active(), 4u) << "controls may end in any order";
    five.reset();
    EXPECT_EQ(active(), 4u);
    four.reset();
    EXPECT_EQ(active(), before);
    // More than the machine has. Not much more: oneTBB caps it at 257 once its threads exist.
    control many(control::max_allowed_parallelism, 100);
    EXPECT_EQ(active(), 100u);
}

TEST(global_control, of_stack_sizes_the_largest_counts) {
    const auto active = [] { return control::active_value(control::thread_stack_size); };
    const std::size_t before = active();
    constexpr std::size_t mib = 1 << 20;
    {
        control large(control::thread_stack_size, 64 * mib);
        EXPECT_EQ(active(), 64 * mib);
        control small(control::thread_stack_size, 16 * mib);
        EXPECT_EQ(active(), 64 * mib);
        control larger(control::thread_stack_size, 100 * mib);
        EXPECT_EQ(active(), 100 * mib);
    }
    EXPECT_EQ(active(), before);
}

TEST(global_control, of_terminate_on_exception_one_is_enough) {
    const auto active = [] { return control::active_value(control::terminate_on_exception); };
    {
        control no(control::terminate_on_exception, 0);
        EXPECT_EQ(active(), 0u);
        control yes(control::terminate_on_exception, 1);
        EXPECT_EQ(active(), 1u);
        control no_again(control::terminate_on_exception, 0);
        EXPECT_EQ(active(), 1u);
    }
    EXPECT_EQ(active(), 0u);
}

TEST(global_control, leave_policy) {
    {
        control fast(control::leave_policy, tbb::task_arena::leave_policy::fast);
        EXPECT_EQ(control::active_value(control::leave_policy),
                  std::size_t(tbb::task_arena::leave_policy::fast));
        std::atomic<int> count{0};
        tbb::parallel_for(0, 100, [&](int) { ++count; });
        EXPECT_EQ(count, 100);
    }
    EXPECT_EQ(control::active_value(control::leave_policy), 0u);
}

TEST(global_control, parameters_do_not_mix) {
    const std::size_t stack = control::active_value(control::thread_stack_size);
    control limit(control::max_allowed_parallelism, 2);
    EXPECT_EQ(control::active_value(control::thread_stack_size), stack);
    EXPECT_EQ(control::active_value(control::terminate_on_exception), 0u);
    EXPECT_EQ(control::active_value(control::max_allowed_parallelism), 2u);
}

TEST(global_control, no_more_threads_than_allowed) {
    for (int allowed : {1, 2, 3, 8}) {
        control limit(control::max_allowed_parallelism, std::size_t(allowed));
        tbb::task_arena arena(16);
        for (int round = 0; round < 20; ++round) {
            occupancy threads;
            arena.execute([&] {
                tbb::parallel_for(
                    0, 100,
                    [&](int) {
                        // A thread that waits for the inner loop may take another piece of this one: it counts once.
                        thread_local int depth = 0;
                        if (depth++ == 0)
                            threads.enter();
                        tbb::parallel_for(0, 4, [](int) {});
                        if (--depth == 0)
                            threads.leave();
                    },
                    tbb::simple_partitioner());
            });
            EXPECT_LE(threads.most(), allowed);
        }
    }
}

TEST(global_control, the_limit_is_for_all_arenas_together) {
    for (int allowed : {1, 2, 3}) {
        control limit(control::max_allowed_parallelism, std::size_t(allowed));
        occupancy threads;
        // Each application thread is there anyway; workers are allowed - 1, whatever the number of arenas.
        run_threads(3, [&](int) {
            tbb::task_arena arena(8);
            for (int round = 0; round < 20; ++round) {
                arena.execute([&] {
                    tbb::parallel_for(
                        0, 100,
                        [&](int) {
                            threads.enter();
                            threads.leave();
                        },
                        tbb::simple_partitioner());
                });
            }
        });
        EXPECT_LE(threads.most(), 3 + allowed - 1);
    }
}

TEST(global_control, one_thread_means_the_calling_one) {
    control limit(control::max_allowed_parallelism, 1);
    // Made under the limit: where workers have been before, one may be about to steal.
    tbb::task_arena arena(8);
    const auto me = std::this_thread::get_id();
    for (int round = 0; round < 10; ++round)
        arena.execute([&] {
            tbb::parallel_for(
                0, 100,
                [&](int) {
                    EXPECT_EQ(std::this_thread::get_id(), me);
                    std::this_thread::sleep_for(std::chrono::microseconds(20));  // others may come
                },
                tbb::simple_partitioner());
        });
}

TEST(global_control, changes_while_loops_run) {
    std::atomic<bool> stop{false};
    std::thread loops([&] {
        while (!stop) {
            std::atomic<int> count{0};
            tbb::parallel_for(0, 100, [&](int) { ++count; });
            EXPECT_EQ(count, 100);
        }
    });
    run_threads(2, [](int thread) {
        for (int i = 0; i < 100; ++i)
            control limit(control::max_allowed_parallelism, std::size_t(1 + (i + thread) % 4));
    });
    stop = true;
    loops.join();
}

TEST(global_control_death, terminate_on_exception_terminates) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto body = [] {
        control terminate(control::terminate_on_exception, 1);
        try {
            tbb::parallel_for(0, 100, [](int) { throw test_error(1); });
        } catch (...) {
        }
    };
    EXPECT_DEATH(body(), "");
}

// "In any condition that would throw or rethrow an exception": of the library's own, too.
TEST(global_control_death, terminate_on_exception_holds_for_what_the_library_throws) {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    const auto under_control = [](const auto& f) {
        control terminate(control::terminate_on_exception, 1);
        try {
            f();
        } catch (...) {
        }
    };
    EXPECT_DEATH(under_control([] { tbb::parallel_for(0, 100, -1, [](int) {}); }), "");
    EXPECT_DEATH(under_control([] { tbb::concurrent_vector<int>(3).at(7); }), "");
    EXPECT_DEATH(under_control([] {
                     tbb::task_scheduler_handle handle{tbb::attach{}};
                     tbb::parallel_for(0, 2, [&](int) { tbb::finalize(handle); });
                 }),
                 "");
}

[[noreturn]] void own_handler(const char*, int, const char*, const char*) {
    std::abort();
}

TEST(assertion_handler, is_set_and_returned) {
    const tbb::assertion_handler_type usual = tbb::get_assertion_handler();
    EXPECT_NE(usual, nullptr);
    EXPECT_EQ(tbb::set_assertion_handler(own_handler), usual);
    EXPECT_EQ(tbb::get_assertion_handler(), &own_handler);
    EXPECT_EQ(tbb::set_assertion_handler(nullptr), &own_handler);
    EXPECT_EQ(tbb::get_assertion_handler(), usual) << "a null pointer brings back the usual one";
}

}  // namespace
