// Recursion without an end: a clear error on every way into the library, and everything works afterwards.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <bough/bough.h>

#include "support/small_stack.h"
#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

using bough_test::on_small_stack;

namespace {

void expect_usable() {
    std::atomic<int> sum{0};
    bough::parallel_for(0, 100, [&](int i) { sum += i; });
    EXPECT_EQ(sum.load(), 4950);
}

void invoke_for_ever() {
    bough::parallel_invoke([] { invoke_for_ever(); }, [] {});
}

void loop_for_ever() {
    bough::parallel_for(0, 2, [](int i) {
        if (i == 0)
            loop_for_ever();
    });
}

void group_for_ever() {
    bough::task_group g;
    g.run([] { group_for_ever(); });
    g.wait();
}

void arena_for_ever() {
    bough::task_arena arena(2);
    arena.execute([] { arena_for_ever(); });
}

void pipeline_for_ever() {
    int made = 0;
    const auto make = [&](bough::flow_control& control) {
        if (made == 2)
            control.stop();
        return made++;
    };
    bough::parallel_pipeline(
        2, bough::make_filter<void, int>(bough::filter_mode::serial_in_order, make) &
               bough::make_filter<int, void>(bough::filter_mode::parallel, [](int) { pipeline_for_ever(); }));
}

void large_frames_for_ever() {
    volatile char frame[200 << 10];
    for (std::size_t i = sizeof(frame); i-- > 0;)
        frame[i] = 1;
    bough::parallel_for(0, 2, [](int) { large_frames_for_ever(); });
    frame[0] = 2;  // no tail call
}

// A worker that steals one of the tasks goes on to the end of its own stack: more frames than the thread sanitizer has
// room for.
class alone_if_sanitized {
public:
    alone_if_sanitized() {
        if (bough_test::sanitized)
            limit_.emplace(bough::global_control::max_allowed_parallelism, 1);
    }

private:
    std::optional<bough::global_control> limit_;
};

TEST(deep, recursion_of_parallel_invoke_ends_in_an_error) {
    on_small_stack([] {
        EXPECT_THROW(invoke_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_of_loops_ends_in_an_error) {
    on_small_stack([] {
        EXPECT_THROW(loop_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_of_groups_ends_in_an_error) {
    on_small_stack([] {
        const alone_if_sanitized no_worker;
        EXPECT_THROW(group_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_through_arenas_ends_in_an_error) {
    on_small_stack([] {
        EXPECT_THROW(arena_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_of_pipelines_ends_in_an_error) {
    on_small_stack([] {
        const alone_if_sanitized no_worker;
        EXPECT_THROW(pipeline_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

// More than the smallest reserve.
TEST(deep, recursion_of_large_functions_ends_in_an_error) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "under a sanitizer frames are larger, and unwinding 8 MiB of them takes minutes";
    EXPECT_THROW(large_frames_for_ever(), bough::nesting_too_deep);
    expect_usable();
}

TEST(deep, the_error_says_what_to_do) {
    on_small_stack([] {
        try {
            invoke_for_ever();
            FAIL() << "no error";
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find("larger stack"), std::string::npos) << e.what();
        }
    });
}

// At the end of its stack a thread waits for a task of a worker, which has spawned another one: that is not the waiter's to
// fail.
TEST(deep, a_waiter_without_a_stack_leaves_others_tasks_alone) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the spawner waits until its task runs");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    static std::atomic<int> ran;
    static bough::task_group* waited_for;
    ran = 0;
    struct digger {
        static void dig() {
            try {
                bough::parallel_invoke([] { dig(); }, [] {});
            } catch (const bough::nesting_too_deep&) {
                if (bough::task_group* group = std::exchange(waited_for, nullptr))
                    group->wait();
            }
        }
    };
    on_small_stack([] {
        std::atomic<bool> spawned{false};
        bough::task_group group;
        group.run([&] {
            bough::task_group inner;
            inner.run([] { ++ran; });
            spawned = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            EXPECT_NO_THROW(inner.wait());
        });
        while (!spawned)
            std::this_thread::yield();
        waited_for = &group;
        digger::dig();
        EXPECT_EQ(waited_for, nullptr);
        EXPECT_EQ(ran.load(), 1);
    });
}

TEST(deep, the_main_thread_has_a_stack_too) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "under a sanitizer unwinding 8 MiB of frames takes minutes, and all memory";
    EXPECT_THROW(invoke_for_ever(), bough::nesting_too_deep);
    expect_usable();
}

// A million tasks, each made by the one before it: none is inside another.
TEST(deep, a_chain_of_a_million_tasks_needs_no_stack) {
    struct chain {
        bough::task_group group;
        std::atomic<int> left{1'000'000};
        void next() {
            if (left.fetch_sub(1) > 1)
                group.run([this] { next(); });
        }
    } c;
    c.group.run([&] { c.next(); });
    c.group.wait();
    EXPECT_EQ(c.left.load(), 0);
}

}  // namespace
