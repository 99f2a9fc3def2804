// tbb::task_group and tbb::task_handle: run, defer, wait, cancel, status, exceptions, destruction. Compiled twice: as
// it stands, and with the preview macros, which change the layout of the tasks.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <array>
#include <type_traits>

using namespace conformance;

static_assert(!std::is_copy_constructible_v<tbb::task_group> && !std::is_copy_assignable_v<tbb::task_group>);
static_assert(!std::is_nothrow_destructible_v<tbb::task_group>, "the destructor may throw missing_wait");
static_assert(!std::is_copy_constructible_v<tbb::task_handle> &&
              !std::is_copy_assignable_v<tbb::task_handle>);
static_assert(std::is_nothrow_move_constructible_v<tbb::task_handle> &&
              std::is_default_constructible_v<tbb::task_handle>);
static_assert(std::is_base_of_v<std::exception, tbb::missing_wait>);
static_assert(tbb::not_complete != tbb::complete && tbb::complete != tbb::canceled &&
              tbb::not_complete != tbb::canceled);

namespace {

int fibonacci(int n) {
    if (n < 2)
        return n;
    int left = 0, right = 0;
    tbb::task_group group;
    group.run([&left, n] { left = fibonacci(n - 1); });
    group.run([&right, n] { right = fibonacci(n - 2); });
    EXPECT_EQ(group.wait(), tbb::complete);
    return left + right;
}

TEST(task_group, runs_every_task_once) {
    for_widths([] {
        visits seen(1000);
        tbb::task_group group;
        for (std::size_t i = 0; i < 1000; ++i)
            group.run([&seen, i] { seen.add(i); });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_TRUE(seen.each_once());
    });
}

TEST(task_group, waiting_for_nothing_is_complete) {
    tbb::task_group group;
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_EQ(group.wait(), tbb::complete);
}

TEST(task_group, one_group_serves_many_rounds) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        for (int round = 1; round <= 500; ++round) {
            group.run([&] { ++count; });
            group.run([&] { ++count; });
            ASSERT_EQ(group.wait(), tbb::complete);
            ASSERT_EQ(count, 2 * round);
        }
    });
}

TEST(task_group, recursion) {
    for_widths([] { EXPECT_EQ(fibonacci(14), 377); });
}

TEST(task_group, wait_includes_tasks_that_tasks_add) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        std::function<void(int)> grow = [&](int depth) {
            ++count;
            for (int i = 0; depth > 0 && i < 3; ++i)
                group.run([&grow, depth] { grow(depth - 1); });
        };
        group.run([&] { grow(6); });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(count, 1093);  // (3^7 - 1) / 2
    });
}

TEST(task_group, a_long_chain_of_tasks_needs_no_deep_stack) {
    for_widths([] {
        tbb::task_group group;
        int reached = 0;
        std::function<void(int)> step = [&](int n) {
            reached = n;
            if (n < 20000)
                group.run([&step, n] { step(n + 1); });
        };
        group.run([&] { step(1); });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(reached, 20000);
    });
}

TEST(task_group, run_copies_an_lvalue_and_moves_an_rvalue) {
    struct counting {
        counting(int& copies, std::atomic<int>& calls) : copies_(copies), calls_(calls) {}
        counting(const counting& other) : copies_(other.copies_), calls_(other.calls_) { ++copies_; }
        counting(counting&& other) noexcept : copies_(other.copies_), calls_(other.calls_) {}
        void operator()() const { ++calls_; }
        int& copies_;
        std::atomic<int>& calls_;
    };
    int copies = 0;
    std::atomic<int> calls{0};
    const counting f(copies, calls);
    tbb::task_group group;
    group.run(f);
    EXPECT_EQ(copies, 1);
    group.run(counting(copies, calls));
    EXPECT_EQ(copies, 1);
    auto handle = group.defer(f);
    EXPECT_EQ(copies, 2);
    group.run(std::move(handle));
    EXPECT_EQ(group.run_and_wait(f), tbb::complete);
    EXPECT_EQ(copies, 2) << "run_and_wait takes its function by reference";
    EXPECT_EQ(calls, 4);
}

TEST(task_group, move_only_function_objects) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> sum{0};
        for (int i = 1; i <= 10; ++i) {
            group.run([p = std::make_unique<int>(i), &sum] { sum += *p; });
            group.run(group.defer([p = std::make_unique<int>(i), &sum] { sum += *p; }));
        }
        const auto last = [p = std::make_unique<int>(1000), &sum] { sum += *p; };
        EXPECT_EQ(group.run_and_wait(last), tbb::complete);
        EXPECT_EQ(sum, 1110);
    });
}

TEST(task_group, large_function_objects) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> sum{0};
        std::array<int, 2000> numbers;
        numbers.fill(1);
        for (int i = 0; i < 20; ++i) {
            group.run([numbers, &sum] {
                for (int n : numbers)
                    sum += n;
            });
        }
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(sum, 40000);
    });
}

TEST(task_group, function_objects_are_gone_when_wait_returns) {
    for_widths([] {
        const auto token = std::make_shared<int>(0);
        tbb::task_group group;
        for (int i = 0; i < 100; ++i)
            group.run([token] {});
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(token.use_count(), 1);
        group.cancel();
        for (int i = 0; i < 100; ++i)
            group.run([token] {});
        group.run(group.defer([token] {}));
        EXPECT_EQ(group.wait(), tbb::canceled);
        EXPECT_EQ(token.use_count(), 1);
    });
}

TEST(task_group, run_and_wait_waits_for_all_tasks) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        for (int i = 0; i < 100; ++i)
            group.run([&] { ++count; });
        EXPECT_EQ(group.run_and_wait([&] { ++count; }), tbb::complete);
        EXPECT_EQ(count, 101);
    });
}

TEST(task_group, run_and_wait_runs_its_function_in_the_calling_thread) {
    for_widths([] {
        tbb::task_group group;
        for (int i = 0; i < 50; ++i) {
            group.run([] {});
            group.run_and_wait(
                [me = std::this_thread::get_id()] { EXPECT_EQ(std::this_thread::get_id(), me); });
        }
    });
}

TEST(task_handle, empty_and_full) {
    tbb::task_handle empty;
    EXPECT_FALSE(empty);
    EXPECT_TRUE(empty == nullptr && nullptr == empty);
    EXPECT_FALSE(empty != nullptr || nullptr != empty);
    tbb::task_group group;
    tbb::task_handle full = group.defer([] {});
    EXPECT_TRUE(full);
    EXPECT_TRUE(full != nullptr && nullptr != full);
    EXPECT_FALSE(full == nullptr || nullptr == full);
    empty = std::move(full);
    EXPECT_TRUE(empty);
    EXPECT_FALSE(full);
    tbb::task_handle third(std::move(empty));
    EXPECT_FALSE(empty);
    group.run(std::move(third));
    EXPECT_FALSE(third);
    EXPECT_EQ(group.wait(), tbb::complete);
}

TEST(task_handle, runs_when_it_is_run_and_not_before) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        std::vector<tbb::task_handle> handles;
        for (int i = 0; i < 100; ++i)
            handles.push_back(group.defer([&] { ++count; }));
        EXPECT_EQ(count, 0);
        for (std::size_t i = 1; i < handles.size(); ++i)
            group.run(std::move(handles[i]));
        EXPECT_EQ(group.run_and_wait(std::move(handles[0])), tbb::complete);
        EXPECT_FALSE(handles[0]);
        EXPECT_EQ(count, 100);
    });
}

TEST(task_handle, dropped_without_running) {
    const auto token = std::make_shared<int>(0);
    bool ran = false;
    tbb::task_group group;
    {
        tbb::task_handle handle = group.defer([token, &ran] { ran = true; });
        EXPECT_EQ(token.use_count(), 2);
        handle = group.defer([token, &ran] { ran = true; });
        EXPECT_EQ(token.use_count(), 2) << "the first task is destroyed by the assignment";
    }
    EXPECT_EQ(token.use_count(), 1);
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_FALSE(ran);
}

TEST(task_handle, holds_up_the_wait_of_its_group) {
    tbb::task_group group;
    bool ran = false;
    std::atomic<bool> done{false};
    tbb::task_handle handle = group.defer([&] { ran = true; });
    std::thread waiter([&] {
        EXPECT_EQ(group.wait(), tbb::complete);
        done = true;
    });
    EXPECT_FALSE(done);
    EXPECT_EQ(group.run_and_wait(std::move(handle)), tbb::complete);
    waiter.join();
    EXPECT_TRUE(ran);
}

TEST(task_handle, run_by_another_task_or_thread) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        tbb::task_handle inner = group.defer([&] { ++count; });
        group.run([&] { group.run(std::move(inner)); });
        tbb::task_handle other = group.defer([&] { ++count; });
        std::thread thread([&] { EXPECT_NE(group.run_and_wait(std::move(other)), tbb::canceled); });
        EXPECT_EQ(group.wait(), tbb::complete);
        thread.join();
        EXPECT_EQ(count, 2);
    });
}

TEST(task_group, threads_run_and_wait_at_once) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        run_threads(4, [&](int) {
            for (int i = 0; i < 100; ++i)
                group.run([&] { ++count; });
            EXPECT_EQ(group.wait(), tbb::complete);
        });
        EXPECT_EQ(count, 400);
    });
}

TEST(task_group, wait_from_other_threads) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<int> count{0};
        tbb::task_handle gate = group.defer([&] { ++count; });
        run_threads(3, [&](int i) {
            if (i == 0) {
                for (int n = 0; n < 100; ++n)
                    group.run([&] { ++count; });
                EXPECT_EQ(group.run_and_wait(std::move(gate)), tbb::complete);
            } else {
                EXPECT_EQ(group.wait(), tbb::complete);
            }
            EXPECT_EQ(count, 101);
        });
    });
}

TEST(task_group, nested_groups) {
    for_widths([] {
        std::atomic<int> count{0};
        tbb::task_group outer;
        for (int i = 0; i < 20; ++i) {
            outer.run([&] {
                tbb::task_group inner;
                for (int j = 0; j < 20; ++j)
                    inner.run([&] { ++count; });
                EXPECT_EQ(inner.wait(), tbb::complete);
            });
        }
        EXPECT_EQ(outer.wait(), tbb::complete);
        EXPECT_EQ(count, 400);
    });
}

TEST(task_group, loops_inside_tasks) {
    for_widths([] {
        std::atomic<int> count{0};
        tbb::task_group group;
        for (int i = 0; i < 10; ++i)
            group.run([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(count, 1000);
    });
}

}  // namespace
