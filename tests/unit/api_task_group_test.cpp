// task_group: every task once, waiting, exceptions, recursion, lifetime of the functions.

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include "unit/api_support.h"

namespace {

using bough_test::boom;
using bough_test::visits;

TEST(api_task_group, runs_every_task_once) {
    for (const std::size_t n : {1u, 2u, 3u, 7u, 64u, 1000u, 20000u}) {
        visits seen(n);
        bough::task_group group;
        for (std::size_t i = 0; i < n; ++i)
            group.run([&seen, i] { seen.hit(i); });
        EXPECT_EQ(group.wait(), bough::complete);
        EXPECT_TRUE(seen.each_once());
    }
}

TEST(api_task_group, wait_without_tasks_is_complete) {
    bough::task_group group;
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_EQ(group.wait(), bough::complete);
    const bough::task_group never_used;
}

TEST(api_task_group, may_be_used_again_after_wait) {
    bough::task_group group;
    for (std::size_t round = 0; round < 500; ++round) {
        visits seen(5);
        for (std::size_t i = 0; i < 5; ++i)
            group.run([&seen, i] { seen.hit(i); });
        ASSERT_EQ(group.wait(), bough::complete);
        ASSERT_TRUE(seen.each_once());
    }
}

TEST(api_task_group, run_and_wait_runs_its_function_and_waits_for_all) {
    for (int round = 0; round < 200; ++round) {
        visits seen(9);
        bough::task_group group;
        for (std::size_t i = 0; i < 8; ++i)
            group.run([&seen, i] {
                bough_test::work_a_little(300);
                seen.hit(i);
            });
        ASSERT_EQ(group.run_and_wait([&] { seen.hit(8); }), bough::complete);
        ASSERT_TRUE(seen.each_once());
    }
}

TEST(api_task_group, tasks_run_more_tasks) {
    constexpr std::size_t n = 1 << 12;
    visits seen(n);
    bough::task_group group;
    const std::function<void(std::size_t)> grow = [&](std::size_t i) {
        seen.hit(i);
        for (const std::size_t child : {2 * i, 2 * i + 1})
            if (child < n && child > i)
                group.run([&grow, child] { grow(child); });
    };
    seen.hit(0);
    group.run([&] { grow(1); });
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_TRUE(seen.each_once());
}

TEST(api_task_group, a_chain_of_tasks_that_each_run_the_next) {
    std::atomic<int> length{0};
    bough::task_group group;
    const std::function<void(int)> next = [&](int left) {
        length.fetch_add(1);
        if (left > 0)
            group.run([&next, left] { next(left - 1); });
    };
    group.run_and_wait([&] { next(20000); });
    EXPECT_EQ(length.load(), 20001);
}

int fib(int n) {
    if (n < 2)
        return n;
    int a = 0, b = 0;
    bough::task_group group;
    group.run([&a, n] { a = fib(n - 1); });
    group.run_and_wait([&b, n] { b = fib(n - 2); });
    return a + b;
}

TEST(api_task_group, fib) {
    EXPECT_EQ(fib(bough_test::long_run() ? 25 : 17), bough_test::long_run() ? 75025 : 1597);
}

int deep(int left) {
    if (left == 0)
        return 0;
    int below = 0;
    bough::task_group group;
    group.run([&below, left] { below = deep(left - 1); });
    group.wait();
    return below + 1;
}

TEST(api_task_group, deep_recursion) {
    EXPECT_EQ(deep(1000), 1000);
}

TEST(api_task_group, an_exception_comes_out_of_wait) {
    for (int round = 0; round < 300; ++round) {
        bough::task_group group;
        for (int i = 0; i < 20; ++i)
            group.run([i] {
                if (i == 7)
                    throw boom{7};
            });
        try {
            group.wait();
            FAIL() << "nothing was thrown";
        } catch (const boom& caught) {
            ASSERT_EQ(caught.where, 7u);
        }
        visits seen(10);
        for (std::size_t i = 0; i < 10; ++i)
            group.run([&seen, i] { seen.hit(i); });
        ASSERT_EQ(group.wait(), bough::complete) << "the group stayed cancelled";
        ASSERT_TRUE(seen.each_once());
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_task_group, an_exception_comes_out_of_run_and_wait) {
    for (int round = 0; round < 300; ++round) {
        bough::task_group group;
        std::atomic<int> started{0}, ended{0};
        for (int i = 0; i < 4; ++i)
            group.run([&] {
                ++started;
                bough_test::work_a_little(500);
                ++ended;
            });
        EXPECT_THROW(group.run_and_wait([] { throw boom{1}; }), boom);
        ASSERT_EQ(started.load(), ended.load()) << "wait threw while tasks were running";
        ASSERT_EQ(group.wait(), bough::complete);
    }
}

TEST(api_task_group, when_all_tasks_throw_one_comes_out_and_no_second) {
    for (int round = 0; round < 200; ++round) {
        bough::task_group group;
        for (std::size_t i = 0; i < 10; ++i)
            group.run([i] { throw boom{i}; });
        EXPECT_THROW(group.wait(), boom);
        ASSERT_EQ(group.wait(), bough::complete) << "a second wait saw the first one's failure";
    }
}

// Stops a thread wherever it is, by a signal whose handler returns when the thread may go on.
class holder {
public:
    holder() {
        struct sigaction ours{};
        ours.sa_handler = [](int) {
            is_held_.store(true);
            while (is_held_.load())
                sched_yield();
        };
        sigaction(SIGUSR2, &ours, &before_);
    }
    ~holder() { sigaction(SIGUSR2, &before_, nullptr); }

    static bool hold(pthread_t thread) {
        pthread_kill(thread, SIGUSR2);
        return bough_test::comes_true([] { return is_held_.load(); });
    }
    static void let_go() { is_held_.store(false); }

private:
    static inline std::atomic<bool> is_held_{false};
    struct sigaction before_{};
};

// B's waits end again and again, and B is stopped somewhere in one of them while A runs a task that throws. That
// exception comes out of this wait of B's or out of the next one, and until then the group is stopped.
TEST(api_task_group, what_is_thrown_while_a_wait_ends_comes_out_of_one_wait) {
    const int rounds = bough_test::long_run() ? 20000 : 100;
    const holder h;
    bough::task_group group;
    bough::task_arena alone(1);
    // As a task of the group, by the calling thread: nobody else is in that arena, and the newest task is the first.
    const auto run_here = [&](auto f) {
        alone.execute([&] {
            bough::task_group before;
            before.run([] {});
            group.run(f);
            before.wait();
        });
    };
    std::atomic<int> begun{0}, ended{0};  // rounds
    std::atomic<bool> was_held{false};
    bool caught = false;
    std::atomic<int> waits{0};
    const auto wait_until_held = [&] {
        while (!was_held.load(std::memory_order_relaxed) && !caught) {
            waits.store(waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
            try {
                group.wait();
            } catch (const boom& thrown) {
                caught = thrown.where == 1;
            }
        }
    };
    struct joined {
        std::thread thread;
        std::atomic<int>& begun;
        ~joined() {
            begun = -1;
            thread.join();
        }
    } b{std::thread([&] {
            for (int round = 1; begun.load() >= 0; round = ended.load() + 1) {
                if (begun.load() == round) {
                    wait_until_held();
                    ended = round;
                }
                std::this_thread::yield();
            }
        }),
        begun};
    for (int round = 1; round <= rounds; ++round) {
        was_held = caught = false;
        const int before = waits;
        begun = round;
        ASSERT_TRUE(bough_test::comes_true([&] { return waits.load() > before + 10; }));
        ASSERT_TRUE(holder::hold(b.thread.native_handle()));
        run_here([] { throw boom{1}; });
        was_held.store(true);
        holder::let_go();
        ASSERT_TRUE(bough_test::comes_true([&] { return ended.load() == round; }));
        if (caught) {
            ASSERT_EQ(group.wait(), bough::complete) << "the group stayed cancelled";
            continue;
        }
        bool another_ran = false;
        run_here([&] {
            another_ran = true;
            throw boom{2};
        });
        try {
            group.wait();
            FAIL() << "the exception is lost";
        } catch (const boom& thrown) {
            ASSERT_EQ(thrown.where, 1u) << "the first exception is lost";
        }
        ASSERT_FALSE(another_ran) << "a group with an exception was not stopped";
        ASSERT_EQ(group.wait(), bough::complete) << "the group stayed cancelled";
    }
}

// Counts the living copies of itself.
struct counted_function {
    counted_function(std::atomic<int>& a, std::atomic<int>& c) : alive(&a), calls(&c) { ++*alive; }
    counted_function(const counted_function& other) : alive(other.alive), calls(other.calls) { ++*alive; }
    ~counted_function() { --*alive; }
    void operator()() const { ++*calls; }
    std::atomic<int>* alive;
    std::atomic<int>* calls;
};

TEST(api_task_group, functions_are_destroyed_by_the_end_of_wait) {
    std::atomic<int> alive{0}, calls{0};
    {
        const counted_function f(alive, calls);
        bough::task_group group;
        for (int i = 0; i < 1000; ++i)
            group.run(f);
        group.run(counted_function(alive, calls));
        EXPECT_EQ(group.wait(), bough::complete);
        EXPECT_EQ(alive.load(), 1);
        EXPECT_EQ(calls.load(), 1001);
    }
    EXPECT_EQ(alive.load(), 0);
}

TEST(api_task_group, functions_that_never_ran_are_destroyed_too) {
    std::atomic<int> alive{0}, calls{0};
    for (int round = 0; round < 100; ++round) {
        bough::task_group group;
        for (int i = 0; i < 50; ++i)
            group.run(counted_function(alive, calls));
        group.cancel();
        group.wait();
        ASSERT_EQ(alive.load(), 0);
        for (int i = 0; i < 50; ++i)
            group.run(counted_function(alive, calls));
        group.run([] { throw boom{1}; });
        EXPECT_THROW(group.wait(), boom);
        ASSERT_EQ(alive.load(), 0);
    }
}

TEST(api_task_group, takes_functions_that_can_only_be_moved) {
    std::atomic<int> sum{0};
    bough::task_group group;
    for (int i = 0; i < 100; ++i) {
        auto value = std::make_unique<int>(i);
        group.run([&sum, value = std::move(value)] { sum.fetch_add(*value); });
    }
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_EQ(sum.load(), 4950);
}

TEST(api_task_group, destroyed_by_an_exception_of_the_scope_waits_for_its_tasks) {
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> started{0}, ended{0};
        EXPECT_THROW(
            {
                bough::task_group group;
                for (int i = 0; i < 8; ++i)
                    group.run([&] {
                        ++started;
                        bough_test::work_a_little(1000);
                        ++ended;
                    });
                throw boom{9};
            },
            boom);
        ASSERT_EQ(started.load(), ended.load()) << "tasks outlived their group";
    }
}

TEST(api_task_group, destroyed_after_wait_by_another_thread) {
    for (int round = 0; round < 100; ++round) {
        auto group = std::make_unique<bough::task_group>();
        std::atomic<int> calls{0};
        std::thread runner([&] {
            for (int i = 0; i < 10; ++i)
                group->run([&] { ++calls; });
            group->wait();
        });
        runner.join();
        ASSERT_EQ(calls.load(), 10);
        group.reset();
    }
}

TEST(api_task_group, several_threads_run_tasks_in_one_group) {
    constexpr std::size_t each = 500;
    visits seen(4 * each);
    bough::task_group group;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = 0; i < each; ++i)
                group.run([&seen, index = t * each + i] { seen.hit(index); });
        });
    for (auto& t : threads)
        t.join();
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_TRUE(seen.each_once());
}

TEST(api_task_group, many_groups_at_a_time) {
    visits seen(100 * 10);
    std::vector<std::unique_ptr<bough::task_group>> groups;
    for (std::size_t g = 0; g < 100; ++g) {
        groups.push_back(std::make_unique<bough::task_group>());
        for (std::size_t i = 0; i < 10; ++i)
            groups.back()->run([&seen, g, i] { seen.hit(g * 10 + i); });
    }
    for (std::size_t g = 0; g < 100; ++g) {
        groups[g]->wait();
        for (std::size_t i = 0; i < 10; ++i)
            ASSERT_EQ(seen.count(g * 10 + i), 1u) << "wait returned before task " << i << " of group " << g;
    }
}

}  // namespace
