// tbb::isolated_task_group (preview): a task_group whose waits take no tasks from outside of the group.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <type_traits>

using namespace conformance;
using tbb::isolated_task_group;

static_assert(std::is_base_of_v<tbb::task_group, isolated_task_group>);

namespace {

TEST(isolated_task_group, is_a_task_group) {
    for_widths([] {
        isolated_task_group group;
        std::atomic<int> count{0};
        for (int i = 0; i < 100; ++i) {
            group.run([&] { ++count; });
            group.run(group.defer([&] { ++count; }));
        }
        EXPECT_EQ(group.run_and_wait([&] { ++count; }), tbb::complete);
        EXPECT_EQ(count, 201);
        group.run([&] { ++count; });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(count, 202);
    });
}

TEST(isolated_task_group, cancellation_and_exceptions) {
    for_widths([] {
        isolated_task_group group;
        group.cancel();
        group.run([] { ADD_FAILURE(); });
        EXPECT_EQ(group.wait(), tbb::canceled);
        group.run([] { throw test_error(1); });
        EXPECT_EQ(number_thrown_by([&] { group.wait(); }), 1);
        EXPECT_EQ(number_thrown_by([&] { group.run_and_wait([] { throw test_error(2); }); }), 2);
        EXPECT_EQ(group.wait(), tbb::complete);
    });
}

TEST(isolated_task_group, with_the_users_context) {
    for_widths([] {
        tbb::task_group_context context;
        isolated_task_group group(context);
        group.run([&] { EXPECT_EQ(tbb::task::current_context(), &context); });
        EXPECT_EQ(group.wait(), tbb::complete);
        context.cancel_group_execution();
        EXPECT_EQ(group.run_and_wait([] { ADD_FAILURE(); }), tbb::canceled);
    });
}

TEST(isolated_task_group, a_waiting_thread_takes_nothing_from_outside) {
    for_widths([] {
        static thread_local bool waiting;
        std::atomic<int> count{0};
        tbb::parallel_for(0, 50, [&](int) {
            EXPECT_FALSE(waiting);
            isolated_task_group group;
            waiting = true;
            for (int i = 0; i < 20; ++i)
                group.run([&] { ++count; });
            group.run_and_wait([&] { ++count; });
            waiting = false;
        });
        EXPECT_EQ(count, 50 * 21);
    });
}

TEST(isolated_task_group, two_groups_are_isolated_from_each_other) {
    with_width(1, [] {
        isolated_task_group a, b;
        bool waiting_for_b = false;
        int of_a = 0, of_b = 0;
        for (int i = 0; i < 10; ++i) {
            a.run([&] {
                EXPECT_FALSE(waiting_for_b);
                ++of_a;
            });
            b.run([&] { ++of_b; });
        }
        waiting_for_b = true;
        EXPECT_EQ(b.wait(), tbb::complete);
        waiting_for_b = false;
        EXPECT_EQ(of_a, 0);
        EXPECT_EQ(of_b, 10);
        EXPECT_EQ(a.wait(), tbb::complete);
        EXPECT_EQ(of_a, 10);
    });
}

TEST(isolated_task_group, destruction_without_wait) {
    const auto forget_to_wait = [] {
        isolated_task_group group;
        group.run([] { spin_until([] { return tbb::is_current_task_group_canceling(); }); });
    };
    EXPECT_THROW(forget_to_wait(), tbb::missing_wait);
}

}  // namespace
