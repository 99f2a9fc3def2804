// What comes later waits for what came earlier in the same thread: as with oneTBB it ends, as idle threads take what is
// older first (src/worker/sources.md, "Older first").

#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

namespace {

using bough_test::allowed_threads;

class api_older_first : public ::testing::Test {
protected:
    void SetUp() override {
        BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("later work waits for earlier work");
        if (allowed_threads() < 2)
            GTEST_SKIP() << "one thread only";
    }
};

// Bodies that wait until another one has run. If that lasts too long they go on, and the test fails.
class earlier_thing {
public:
    void runs() { ran_ = true; }
    void wait_for_it() {
        if (!bough_test::comes_true([&] { return ran_.load(); }, end_))
            late_ = true;
    }
    bool was_in_time() const { return ran_ && !late_; }

private:
    std::atomic<bool> ran_{false}, late_{false};
    const std::chrono::steady_clock::time_point end_ = bough_test::end_of_patience();
};

constexpr int wide = 1000;

// A task of the group that keeps the worker which has taken it, until that is let go.
class busy_worker {
public:
    explicit busy_worker(bough::task_group& group) {
        group.run([this] {
            is_busy_ = true;
            bough_test::comes_true([this] { return is_free_.load(); }, bough_test::end_of_patience());
        });
        bough_test::comes_true([this] { return is_busy_.load(); }, bough_test::end_of_patience());
    }
    void let_go() { is_free_ = true; }

private:
    std::atomic<bool> is_busy_{false}, is_free_{false};
};

// Runs so many tasks that wait for what came earlier. `spawned` is called when all are spawned.
template <class Spawned>
void run_tasks_after(earlier_thing& first, int tasks, Spawned&& spawned) {
    bough::task_group group;
    for (int k = 0; k < tasks; ++k)
        group.run([&] { first.wait_for_it(); });
    spawned();
    group.wait();
}
void run_tasks_after(earlier_thing& first, int tasks) {
    run_tasks_after(first, tasks, [] {});
}

// Spawns a task, and runs a loop that waits for it.
template <class Partitioner>
void run_a_loop_after_a_task(earlier_thing& task, Partitioner& partitioner) {
    bough::task_group group;
    group.run([&] { task.runs(); });
    bough::parallel_for(0, wide, [&](int) { task.wait_for_it(); }, partitioner);
    group.wait();
}

TEST_F(api_older_first, a_loop_waits_for_a_task_that_came_before_it) {
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        for (int round = 0; round < 20; ++round) {
            earlier_thing task;
            run_a_loop_after_a_task(task, partitioner);
            ASSERT_TRUE(task.was_in_time()) << name;
        }
    });
}

TEST_F(api_older_first, an_isolated_loop_waits_for_a_task_that_came_before_it) {
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        for (int round = 0; round < 20; ++round) {
            earlier_thing task;
            bough::this_task_arena::isolate([&] { run_a_loop_after_a_task(task, partitioner); });
            ASSERT_TRUE(task.was_in_time()) << name;
        }
    });
}

// A worker that comes from elsewhere, while tasks of both kinds lie there.
TEST_F(api_older_first, isolated_tasks_wait_for_a_task_that_came_before_their_region) {
    for (int round = 0; round < 50; ++round) {
        earlier_thing first;
        bough::task_group group;
        busy_worker worker(group);
        group.run([&] { first.runs(); });
        bough::this_task_arena::isolate(
            [&] { run_tasks_after(first, 2 * allowed_threads(), [&] { worker.let_go(); }); });
        group.wait();
        ASSERT_TRUE(first.was_in_time());
    }
}

TEST_F(api_older_first, a_task_waits_for_an_isolated_one_that_came_before_it) {
    for (int round = 0; round < 50; ++round) {
        earlier_thing first;
        bough::task_group group;
        bough::this_task_arena::isolate([&] { group.run([&] { first.runs(); }); });
        for (int k = 0; k < allowed_threads(); ++k)
            group.run([&] { first.wait_for_it(); });
        bough::parallel_for(0, wide, [&](int) { first.wait_for_it(); });
        group.wait();
        ASSERT_TRUE(first.was_in_time());
    }
}

// The caller of the outer loop has done its share, and could take pieces of the inner one.
TEST_F(api_older_first, who_joins_a_loop_leaves_no_older_task_behind) {
    for (const bool isolated : {false, true}) {
        for (int round = 0; round < 50; ++round) {
            earlier_thing first;
            std::atomic<int> arrived{0};
            bough::parallel_for(0, 2, [&](int) {
                // Both units have begun, in two threads.
                if (++arrived == 2)
                    return;
                bough_test::comes_true([&] { return arrived == 2; }, bough_test::end_of_patience());
                const auto work = [&] {
                    bough::auto_partitioner usual;
                    run_a_loop_after_a_task(first, usual);
                };
                if (isolated)
                    bough::this_task_arena::isolate(work);
                else
                    work();
            });
            ASSERT_TRUE(first.was_in_time()) << isolated;
        }
    }
}

// The thread that waits comes for tasks of the group, and meets the outer loop before its gate.
TEST_F(api_older_first, who_waits_for_a_group_leaves_no_older_unit_behind) {
    for (int round = 0; round < 50; ++round) {
        std::atomic<bool> is_there{false};
        earlier_thing unit;
        bough::task_group outer;
        outer.run([&] {
            is_there = true;
            bough::parallel_for(0, 2, [&](int i) {
                if (i == 1)
                    return unit.runs();
                run_tasks_after(unit, 2 * allowed_threads());
            });
        });
        bough_test::comes_true([&] { return is_there.load(); }, bough_test::end_of_patience());
        outer.wait();
        ASSERT_TRUE(unit.was_in_time());
    }
}

// As newer work has no end before older work has run, an older loop comes before newer tasks as well.
TEST_F(api_older_first, isolated_tasks_wait_for_a_unit_of_the_loop_around_them) {
    for (int round = 0; round < 50; ++round) {
        earlier_thing unit;
        bough::parallel_for(0, 2, [&](int i) {
            if (i == 1)
                return unit.runs();
            bough::this_task_arena::isolate([&] { run_tasks_after(unit, 4); });
        });
        ASSERT_TRUE(unit.was_in_time());
    }
}

TEST_F(api_older_first, a_loop_waits_for_the_next_function_of_an_invoke) {
    for (int round = 0; round < 50; ++round) {
        earlier_thing other;
        bough::parallel_invoke([&] { bough::parallel_for(0, wide, [&](int) { other.wait_for_it(); }); },
                               [&] { other.runs(); });
        ASSERT_TRUE(other.was_in_time());
    }
}

// The worker comes between the two loops: the outer one can hand it nothing, the inner one could.
TEST_F(api_older_first, an_inner_loop_waits_for_a_unit_of_the_outer_one) {
    for (int round = 0; round < 100; ++round) {
        earlier_thing unit;
        bough::task_group group;
        busy_worker worker(group);
        bough::parallel_for(0, 2, [&](int i) {
            if (i == 1)
                return unit.runs();
            worker.let_go();
            for (std::atomic<int> turns{0}; turns < 10 * round; ++turns) {
            }
            bough::parallel_for(0, wide, [&](int) { unit.wait_for_it(); });
        });
        group.wait();
        ASSERT_TRUE(unit.was_in_time());
    }
}

TEST_F(api_older_first, tasks_wait_for_a_unit_of_the_loop_around_them) {
    for (int round = 0; round < 50; ++round) {
        earlier_thing unit;
        bough::parallel_for(0, 2, [&](int i) {
            if (i == 1)
                return unit.runs();
            run_tasks_after(unit, 2 * allowed_threads());
        });
        ASSERT_TRUE(unit.was_in_time());
    }
}

}  // namespace
