// Bodies that block for long, cancel, call back into what they are part of, or leave by an exception through arenas
// that other threads use too.

#include <map>

#include "unit/api_support.h"

namespace {

using bough::task_arena;
using bough::task_group;
using bough::task_group_context;
using bough_test::boom;
using bough_test::visits;

// ---- bodies that block

// Something that bodies wait for.
class event {
public:
    void wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        waiting_.fetch_add(1);
        is_over_.wait(lock, [this] { return is_set_; });
    }
    void set() {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_set_ = true;
        is_over_.notify_all();
    }
    bool has_waiting() const { return waiting_.load() != 0; }
    void until_someone_waits() const {
        while (!has_waiting())
            std::this_thread::yield();
    }

private:
    std::mutex mutex_;
    std::condition_variable is_over_;
    bool is_set_ = false;
    std::atomic<int> waiting_{0};
};

// While a body of one thread's loop blocks, others' loops, tasks and arenas go on. With one thread too: each
// application thread is one.
TEST(bodies, one_that_blocks_keeps_no_other_thread_from_its_work) {
    event free;
    std::atomic<int> ended{0};
    std::thread blocked([&] {
        bough::parallel_for(0, 100, [&](int i) {
            if (i == 0)
                free.wait();
            ++ended;
        });
    });
    free.until_someone_waits();
    for (int round = 0; round < 300; ++round) {
        visits loop(500), tasks(20);
        bough::parallel_for(std::size_t{0}, std::size_t{500}, [&](std::size_t i) { loop.hit(i); });
        task_group group;
        for (std::size_t i = 0; i < 20; ++i)
            group.run([&tasks, i] { tasks.hit(i); });
        group.wait();
        const int sum = task_arena(2).execute([] {
            return bough::parallel_reduce(
                bough::blocked_range<int>(0, 100), 0,
                [](const bough::blocked_range<int>& r, int s) {
                    for (int i = r.begin(); i < r.end(); ++i)
                        s += i;
                    return s;
                },
                std::plus<>());
        });
        ASSERT_TRUE(loop.each_once() && tasks.each_once() && sum == 4950);
    }
    EXPECT_LT(ended.load(), 100) << "the loop has ended without its first body";
    free.set();
    blocked.join();
    EXPECT_EQ(ended.load(), 100);
}

// Cancelling does not wait for a body that blocks; whoever waits for the group does.
TEST(bodies, cancelled_while_one_blocks) {
    for (int round = 0; round < 20; ++round) {
        event free;
        std::atomic<bool> was_freed{false};
        visits begun(1000);
        task_group_context context;
        std::thread waiter([&] {
            bough::parallel_for(
                std::size_t{0}, std::size_t{1000},
                [&](std::size_t i) {
                    begun.hit(i);
                    if (i == 0)
                        free.wait();
                },
                bough::simple_partitioner(), context);
            EXPECT_TRUE(was_freed) << "the loop has returned before its body";
        });
        free.until_someone_waits();
        context.cancel_group_execution();
        std::this_thread::yield();
        was_freed = true;
        free.set();
        waiter.join();
        EXPECT_TRUE(begun.none_twice());
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

// ---- bodies that cancel

// How many bodies each thread begins once something was cancelled.
class after_cancelling {
public:
    void body_begins() {
        if (!is_cancelled_.load())
            return;
        const std::lock_guard<std::mutex> lock(mutex_);
        ++begun_[std::this_thread::get_id()];
    }
    // By whoever has cancelled, right after.
    void cancelled() { is_cancelled_ = true; }
    int most() const {
        int result = 0;
        for (const auto& [thread, count] : begun_)
            result = std::max(result, count);
        return result;
    }

private:
    std::atomic<bool> is_cancelled_{false};
    std::mutex mutex_;
    std::map<std::thread::id, int> begun_;
};

// run(counter, cancel) calls counter.body_begins() first in each body, and cancel() in one of the middle.
template <class Run>
int most_after_cancelling(const char* name, int rounds, Run&& run) {
    int most = 0;
    bough_test::budget budget(rounds, 300);
    while (budget.next()) {
        after_cancelling counter;
        run(counter);
        most = std::max(most, counter.most());
    }
    std::cout << "bodies begun by one thread after the cancel, " << name << ": at most " << most << std::endl;
    return most;
}

// A task is asked before it begins: a thread that had asked already begins that one, and no other.
TEST(bodies, after_a_cancel_each_thread_begins_one_task_at_most) {
    EXPECT_LE(most_after_cancelling("task_group", 300,
                                    [](after_cancelling& counter) {
                                        task_group group;
                                        for (int i = 0; i < 300; ++i)
                                            group.run([&, i] {
                                                counter.body_begins();
                                                bough_test::work_a_little(100);
                                                if (i == 150) {
                                                    group.cancel();
                                                    counter.cancelled();
                                                }
                                            });
                                        group.wait();
                                    }),
              1);
    EXPECT_LE(most_after_cancelling("task_group, by its context", 300,
                                    [](after_cancelling& counter) {
                                        task_group_context context;
                                        task_group group(context);
                                        for (int i = 0; i < 300; ++i)
                                            group.run([&, i] {
                                                counter.body_begins();
                                                if (i == 150) {
                                                    context.cancel_group_execution();
                                                    counter.cancelled();
                                                }
                                            });
                                        group.wait();
                                    }),
              1);
}

TEST(bodies, after_a_cancel_each_thread_begins_one_piece_of_a_loop_at_most) {
    const auto loop = [](auto partitioner) {
        return [partitioner](after_cancelling& counter) {
            task_group_context context;
            bough::parallel_for(
                bough::blocked_range<int>(0, 3000),
                [&](const bough::blocked_range<int>& r) {
                    counter.body_begins();
                    bough_test::work_a_little(100);
                    if (r.begin() <= 1500 && 1500 < r.end()) {
                        context.cancel_group_execution();
                        counter.cancelled();
                    }
                },
                partitioner, context);
        };
    };
    // What a body is called with is asked for one by one with these.
    EXPECT_LE(most_after_cancelling("simple_partitioner", 300, loop(bough::simple_partitioner())), 1);
    EXPECT_LE(most_after_cancelling("static_partitioner", 300, loop(bough::static_partitioner())), 1);
    EXPECT_LE(most_after_cancelling("auto_partitioner", 300, loop(bough::auto_partitioner())), 1);
}

// ---- bodies that call back

// More slots than there are ever threads: those that enter full arenas in different orders wait for each other, as with
// locks.
TEST(bodies, that_enter_the_arena_that_they_are_in_and_others) {
    task_arena one(16), two(16);
    for (int round = 0; round < 50; ++round) {
        visits seen(64);
        one.execute([&] {
            bough::parallel_for(std::size_t{0}, std::size_t{4}, [&](std::size_t i) {
                one.execute([&] {
                    two.execute([&] {
                        bough::parallel_for(std::size_t{0}, std::size_t{4}, [&](std::size_t j) {
                            one.execute([&] {
                                task_group group;
                                for (std::size_t k = 0; k < 4; ++k)
                                    group.run([&, k] { seen.hit(i * 16 + j * 4 + k); });
                                group.wait();
                            });
                        });
                    });
                });
            });
        });
        ASSERT_TRUE(seen.each_once());
    }
}

TEST(bodies, loops_inside_a_comparison_and_a_join) {
    std::vector<int> items(5000);
    for (std::size_t i = 0; i < items.size(); ++i)
        items[i] = static_cast<int>(i * 7919 % items.size());
    std::atomic<long> sum{0};
    bough::parallel_sort(items, [&](int a, int b) {
        if (a % 50 == 0)
            bough::parallel_for(0, 3, [&](int i) { sum += i; });
        return a < b;
    });
    EXPECT_TRUE(std::is_sorted(items.begin(), items.end()));
    EXPECT_EQ(sum % 3, 0);
    const int total = bough::parallel_deterministic_reduce(
        bough::blocked_range<int>(0, 1000), 0,
        [](const bough::blocked_range<int>& r, int s) { return s + static_cast<int>(r.size()); },
        [](int a, int b) {
            return bough::parallel_reduce(
                bough::blocked_range<int>(0, 2), 0,
                [&](const bough::blocked_range<int>& r, int s) {
                    for (int i = r.begin(); i < r.end(); ++i)
                        s += i == 0 ? a : b;
                    return s;
                },
                std::plus<>());
        });
    EXPECT_EQ(total, 1000);
}

TEST(bodies, that_wait_for_groups_of_their_own_and_of_others) {
    bough_test::budget rounds(200, 300);
    while (rounds.next()) {
        visits seen(40);
        task_group outer;
        for (std::size_t i = 0; i < 4; ++i)
            outer.run([&, i] {
                task_group inner;
                for (std::size_t j = 0; j < 10; ++j)
                    inner.run([&, i, j] { seen.hit(i * 10 + j); });
                inner.wait();
            });
        outer.wait();
        ASSERT_TRUE(seen.each_once());
    }
}

// ---- by an exception, through arenas

// The arena has one slot, so functions of those who find none are run by others; each caller gets its own exception.
TEST(bodies, each_of_many_callers_of_a_full_arena_gets_its_own_exception) {
    task_arena narrow(1), wide(3);
    std::vector<std::thread> callers;
    std::atomic<int> wrong{0}, caught{0};
    constexpr int callers_count = 4, rounds = 100;
    for (int c = 0; c < callers_count; ++c)
        callers.emplace_back([&, c] {
            for (int round = 0; round < rounds; ++round) {
                const std::size_t own = static_cast<std::size_t>(c * rounds + round);
                try {
                    wide.execute([&] {
                        narrow.execute([&] {
                            bough::parallel_for(0, 10, [&](int i) {
                                if (i == round % 10)
                                    throw boom{own};
                            });
                        });
                    });
                    ++wrong;
                } catch (const boom& b) {
                    wrong += b.where == own ? 0 : 1;
                    ++caught;
                }
            }
        });
    for (std::thread& t : callers)
        t.join();
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(caught.load(), callers_count * rounds);
    EXPECT_TRUE(bough_test::pool_is_usable());
    EXPECT_EQ(narrow.execute([] { return 3; }) + wide.execute([] { return 4; }), 7);
}

}  // namespace
