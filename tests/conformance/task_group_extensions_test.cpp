// The preview part of tbb::task_group: order between tasks, completion handles, waiting for one task, handing over
// one's completion, and bodies that return the task to run next.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <mutex>

using namespace conformance;
using tbb::task_completion_handle;
using tbb::task_group;
using tbb::task_handle;

namespace {

// The order in which tasks ran.
class log {
public:
    void add(int n) {
        const std::lock_guard<std::mutex> lock(mutex_);
        order_.push_back(n);
    }
    std::vector<int> order() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return order_;
    }
    std::size_t place_of(int n) {
        const auto all = order();
        EXPECT_EQ(std::count(all.begin(), all.end(), n), 1) << n;
        return std::size_t(std::find(all.begin(), all.end(), n) - all.begin());
    }

private:
    std::mutex mutex_;
    std::vector<int> order_;
};

TEST(completion_handle, empty_full_and_compared) {
    task_completion_handle empty;
    EXPECT_FALSE(empty);
    EXPECT_TRUE(empty == nullptr && nullptr == empty);
    task_group group;
    task_handle task = group.defer([] {});
    task_handle other_task = group.defer([] {});
    task_completion_handle a(task), other(other_task);
    EXPECT_TRUE(a && a != nullptr && nullptr != a);
    EXPECT_TRUE(task) << "the task handle keeps its task";
    task_completion_handle copy(a);
    EXPECT_TRUE(copy == a);
    EXPECT_TRUE(copy != other);
    copy = other;
    EXPECT_TRUE(copy == other);
    task_completion_handle moved(std::move(copy));
    EXPECT_FALSE(copy);
    EXPECT_TRUE(moved == other);
    moved = std::move(a);
    EXPECT_FALSE(a);
    EXPECT_TRUE(moved != other);
    a = task;
    EXPECT_TRUE(moved == a) << "two handles of one task";
    empty = task_completion_handle();
    EXPECT_FALSE(empty);
    group.run(std::move(task));
    group.run(std::move(other_task));
    EXPECT_TRUE(a) << "it stays when the task is submitted";
    group.wait();
    EXPECT_TRUE(a) << "and when it has run";
}

TEST(completion_handle, status) {
    for_widths([] {
        task_group group;
        task_handle task = group.defer([] {});
        task_completion_handle handle(task);
        EXPECT_EQ(group.get_status_of(handle), tbb::not_complete);
        EXPECT_EQ(group.run_and_wait(std::move(task)), tbb::complete);
        EXPECT_EQ(group.get_status_of(handle), tbb::task_complete);
        task_handle cancelled = group.defer([] { ADD_FAILURE(); });
        task_completion_handle of_cancelled(cancelled);
        group.cancel();
        EXPECT_EQ(group.get_status_of(of_cancelled), tbb::not_complete);
        EXPECT_EQ(group.run_and_wait(std::move(cancelled)), tbb::canceled);
        EXPECT_EQ(group.get_status_of(of_cancelled), tbb::canceled);
        EXPECT_EQ(group.get_status_of(handle), tbb::task_complete);
    });
}

TEST(completion_handle, outlives_the_group) {
    task_completion_handle handle;
    {
        task_group group;
        task_handle task = group.defer([] {});
        handle = task;
        group.run_and_wait(std::move(task));
    }
    EXPECT_TRUE(handle);
    task_group other;
    EXPECT_EQ(other.get_status_of(handle), tbb::task_complete);
}

TEST(set_task_order, whichever_is_submitted_first) {
    for_widths([] {
        for (bool predecessor_first : {true, false}) {
            task_group group;
            log seen;
            task_handle before = group.defer([&] { seen.add(1); });
            task_handle after = group.defer([&] { seen.add(2); });
            task_group::set_task_order(before, after);
            if (predecessor_first) {
                group.run(std::move(before));
                group.run(std::move(after));
            } else {
                group.run(std::move(after));
                EXPECT_TRUE(seen.order().empty());
                group.run(std::move(before));
            }
            EXPECT_EQ(group.wait(), tbb::complete);
            EXPECT_EQ(seen.order(), (std::vector<int>{1, 2}));
        }
    });
}

TEST(set_task_order, a_chain) {
    for_widths([] {
        task_group group;
        log seen;
        std::vector<task_handle> tasks;
        std::vector<int> expected;
        for (int i = 0; i < 100; ++i) {
            tasks.push_back(group.defer([&seen, i] { seen.add(i); }));
            expected.push_back(i);
            if (i > 0)
                task_group::set_task_order(tasks[std::size_t(i - 1)], tasks.back());
        }
        for (std::size_t i = tasks.size(); i-- > 0;)
            group.run(std::move(tasks[i]));
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(seen.order(), expected);
    });
}

TEST(set_task_order, many_to_one_and_one_to_many) {
    for_widths([] {
        task_group group;
        log seen;
        task_handle middle = group.defer([&] { seen.add(1000); });
        std::vector<task_handle> before, after;
        for (int i = 0; i < 50; ++i) {
            before.push_back(group.defer([&seen, i] { seen.add(i); }));
            after.push_back(group.defer([&seen, i] { seen.add(2000 + i); }));
            task_group::set_task_order(before.back(), middle);
            task_group::set_task_order(middle, after.back());
        }
        for (task_handle& h : after)
            group.run(std::move(h));
        group.run(std::move(middle));
        for (task_handle& h : before)
            group.run(std::move(h));
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(seen.order().size(), 101u);
        EXPECT_EQ(seen.place_of(1000), 50u);
        for (int i = 0; i < 50; ++i) {
            EXPECT_LT(seen.place_of(i), 50u);
            EXPECT_GT(seen.place_of(2000 + i), 50u);
        }
    });
}

TEST(set_task_order, after_a_task_that_has_run) {
    for_widths([] {
        task_group group;
        task_handle first = group.defer([] {});
        task_completion_handle done(first);
        group.run_and_wait(std::move(first));
        int ran = 0;
        task_handle second = group.defer([&] { ++ran; });
        task_group::set_task_order(done, second);
        EXPECT_EQ(group.run_and_wait(std::move(second)), tbb::complete);
        EXPECT_EQ(ran, 1);
    });
}

TEST(set_task_order, after_a_task_that_is_running) {
    for_widths([] {
        task_group group;
        bool first_over = false, second_ran = false;
        task_completion_handle running;
        task_handle first = group.defer([&] {
            task_handle second = group.defer([&] {
                EXPECT_TRUE(first_over);
                second_ran = true;
            });
            task_group::set_task_order(running, second);
            group.run(std::move(second));
            tbb::parallel_for(0, 10, [](int) {});
            EXPECT_FALSE(second_ran);
            first_over = true;
        });
        running = first;
        EXPECT_EQ(group.run_and_wait(std::move(first)), tbb::complete);
        EXPECT_TRUE(second_ran);
    });
}

TEST(set_task_order, across_groups_and_through_arenas) {
    for_widths([] {
        task_group a, b;
        tbb::task_arena arena(2);
        log seen;
        task_handle first = a.defer([&] { seen.add(1); });
        task_handle second = b.defer([&] { seen.add(2); });
        task_handle third = b.defer([&] { seen.add(3); });
        task_group::set_task_order(first, second);
        task_group::set_task_order(second, third);
        arena.enqueue(std::move(third));
        tbb::this_task_arena::enqueue(std::move(second));
        a.run(std::move(first));
        EXPECT_EQ(a.wait(), tbb::complete);
        EXPECT_EQ(arena.wait_for(b), tbb::complete);
        EXPECT_EQ(seen.order(), (std::vector<int>{1, 2, 3}));
    });
}

TEST(set_task_order, run_and_wait_of_a_task_with_predecessors) {
    for_widths([] {
        task_group group;
        log seen;
        task_handle before = group.defer([&] { seen.add(1); });
        task_handle after = group.defer([&] { seen.add(2); });
        task_group::set_task_order(before, after);
        group.run(std::move(before));
        EXPECT_EQ(group.run_and_wait(std::move(after)), tbb::complete);
        EXPECT_EQ(seen.order(), (std::vector<int>{1, 2}));
    });
}

TEST(set_task_order, of_a_cancelled_group) {
    for_widths([] {
        const auto token = std::make_shared<int>(0);
        task_group group;
        std::vector<task_handle> tasks;
        for (int i = 0; i < 20; ++i) {
            tasks.push_back(group.defer([token] { ADD_FAILURE(); }));
            if (i > 0)
                task_group::set_task_order(tasks[std::size_t(i - 1)], tasks.back());
        }
        group.cancel();
        for (task_handle& h : tasks)
            group.run(std::move(h));
        EXPECT_EQ(group.wait(), tbb::canceled);
        EXPECT_EQ(token.use_count(), 1);
    });
}

TEST(set_task_order, after_a_task_that_throws) {
    for_widths([] {
        task_group group;
        task_handle before = group.defer([] { throw test_error(4); });
        task_handle after = group.defer([] { ADD_FAILURE(); });
        task_completion_handle of_before(before), of_after(after);
        task_group::set_task_order(before, after);
        group.run(std::move(after));
        group.run(std::move(before));
        EXPECT_EQ(number_thrown_by([&] { group.wait(); }), 4);
        EXPECT_EQ(group.get_status_of(of_before), tbb::canceled);
        EXPECT_EQ(group.get_status_of(of_after), tbb::canceled);
    });
}

TEST(wait_for_task, waits_for_the_one) {
    for_widths([] {
        task_group group;
        bool ran = false;
        task_handle task = group.defer([&] { ran = true; });
        task_completion_handle handle(task);
        task_handle pending = group.defer([] {});  // so the group as a whole is not done
        group.run(std::move(task));
        EXPECT_EQ(group.wait_for_task(handle), tbb::task_complete);
        EXPECT_TRUE(ran);
        EXPECT_EQ(group.wait_for_task(handle), tbb::task_complete) << "again";
        group.run(std::move(pending));
        EXPECT_EQ(group.wait(), tbb::complete);
    });
}

TEST(wait_for_task, run_and_wait_for_task) {
    for_widths([] {
        task_group group;
        log seen;
        task_handle pending = group.defer([] {});
        task_handle lone = group.defer([&] { seen.add(1); });
        EXPECT_EQ(group.run_and_wait_for_task(std::move(lone)), tbb::task_complete);
        EXPECT_FALSE(lone);
        task_handle before = group.defer([&] { seen.add(2); });
        task_handle after = group.defer([&] { seen.add(3); });
        task_group::set_task_order(before, after);
        group.run(std::move(before));
        EXPECT_EQ(group.run_and_wait_for_task(std::move(after)), tbb::task_complete);
        EXPECT_EQ(seen.order(), (std::vector<int>{1, 2, 3}));
        group.run(std::move(pending));
        EXPECT_EQ(group.wait(), tbb::complete);
    });
}

TEST(wait_for_task, of_a_cancelled_task) {
    for_widths([] {
        task_group group;
        task_handle task = group.defer([] { ADD_FAILURE(); });
        task_completion_handle handle(task);
        group.cancel();
        group.run(std::move(task));
        EXPECT_EQ(group.wait_for_task(handle), tbb::canceled);
        EXPECT_EQ(group.run_and_wait_for_task(group.defer([] { ADD_FAILURE(); })), tbb::canceled);
        EXPECT_EQ(group.wait(), tbb::canceled);
    });
}

TEST(wait_for_task, in_an_arena) {
    for (int slots : {1, 2, 8}) {
        tbb::task_arena arena(slots);
        task_group group;
        std::atomic<bool> ran{false};
        task_handle pending = group.defer([] {});
        task_handle task = group.defer([&] { ran = true; });
        task_completion_handle handle(task);
        arena.enqueue(std::move(task));
        EXPECT_EQ(arena.wait_for(handle), tbb::task_complete);
        EXPECT_TRUE(ran);
        group.run(std::move(pending));
        EXPECT_EQ(group.wait(), tbb::complete);
    }
}

TEST(transfer_completion, successors_and_waiters_follow) {
    for_widths([] {
        task_group group;
        log seen;
        task_completion_handle handle;
        task_handle first = group.defer([&] {
            seen.add(1);
            task_handle rest = group.defer([&] {
                EXPECT_EQ(group.get_status_of(handle), tbb::not_complete);
                seen.add(2);
            });
            task_group::transfer_this_task_completion_to(rest);
            group.run(std::move(rest));
        });
        handle = first;
        task_handle after = group.defer([&] { seen.add(3); });
        task_group::set_task_order(first, after);
        group.run(std::move(after));
        group.run(std::move(first));
        EXPECT_EQ(group.wait_for_task(handle), tbb::task_complete);
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(seen.order(), (std::vector<int>{1, 2, 3}));
        EXPECT_EQ(group.get_status_of(handle), tbb::task_complete);
    });
}

// The documentation's use: a task splits itself, and its join takes over the completion.
void sum_to(task_group& group, int from, int to, std::atomic<long>& sum) {
    if (to - from <= 4) {
        for (int i = from; i < to; ++i)
            sum += i;
        return;
    }
    const int middle = (from + to) / 2;
    task_handle left = group.defer([&group, &sum, from, middle] { sum_to(group, from, middle, sum); });
    task_handle right = group.defer([&group, &sum, middle, to] { sum_to(group, middle, to, sum); });
    task_handle join = group.defer([] {});
    task_group::set_task_order(left, join);
    task_group::set_task_order(right, join);
    task_group::transfer_this_task_completion_to(join);
    group.run(std::move(left));
    group.run(std::move(right));
    group.run(std::move(join));
}

TEST(transfer_completion, recursive) {
    for_widths([] {
        task_group group;
        std::atomic<long> sum{0};
        task_handle root = group.defer([&] { sum_to(group, 0, 1000, sum); });
        task_handle after = group.defer([&] { EXPECT_EQ(sum, 499500); });
        task_group::set_task_order(root, after);
        task_completion_handle handle(root);
        group.run(std::move(root));
        EXPECT_EQ(group.run_and_wait_for_task(std::move(after)), tbb::task_complete);
        EXPECT_EQ(group.get_status_of(handle), tbb::task_complete);
        EXPECT_EQ(group.wait(), tbb::complete);
    });
}

TEST(returned_task, runs_next) {
    for_widths([] {
        task_group group;
        std::atomic<int> count{0};
        for (int i = 0; i < 50; ++i) {
            group.run([&] {
                ++count;
                return group.defer([&] { ++count; });
            });
        }
        group.run(group.defer([&] { return group.defer([&] { ++count; }); }));
        EXPECT_EQ(group.run_and_wait([&] { return group.defer([&] { ++count; }); }), tbb::complete);
        EXPECT_EQ(count, 102);
        group.run([] { return task_handle(); });
        EXPECT_EQ(group.wait(), tbb::complete) << "an empty handle is nothing to run";
    });
}

TEST(returned_task, with_predecessors_and_successors) {
    for_widths([] {
        task_group group;
        log seen;
        task_handle before = group.defer([&] { seen.add(1); });
        task_handle returned = group.defer([&] { seen.add(2); });
        task_handle returning = group.defer([&] { return std::move(returned); });
        task_handle after = group.defer([&] { seen.add(3); });
        task_group::set_task_order(before, returned);
        task_group::set_task_order(returned, after);
        group.run(std::move(after));
        group.run(std::move(returning));
        group.run(std::move(before));
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_EQ(seen.order(), (std::vector<int>{1, 2, 3}));
    });
}

TEST(is_inside_task, only_there) {
    std::thread([] {
        EXPECT_FALSE(tbb::is_inside_task());
        task_group group;
        group.run_and_wait([] { EXPECT_TRUE(tbb::is_inside_task()); });
        tbb::parallel_for(0, 10, [](int) { EXPECT_TRUE(tbb::is_inside_task()); });
        EXPECT_FALSE(tbb::is_inside_task());
    }).join();
}

}  // namespace
