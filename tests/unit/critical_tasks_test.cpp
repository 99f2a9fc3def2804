// Critical tasks, which compat's flow graph posts: what a thread holds while it runs one, and where it must not stay
// for one.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <bough/bough.h>

#include "bough/detail/dispatch.h"
#include "support/patience.h"
#include "unit/api_support.h"

using bough_test::comes_true;

namespace {

struct counting_task : bough::detail::task {
    explicit counting_task(std::atomic<int>& ran) : runs(ran) {
        run = [](bough::detail::task& t, bool) { ++static_cast<counting_task&>(t).runs; };
    }
    std::atomic<int>& runs;
};

void post_critical(bough::task_arena& arena, bough::detail::task& t) {
    bough::detail::post_in(*arena.native(), t, bough::detail::lane::critical);
}

// The worker runs what a thread has left in the slot that it got. It must go to the higher priority after that task.
TEST(critical_tasks, do_not_keep_a_worker_that_must_go_from_going) {
    using priority = bough::task_arena::priority;
    const bough::global_control two(bough::global_control::max_allowed_parallelism, 2);
    bough::task_arena low(2, 0, priority::low), high(2, 0, priority::high);
    high.initialize();
    low.initialize();
    std::atomic<bool> has_begun{false}, may_end{false}, has_run{false};
    const auto group = std::make_unique<bough::task_group>();
    low.execute([&] {
        group->run([&] {
            has_begun = true;
            comes_true([&] { return may_end.load(); });
        });
        group->run([] {});
    });
    ASSERT_TRUE(comes_true([&] { return has_begun.load(); }));
    std::atomic<int> critical_runs{0};
    counting_task critical(critical_runs);
    high.enqueue([&] { has_run = true; });
    post_critical(low, critical);
    may_end = true;
    EXPECT_TRUE(comes_true([&] { return has_run.load(); }));
    low.execute([&] { group->wait(); });
    EXPECT_TRUE(comes_true([&] { return critical_runs == 1; }));
}

// The task waits for every unit of a loop. The thread that runs it between two pieces must hold none.
struct waiting_task : bough::detail::task {
    waiting_task(const std::atomic<int>& d, int n) : done(d), units(n) {
        run = [](bough::detail::task& t, bool) {
            auto& self = static_cast<waiting_task&>(t);
            self.waited_in_vain += !comes_true([&] { return self.done >= self.units; });
            ++self.runs;
        };
    }
    const std::atomic<int>& done;
    const int units;
    std::atomic<int> runs{0}, waited_in_vain{0};
};

template <class Partitioner>
void expect_not_to_wait_in_vain(int units, std::chrono::microseconds each, int rounds,
                                const Partitioner& partitioner) {
    const bough::global_control two(bough::global_control::max_allowed_parallelism, 2);
    bough::task_arena arena(2);
    arena.initialize();
    std::atomic<int> done{0}, round{0};
    waiting_task critical(done, units);
    std::thread poster([&] {
        for (int r = 1; r <= rounds; ++r) {
            comes_true([&] { return round >= r; });
            std::this_thread::sleep_for(units * each / 2 * r / rounds);  // now early in the loop, now late
            post_critical(arena, critical);
        }
    });
    arena.execute([&] {
        for (int r = 1; r <= rounds; ++r) {
            done = 0;
            round = r;
            const auto unit = [&](int) {
                const auto end = std::chrono::steady_clock::now() + each;
                while (std::chrono::steady_clock::now() < end) {
                }
                ++done;
            };
            bough::parallel_for(0, units, unit, partitioner);
            while (critical.runs < r)
                bough::parallel_for(0, 2, [](int) {});
        }
    });
    poster.join();
    EXPECT_EQ(critical.waited_in_vain, 0);
}

TEST(critical_tasks, may_wait_for_units_that_a_helper_has_yet_to_take) {
    expect_not_to_wait_in_vain(64, std::chrono::microseconds(50), 300, bough::simple_partitioner());
}

TEST(critical_tasks, may_wait_for_the_rest_of_a_long_piece) {
    expect_not_to_wait_in_vain(65536, std::chrono::microseconds(1), 8, bough::auto_partitioner());
}

}  // namespace
