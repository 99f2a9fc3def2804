// tbb::task_group: cancellation, exceptions, and destruction without wait. Compiled twice, as task_group_test.cpp.
#include "support.h"

#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

using namespace conformance;

namespace {

TEST(task_group_cancel, tasks_of_a_cancelled_group_do_not_run) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        group.cancel();
        for (int i = 0; i < 100; ++i)
            group.run([&] { ++count; });
        group.run(group.defer([&] { ++count; }));
        EXPECT_EQ(group.wait(), tbb::canceled);
        EXPECT_EQ(count, 0);
    });
}

TEST(task_group_cancel, run_and_wait_of_a_cancelled_group) {
    for_widths([] {
        tbb::task_group group;
        int count = 0;
        group.cancel();
        EXPECT_EQ(group.run_and_wait([&] { ++count; }), tbb::canceled);
        EXPECT_EQ(count, 0);
        group.cancel();
        EXPECT_EQ(group.run_and_wait(group.defer([&] { ++count; })), tbb::canceled);
        EXPECT_EQ(count, 0);
        EXPECT_EQ(group.run_and_wait([&] { ++count; }), tbb::complete);
        EXPECT_EQ(count, 1);
    });
}

TEST(task_group_cancel, is_told_once_and_the_group_goes_on) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        group.cancel();
        group.cancel();
        EXPECT_EQ(group.wait(), tbb::canceled);
        EXPECT_EQ(group.wait(), tbb::complete);
        group.run([&] { ++count; });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(count, 1);
    });
}

TEST(task_group_cancel, from_a_task) {
    for_widths([] {
        tbb::task_group group;
        bool before = true, after = false;
        group.run([&] {
            before = tbb::is_current_task_group_canceling();
            group.cancel();
            after = tbb::is_current_task_group_canceling();
        });
        EXPECT_EQ(group.wait(), tbb::canceled);
        EXPECT_FALSE(before);
        EXPECT_TRUE(after);
        EXPECT_FALSE(tbb::is_current_task_group_canceling()) << "outside of all tasks";
    });
}

TEST(task_group_cancel, from_another_thread) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<bool> started{false};
        std::thread thread([&] {
            spin_until([&] { return started.load(); });
            group.cancel();
        });
        const auto status = group.run_and_wait([&] {
            started = true;
            spin_until([] { return tbb::is_current_task_group_canceling(); });
        });
        thread.join();
        EXPECT_EQ(status, tbb::canceled);
    });
}

TEST(task_group_cancel, skips_what_has_not_begun) {
    with_width(1, [] {
        tbb::task_group group;
        int ran = 0;
        const auto status = group.run_and_wait([&] {
            group.run([&] { ++ran; });
            group.cancel();
            group.run([&] { ++ran; });
        });
        EXPECT_EQ(status, tbb::canceled);
        EXPECT_EQ(ran, 0);
    });
}

TEST(task_group_cancel, reaches_the_groups_inside) {
    for_widths([] {
        tbb::task_group outer;
        outer.run([&] {
            tbb::task_group inner;
            inner.run([&] {
                outer.cancel();
                spin_until([] { return tbb::is_current_task_group_canceling(); });
            });
            EXPECT_EQ(inner.wait(), tbb::canceled);
            int ran = 0;
            tbb::task_group late;
            late.run([&] { ++ran; });
            EXPECT_EQ(late.wait(), tbb::canceled) << "a group that starts under a cancelled one";
            EXPECT_EQ(ran, 0);
        });
        EXPECT_EQ(outer.wait(), tbb::canceled);
    });
}

TEST(task_group_cancel, does_not_reach_the_group_outside) {
    for_widths([] {
        tbb::task_group outer;
        std::atomic<int> ran{0};
        for (int i = 0; i < 10; ++i) {
            outer.run([&] {
                tbb::task_group inner;
                inner.cancel();
                EXPECT_EQ(inner.wait(), tbb::canceled);
                EXPECT_FALSE(tbb::is_current_task_group_canceling());
                ++ran;
            });
        }
        EXPECT_EQ(outer.wait(), tbb::complete);
        EXPECT_EQ(ran, 10);
    });
}

TEST(task_group_cancel, with_the_users_context) {
    for_widths([] {
        tbb::task_group_context context;
        tbb::task_group group(context);
        std::atomic<int> ran{0};
        group.run([&] {
            ++ran;
            EXPECT_EQ(tbb::task::current_context(), &context);
        });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(ran, 1);
        context.cancel_group_execution();
        group.run([&] { ++ran; });
        EXPECT_EQ(group.wait(), tbb::canceled);
        EXPECT_EQ(ran, 1);
        EXPECT_FALSE(context.is_group_execution_cancelled()) << "wait resets the context";
        group.cancel();
        EXPECT_TRUE(context.is_group_execution_cancelled());
        EXPECT_EQ(group.run_and_wait([&] { ++ran; }), tbb::canceled);
        EXPECT_EQ(ran, 1);
    });
}

TEST(task_group_cancel, two_groups_share_a_context) {
    for_widths([] {
        tbb::task_group_context context(tbb::task_group_context::isolated);
        tbb::task_group a(context), b(context);
        int ran = 0;
        a.cancel();
        b.run([&] { ++ran; });
        EXPECT_EQ(b.wait(), tbb::canceled);
        EXPECT_EQ(ran, 0);
        EXPECT_EQ(a.wait(), tbb::complete) << "b's wait has reset the context";
    });
}

TEST(task_group_cancel, an_isolated_context_is_not_cancelled_from_outside) {
    for_widths([] {
        tbb::task_group outer;
        std::atomic<int> ran{0};
        outer.run([&] {
            tbb::task_group_context context(tbb::task_group_context::isolated);
            tbb::task_group inner(context);
            outer.cancel();
            inner.run([&] { ++ran; });
            EXPECT_EQ(inner.wait(), tbb::complete);
        });
        EXPECT_EQ(outer.wait(), tbb::canceled);
        EXPECT_EQ(ran, 1);
    });
}

TEST(task_group_throw, wait_rethrows) {
    for_widths([] {
        tbb::task_group group;
        group.run([] { throw test_error(1); });
        EXPECT_EQ(number_thrown_by([&] { group.wait(); }), 1);
        EXPECT_EQ(group.wait(), tbb::complete) << "the exception is told once";
        group.run(group.defer([] { throw test_error(2); }));
        EXPECT_EQ(number_thrown_by([&] { group.wait(); }), 2);
        EXPECT_EQ(number_thrown_by([&] { group.run_and_wait([] { throw test_error(3); }); }), 3);
        EXPECT_EQ(number_thrown_by([&] { group.run_and_wait(group.defer([] { throw test_error(4); })); }), 4);
        std::atomic<int> ran{0};
        group.run([&] { ++ran; });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(ran, 1);
    });
}

TEST(task_group_throw, any_type) {
    for_widths([] {
        tbb::task_group group;
        group.run([] { throw 42; });
        EXPECT_THROW(group.wait(), int);
        group.run([] { throw std::make_unique<int>(1); });
        EXPECT_THROW(group.wait(), std::unique_ptr<int>);
    });
}

TEST(task_group_throw, one_of_many_arrives) {
    for_widths([] {
        tbb::task_group group;
        for (int i = 0; i < 50; ++i)
            group.run([i] { throw test_error(i); });
        const int arrived = number_thrown_by([&] { group.wait(); });
        EXPECT_GE(arrived, 0);
        EXPECT_LT(arrived, 50);
        EXPECT_EQ(group.wait(), tbb::complete);
    });
}

TEST(task_group_throw, the_first_wins_and_cancels_the_rest) {
    with_width(1, [] {
        tbb::task_group group;
        int ran = 0;
        const int arrived = number_thrown_by([&] {
            group.run_and_wait([&] {
                group.run([&] { ++ran; });
                group.run([&] { throw test_error(2); });
                throw test_error(1);
            });
        });
        EXPECT_EQ(arrived, 1);
        EXPECT_EQ(ran, 0);
    });
}

TEST(task_group_throw, passes_through_nested_groups) {
    for_widths([] {
        tbb::task_group outer;
        outer.run([] {
            tbb::task_group inner;
            inner.run([] { throw test_error(5); });
            inner.wait();
            ADD_FAILURE() << "not reached";
        });
        EXPECT_EQ(number_thrown_by([&] { outer.wait(); }), 5);
    });
}

TEST(task_group_throw, a_caught_exception_stays_inside) {
    for_widths([] {
        tbb::task_group outer;
        outer.run([] {
            tbb::task_group inner;
            inner.run([] { throw test_error(5); });
            EXPECT_EQ(number_thrown_by([&] { inner.wait(); }), 5);
        });
        EXPECT_EQ(outer.wait(), tbb::complete);
    });
}

TEST(task_group_throw, with_the_users_context) {
    for_widths([] {
        tbb::task_group_context context;
        tbb::task_group group(context);
        group.run([] { throw test_error(6); });
        EXPECT_EQ(number_thrown_by([&] { group.wait(); }), 6);
        EXPECT_FALSE(context.is_group_execution_cancelled());
        EXPECT_EQ(group.wait(), tbb::complete);
    });
}

TEST(task_group_destruction, without_wait_cancels_and_throws) {
    for_widths([] {
        const auto token = std::make_shared<int>(0);
        const auto forget_to_wait = [&] {
            tbb::task_group group;
            group.run([token] { spin_until([] { return tbb::is_current_task_group_canceling(); }); });
        };
        EXPECT_THROW(forget_to_wait(), tbb::missing_wait);
        EXPECT_EQ(token.use_count(), 1);
    });
}

TEST(task_group_destruction, missing_wait_says_what_it_is) {
    try {
        tbb::task_group group;
        group.run([] { spin_until([] { return tbb::is_current_task_group_canceling(); }); });
    } catch (const std::exception& e) {
        EXPECT_NE(dynamic_cast<const tbb::missing_wait*>(&e), nullptr);
        EXPECT_NE(std::string(e.what()), "");
        return;
    }
    ADD_FAILURE() << "no exception";
}

TEST(task_group_destruction, while_another_exception_is_thrown) {
    for_widths([] {
        EXPECT_EQ(number_thrown_by([] {
                      tbb::task_group group;
                      group.run([] { spin_until([] { return tbb::is_current_task_group_canceling(); }); });
                      throw test_error(9);
                  }),
                  9);
    });
}

TEST(task_group_destruction, of_an_idle_group) {
    EXPECT_NO_THROW({
        tbb::task_group group;
        group.run([] {});
        group.wait();
    });
    EXPECT_NO_THROW(tbb::task_group());
    EXPECT_NO_THROW({
        tbb::task_group group;
        group.cancel();
    });
}

}  // namespace
