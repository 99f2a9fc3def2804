// Several application threads use the runtime at once; each has its own loops, results, exceptions.

#include <string_view>

#include "unit/api_support.h"

namespace {

using bough_test::boom;
using bough_test::visits;

template <class Work>
void on_threads(int number, const Work& work) {
    std::vector<std::thread> threads;
    for (int t = 0; t < number; ++t)
        threads.emplace_back([&work, t] { work(t); });
    for (auto& t : threads)
        t.join();
}

TEST(api_app_threads, each_gets_every_index_of_its_own_loops_once) {
    for (const int number : {1, 2, 5, 20}) {
        on_threads(number, [](int t) {
            for (std::size_t round = 0; round < 30; ++round) {
                const std::size_t n = 1 + round * 37 + static_cast<std::size_t>(t);
                visits seen(n);
                bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
                    bough_test::work_a_little(50);
                    seen.hit(i);
                });
                ASSERT_TRUE(seen.each_once());
            }
        });
    }
}

TEST(api_app_threads, each_gets_its_own_exception) {
    on_threads(4, [](int t) {
        for (int round = 0; round < 200; ++round) {
            const auto mine = static_cast<std::size_t>(t * 1000 + round);
            try {
                bough::parallel_for(0, 50, [&](int i) {
                    if (i == round % 50)
                        throw boom{mine};
                });
                FAIL() << "nothing was thrown";
            } catch (const boom& caught) {
                ASSERT_EQ(caught.where, mine) << "an exception of another thread's loop";
            }
        }
    });
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_app_threads, loops_with_and_without_exceptions_side_by_side) {
    on_threads(4, [](int t) {
        for (int round = 0; round < 200; ++round) {
            visits seen(100);
            const auto loop = [&] {
                bough::parallel_for(std::size_t{0}, std::size_t{100}, [&](std::size_t i) {
                    if (t % 2 == 1 && i == 60)
                        throw boom{i};
                    seen.hit(i);
                });
            };
            if (t % 2 == 1) {
                ASSERT_THROW(loop(), boom);
            } else {
                ASSERT_NO_THROW(loop());
                ASSERT_TRUE(seen.each_once()) << "cancelled by a neighbour";
            }
        }
    });
}

// Two bodies each: whichever loop gets the helpers first, it ends and sets them free.
TEST(api_app_threads, blocking_pairs_from_several_threads) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    on_threads(4, [](int) {
        bough_test::budget rounds(200, 300);
        while (rounds.next()) {
            bough_test::rendezvous pair(2, bough_test::rendezvous::sleeping);
            bough::parallel_for(0, 2, [&](int) { pair.arrive_and_wait(); });
            ASSERT_TRUE(pair.met());
        }
    });
}

TEST(api_app_threads, mixed_entry_points_at_the_same_time) {
    on_threads(6, [](int t) {
        for (int round = 0; round < 50; ++round) {
            visits seen(64);
            switch ((t + round) % 4) {
            case 0:
                bough::parallel_for(std::size_t{0}, std::size_t{64}, [&](std::size_t i) { seen.hit(i); });
                break;
            case 1: {
                bough::task_group group;
                for (std::size_t i = 0; i < 64; ++i)
                    group.run([&seen, i] { seen.hit(i); });
                group.wait();
                break;
            }
            case 2: {
                bough::task_arena arena(2);
                arena.execute([&] {
                    bough::parallel_for(std::size_t{0}, std::size_t{64}, [&](std::size_t i) { seen.hit(i); });
                });
                break;
            }
            default: {
                const auto sum = bough::parallel_reduce(
                    bough::blocked_range<std::size_t>(0, 64), std::size_t{0},
                    [&](const bough::blocked_range<std::size_t>& r, std::size_t s) {
                        seen.hit_range(r);
                        return s + r.size();
                    },
                    std::plus<std::size_t>());
                ASSERT_EQ(sum, 64u);
            }
            }
            ASSERT_TRUE(seen.each_once()) << "entry point " << (t + round) % 4;
        }
    });
}

TEST(api_app_threads, a_thread_may_come_and_go) {
    for (int round = 0; round < (bough_test::long_run() ? 2000 : 200); ++round) {
        std::thread([round] {
            visits seen(100);
            bough::parallel_for(std::size_t{0}, std::size_t{100}, [&](std::size_t i) { seen.hit(i); });
            ASSERT_TRUE(seen.each_once()) << "thread " << round;
        }).join();
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

// More application threads at a time than there are slots in the default arena.
TEST(api_app_threads, far_more_threads_than_allowed) {
    std::atomic<int> calls{0};
    const int number = 4 * bough_test::allowed_threads() + 10;
    on_threads(number, [&](int) {
        for (int round = 0; round < 20; ++round)
            bough::parallel_for(0, 20, [&](int) { calls.fetch_add(1); });
    });
    EXPECT_EQ(calls.load(), number * 400);
}

// As with oneTBB: what a thread has spawned when it ends is left to the workers. In the ending thread it might wait for
// whoever joins that.
TEST(api_app_threads, tasks_of_a_thread_that_ends_may_wait_for_its_joiner) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "no worker comes";
    for (int round = 0; round < 20; ++round) {
        bough::task_group group;
        std::atomic<bool> joined{false};
        std::atomic<int> met{0};
        std::thread([&] {
            for (int i = 0; i < 3; ++i)
                group.run([&] { met += bough_test::comes_true([&] { return joined.load(); }) ? 1 : 0; });
        }).join();
        joined = true;
        // Not by this thread, which has an arena of its own.
        ASSERT_TRUE(bough_test::comes_true([&] { return met == 3; })) << "round " << round << ", " << met;
        group.wait();
    }
}

TEST(api_app_threads, tasks_of_a_thread_that_ends_are_not_lost_where_no_worker_may_come) {
    const bough::global_control one(bough::global_control::max_allowed_parallelism, 1);
    bough::task_group group;
    std::atomic<int> ran{0};
    std::thread([&] {
        for (int i = 0; i < 3; ++i)
            group.run([&] { ++ran; });
    }).join();
    // With the balancer of channels a worker may have asked before the limit, and have been sent one.
    if (std::string_view(bough::variant()) == "channels") {
        EXPECT_TRUE(bough_test::comes_true([&] { return ran == 3; })) << ran;
    } else {
        EXPECT_EQ(ran, 3);
    }
    group.wait();
}

// A thread does not get the arena of one that has ended while tasks are left there: it would run them in its waits.
TEST(api_app_threads, a_new_thread_runs_nothing_of_one_that_has_ended) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "no worker comes";
    bough::task_group held;
    std::atomic<bool> holds{false}, waits{false};
    std::thread holder([&] {  // before all others: it keeps an arena of its own
        held.run_and_wait([&] {
            holds = true;
            bough_test::comes_true([&] { return waits.load(); });
            std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so long the other looks for work
        });
    });
    ASSERT_TRUE(bough_test::comes_true([&] { return holds.load(); }));
    bough::task_group left;
    std::atomic<bool> may_end{false};
    std::atomic<std::size_t> begun{0};
    std::mutex mutex;
    std::set<std::thread::id> at_work;
    std::thread([&] {
        for (int i = 0; i < 3 * bough_test::allowed_threads(); ++i)
            left.run([&] {
                {
                    const std::lock_guard lock(mutex);
                    at_work.insert(std::this_thread::get_id());
                }
                ++begun;
                bough_test::comes_true([&] { return may_end.load(); });
            });
    }).join();
    ASSERT_TRUE(bough_test::comes_true([&] { return begun != 0; }));
    std::thread waiter([&] {
        waits = true;
        held.wait();
    });
    const std::thread::id its_id = waiter.get_id();
    holder.join();
    may_end = true;
    waiter.join();
    {
        const std::lock_guard lock(mutex);
        EXPECT_EQ(at_work.count(its_id), 0U);
    }
    left.wait();
    ASSERT_TRUE(
        bough_test::comes_true([&] { return begun == 3U * unsigned(bough_test::allowed_threads()); }));
}

}  // namespace
