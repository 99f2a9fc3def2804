// collaborative_call_once: once for many callers, callers help with parallel work inside, exceptions let others try.

#include <oneapi/tbb/collaborative_call_once.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::sum_below;
using headers_only::test_error;

TEST(collaborative_call_once, once_from_a_loop) {
    for (int round = 0; round < 20; ++round) {
        tbb::collaborative_once_flag flag;
        int calls = 0;
        std::atomic<int> too_early{0};
        tbb::parallel_for(0, 200, [&](int) {
            tbb::collaborative_call_once(flag, [&] { ++calls; });
            too_early += calls == 1 ? 0 : 1;
        });
        EXPECT_EQ(calls, 1);
        EXPECT_EQ(too_early, 0);
    }
}

TEST(collaborative_call_once, once_from_threads_of_the_application) {
    tbb::collaborative_once_flag flag;
    int calls = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&] {
            tbb::collaborative_call_once(flag, [&] { ++calls; });
            EXPECT_EQ(calls, 1);
        });
    for (auto& thread : threads)
        thread.join();
    EXPECT_EQ(calls, 1);
}

TEST(collaborative_call_once, forwards_arguments) {
    tbb::collaborative_once_flag flag;
    std::unique_ptr<int> kept;
    int referred = 0;
    const auto keep = [&](std::unique_ptr<int>&& p, int& r, int by_value) {
        kept = std::move(p);
        r = by_value;
    };
    tbb::collaborative_call_once(flag, keep, std::make_unique<int>(7), referred, 9);
    ASSERT_TRUE(kept);
    EXPECT_EQ(*kept, 7);
    EXPECT_EQ(referred, 9);
    tbb::collaborative_call_once(flag, keep, std::make_unique<int>(8), referred, 10);
    EXPECT_EQ(*kept, 7);
}

// Who waits for the call helps with the loop inside it; all see its full result. While it waits for that loop, the
// thread that makes the call must not begin another piece of the outer loop, which would wait for itself.
TEST(collaborative_call_once, parallel_work_inside) {
    for (int round = 0; round < 10; ++round) {
        tbb::collaborative_once_flag flag;
        std::vector<int> table;
        std::atomic<int> incomplete{0};
        tbb::parallel_for(0, 64, [&](int) {
            tbb::collaborative_call_once(flag, [&] {
                std::vector<int> made(2000);
                tbb::parallel_for(std::size_t{0}, made.size(),
                                  [&](std::size_t i) { made[i] = static_cast<int>(i); });
                table = std::move(made);
            });
            incomplete += table.size() == 2000 && table.back() == 1999 ? 0 : 1;
        });
        EXPECT_EQ(incomplete, 0);
    }
}

TEST(collaborative_call_once, task_group_inside) {
    tbb::collaborative_once_flag flag;
    std::atomic<int> sum{0};
    tbb::task_group callers;
    for (int caller = 0; caller < 32; ++caller)
        callers.run([&] {
            tbb::collaborative_call_once(flag, [&] {
                tbb::task_group group;
                for (int i = 0; i < 100; ++i)
                    group.run([&, i] {
                        std::this_thread::yield();
                        sum += i;
                    });
                group.wait();
            });
            EXPECT_EQ(sum, sum_below(100));
        });
    callers.wait();
}

TEST(collaborative_call_once, an_exception_lets_the_next_one_try) {
    tbb::collaborative_once_flag flag;
    int calls = 0;
    const auto fails_twice = [&] {
        if (++calls <= 2)
            throw test_error(calls);
    };
    EXPECT_THROW(tbb::collaborative_call_once(flag, fails_twice), test_error);
    EXPECT_THROW(tbb::collaborative_call_once(flag, fails_twice), test_error);
    tbb::collaborative_call_once(flag, fails_twice);
    tbb::collaborative_call_once(flag, fails_twice);
    EXPECT_EQ(calls, 3);
}

// Each attempt throws to its own caller only: as many exceptions as failed attempts, and one success.
TEST(collaborative_call_once, exceptions_with_many_callers) {
    for (int round = 0; round < 10; ++round) {
        tbb::collaborative_once_flag flag;
        std::atomic<int> attempts{0};
        std::atomic<int> caught{0};
        std::atomic<int> successes{0};
        tbb::parallel_for(0, 100, [&](int) {
            try {
                tbb::collaborative_call_once(flag, [&] {
                    if (++attempts <= 5)
                        throw test_error(1);
                    ++successes;
                });
            } catch (const test_error&) {
                ++caught;
            }
        });
        EXPECT_EQ(attempts, 6);
        EXPECT_EQ(caught, 5);
        EXPECT_EQ(successes, 1);
    }
}

TEST(collaborative_call_once, exception_out_of_parallel_work_inside) {
    tbb::collaborative_once_flag flag;
    const auto failing = [] {
        tbb::parallel_for(0, 100, [](int i) {
            if (i == 50)
                throw test_error(i);
        });
    };
    EXPECT_THROW(tbb::collaborative_call_once(flag, failing), test_error);
    bool done = false;
    tbb::collaborative_call_once(flag, [&] { done = true; });
    EXPECT_TRUE(done);
}

// fib(n) by a flag for each number: calls inside calls. A runtime that lets a waiting thread leave its isolation locks
// up here, though not in every run.
class memo {
public:
    explicit memo(std::size_t n) : values_(n + 1), flags_(n + 1) {}
    long get(std::size_t n) {
        tbb::collaborative_call_once(flags_[n], [&] {
            ++calls_;
            std::this_thread::yield();
            if (n < 2) {
                values_[n] = static_cast<long>(n);
                return;
            }
            long a = 0;
            long b = 0;
            tbb::parallel_invoke([&] { a = get(n - 1); }, [&] { b = get(n - 2); });
            values_[n] = a + b;
        });
        return values_[n];
    }
    std::size_t calls() const { return calls_; }

private:
    std::vector<long> values_;
    std::deque<tbb::collaborative_once_flag> flags_;
    std::atomic<std::size_t> calls_{0};
};

TEST(collaborative_call_once, nested_calls) {
    for (int round = 0; round < 40; ++round) {
        memo fibonacci(40);
        std::atomic<int> wrong{0};
        tbb::parallel_for(0, 16, [&](int) { wrong += fibonacci.get(40) == 102334155 ? 0 : 1; });
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(fibonacci.calls(), 41u);
    }
}

TEST(collaborative_call_once, callers_in_different_arenas) {
    tbb::collaborative_once_flag flag;
    std::atomic<int> sum{0};
    const auto once = [&] {
        tbb::collaborative_call_once(flag, [&] { tbb::parallel_for(0, 100, [&](int i) { sum += i; }); });
        EXPECT_EQ(sum, sum_below(100));
    };
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            tbb::task_arena arena(t + 1);
            arena.execute(once);
        });
    for (auto& thread : threads)
        thread.join();
}

}  // namespace
