// tbb::task::suspend and resume: a task gives its thread away and goes on later, perhaps on another one.
#include "support.h"

#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

using namespace conformance;
using tbb::task::suspend_point;

namespace {

// A thread that resumes what it is given, as an asynchronous service does.
class service {
public:
    service() : thread_([this] { serve(); }) {}
    ~service() {
        queue_.push(nullptr);
        thread_.join();
    }
    void resume_soon(suspend_point p) { queue_.push(p); }

private:
    void serve() {
        for (suspend_point p;;) {
            queue_.pop(p);
            if (!p)
                return;
            tbb::task::resume(p);
        }
    }
    tbb::concurrent_bounded_queue<suspend_point> queue_;
    std::thread thread_;
};

TEST(resumable, resumed_by_the_callback_itself) {
    for_widths([] {
        std::atomic<int> count{0};
        tbb::parallel_for(0, 100, [&](int) {
            tbb::task::suspend([](suspend_point p) { tbb::task::resume(p); });
            ++count;
        });
        EXPECT_EQ(count, 100);
    });
}

TEST(resumable, resumed_by_another_thread) {
    for_widths([] {
        service s;
        visits before(100), after(100);
        tbb::parallel_for(std::size_t{0}, std::size_t{100}, [&](std::size_t i) {
            before.add(i);
            tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
            after.add(i);
        });
        EXPECT_TRUE(before.each_once());
        EXPECT_TRUE(after.each_once());
    });
}

TEST(resumable, the_thread_runs_other_tasks_meanwhile) {
    with_width(1, [] {
        tbb::task_group group;
        suspend_point point = nullptr;
        int step = 0;
        // One thread: the second task can run only while the first is suspended.
        const auto status = group.run_and_wait([&] {
            EXPECT_EQ(step++, 0);
            group.run([&] {
                EXPECT_EQ(step++, 1);
                ASSERT_NE(point, nullptr);
                tbb::task::resume(point);
            });
            tbb::task::suspend([&](suspend_point p) { point = p; });
            EXPECT_EQ(step++, 2);
        });
        EXPECT_EQ(status, tbb::complete);
        EXPECT_EQ(step, 3);
    });
}

TEST(resumable, many_are_suspended_at_once) {
    for_widths([] {
        constexpr int many = 200;
        tbb::concurrent_queue<suspend_point> points;
        std::atomic<int> resumed{0};
        tbb::task_group group;
        for (int i = 0; i < many; ++i) {
            group.run([&] {
                tbb::task::suspend([&points](suspend_point p) { points.push(p); });
                ++resumed;
            });
        }
        std::thread opener([&] {
            spin_until([&] { return points.unsafe_size() == many; });
            EXPECT_EQ(resumed, 0);
            suspend_point p;
            while (points.try_pop(p))
                tbb::task::resume(p);
        });
        EXPECT_EQ(group.wait(), tbb::complete);
        opener.join();
        EXPECT_EQ(resumed, many);
    });
}

TEST(resumable, wait_waits_for_suspended_tasks) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<suspend_point> point{nullptr};
        std::atomic<bool> resumed{false};
        group.run([&] {
            tbb::task::suspend([&](suspend_point p) { point = p; });
            resumed = true;
        });
        std::thread opener([&] {
            spin_until([&] { return point != nullptr; });
            tbb::task::resume(point);
        });
        EXPECT_EQ(group.wait(), tbb::complete);
        EXPECT_TRUE(resumed);
        opener.join();
    });
}

TEST(resumable, the_callback_may_go_on_after_the_resume) {
    for_widths([] {
        service s;
        std::atomic<int> callbacks{0};
        tbb::parallel_for(0, 100, [&](int i) {
            tbb::task::suspend([&s, &callbacks, text = std::string(100, 'x'), i](suspend_point p) {
                if (i % 2)
                    tbb::task::resume(p);
                else
                    s.resume_soon(p);
                for (int n = 0; n < i % 4; ++n)
                    std::this_thread::yield();
                EXPECT_EQ(text.size(), 100u) << "the callback is copied before it is called";
                ++callbacks;
            });
        });
        spin_until([&] { return callbacks == 100; });
    });
}

TEST(resumable, locals_survive) {
    for_widths([] {
        service s;
        tbb::parallel_for(0, 50, [&](int i) {
            std::vector<int> local(100, i);
            int array[100];
            std::fill(std::begin(array), std::end(array), i);
            for (int round = 0; round < 5; ++round) {
                tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
                for (int n : array)
                    ASSERT_EQ(n, i);
                ASSERT_EQ(local, std::vector<int>(100, i));
            }
        });
    });
}

TEST(resumable, in_nested_loops) {
    for_widths([] {
        service s;
        std::atomic<int> count{0};
        const auto pause = [&s] { tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); }); };
        tbb::parallel_for(0, 8, [&](int) {
            pause();
            tbb::parallel_for(0, 8, [&](int) {
                pause();
                ++count;
            });
            pause();
        });
        EXPECT_EQ(count, 64);
    });
}

TEST(resumable, in_isolation_and_in_other_arenas) {
    for_widths([] {
        service s;
        tbb::task_arena arena(2);
        std::atomic<int> count{0};
        const auto pause_and_count = [&](int) {
            tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
            ++count;
        };
        tbb::parallel_for(0, 8, [&](int) {
            tbb::this_task_arena::isolate([&] { tbb::parallel_for(0, 8, pause_and_count); });
        });
        EXPECT_EQ(count, 64);
        arena.execute([&] { tbb::parallel_for(0, 8, pause_and_count); });
        EXPECT_EQ(count, 72);
    });
}

TEST(resumable, a_stack_that_waits_goes_on_although_its_thread_sleeps_over_another) {
    tbb::task_arena arena(1, 0);  // one slot, for a worker
    std::atomic<suspend_point> first{nullptr}, second{nullptr};
    std::atomic<int> ended{0};
    const auto pause = [&](std::atomic<suspend_point>& point) {
        tbb::task::suspend([&](suspend_point p) { point = p; });
        ++ended;
    };
    arena.enqueue([&] { pause(first); });
    spin_until([&] { return first != nullptr; });
    arena.enqueue([&] { pause(second); });
    spin_until([&] { return second != nullptr; });
    tbb::task::resume(first);
    spin_until([&] { return ended == 1; });

    tbb::task_handle last;
    std::atomic<bool> waits{false};
    arena.enqueue([&] {
        tbb::task_group group;
        last = group.defer([] {});
        waits = true;
        group.wait();
        ++ended;
    });
    spin_until([&] { return waits.load(); });
    tbb::task::resume(second);
    spin_until([&] { return ended == 2; });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // time to fall asleep
    last = tbb::task_handle();
    spin_until([&] { return ended == 3; });
}

TEST(resumable, stays_in_its_arena_and_context) {
    service s;
    tbb::task_arena arena(3);
    arena.execute([&] {
        tbb::task_group_context context;
        tbb::parallel_for(
            0, 20,
            [&](int) {
                tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
                EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 3);
                EXPECT_EQ(tbb::task::current_context(), &context);
            },
            context);
    });
}

TEST(resumable, exceptions_after_the_resume) {
    for_widths([] {
        service s;
        EXPECT_EQ(number_thrown_by([&] {
                      tbb::parallel_for(0, 20, [&](int i) {
                          tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
                          if (i == 10)
                              throw test_error(10);
                      });
                  }),
                  10);
        tbb::task_group group;
        group.run([&] {
            try {
                tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
                throw test_error(1);
            } catch (const test_error&) {
                tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });  // inside a handler
            }
            throw test_error(2);
        });
        EXPECT_EQ(number_thrown_by([&] { group.wait(); }), 2);
    });
}

TEST(resumable, cancelled_while_suspended) {
    for_widths([] {
        tbb::task_group group;
        std::atomic<suspend_point> point{nullptr};
        bool seen = false;
        group.run([&] {
            tbb::task::suspend([&](suspend_point p) { point = p; });
            seen = tbb::is_current_task_group_canceling();
        });
        std::thread opener([&] {
            spin_until([&] { return point != nullptr; });
            group.cancel();
            tbb::task::resume(point);
        });
        EXPECT_EQ(group.wait(), tbb::canceled);
        opener.join();
        EXPECT_TRUE(seen) << "a suspended task is resumed also in a cancelled group";
    });
}

TEST(resumable, outside_of_tasks) {
    service s;
    const auto me = std::this_thread::get_id();
    for (int i = 0; i < 20; ++i)
        tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
    EXPECT_EQ(std::this_thread::get_id(), me);
    std::thread([&] {
        tbb::task::suspend([&s](suspend_point p) { s.resume_soon(p); });
        tbb::task::suspend([](suspend_point p) { tbb::task::resume(p); });
    }).join();
    EXPECT_EQ(std::this_thread::get_id(), me);
}

// In the same arena: with another one oneTBB may find its only worker waiting beside the suspended task
// (better_test.cpp).
TEST(resumable, resumed_by_an_enqueued_task) {
    for_widths([] {
        for (int round = 0; round < 20; ++round) {
            bool after = false;
            tbb::task_group group;
            group.run([&] {
                tbb::task::suspend(
                    [](suspend_point p) { tbb::this_task_arena::enqueue([p] { tbb::task::resume(p); }); });
                after = true;
            });
            EXPECT_EQ(group.wait(), tbb::complete);
            EXPECT_TRUE(after);
        }
    });
}

}  // namespace
