// parallel_scan and parallel_deterministic_scan among others: nested, with bodies that wait.
#include "unit/api_scan_support.h"
#include "unit/blocking_bodies.h"

#include <optional>

using namespace bough_test;

namespace {

class any_scan_calls : public any_scan {};
INSTANTIATE_TEST_SUITE_P(scans, any_scan_calls, both_scans(), scan_name);

TEST_P(any_scan_calls, nested) {
    const auto total = [](int size) {
        const auto scan = [](const indices& r, long sum, bool) { return sum + static_cast<long>(r.size()); };
        return sum_of(indices(0, size), 0L, scan);
    };
    bough::parallel_for(0, 200, [&](int i) { EXPECT_EQ(total(i * 100), i * 100); });
    // A scan whose body runs loops and scans.
    const auto scan = [&](const indices& r, long sum, bool) {
        for (int i = r.begin(); i != r.end(); ++i) {
            std::atomic<long> count{0};
            bough::parallel_for(0, 20, [&](int) {
                work_a_little(100);
                ++count;
            });
            sum += count + total(50);
        }
        return sum;
    };
    EXPECT_EQ(sum_of(indices(0, 300), 0L, scan), 300 * 70);
}

// A thread that blocks inside of a part must not keep others, nor the scan, from ending.
TEST_P(any_scan_calls, bodies_that_sleep) {
    const auto scan = [&](const indices& r, long sum, bool) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        return sum + static_cast<long>(r.size());
    };
    EXPECT_EQ(sum_of(indices(0, 1000), 0L, scan), 1000);
    scan_tail simple(scan_tail::simple);
    EXPECT_EQ(sum_of(indices(0, 100), 0L, scan, simple), 100);
}

// The first final scan waits for a part that is scanned ahead: somebody comes, if there is anybody.
TEST(parallel_scan, a_body_that_waits_for_another_part) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "one thread";
    rendezvous both(2, rendezvous::sleeping);
    std::atomic<bool> front{false}, ahead{false};
    const auto scan = [&](const indices& r, int sum, bool is_final) {
        std::atomic<bool>& first = is_final ? front : ahead;
        if (!first.exchange(true))
            both.arrive_and_wait();
        return sum + static_cast<int>(r.size());
    };
    EXPECT_EQ(bough::parallel_scan(indices(0, 100), 0, scan, std::plus<>()), 100);
    EXPECT_TRUE(both.met());
}

// A call site that has seen short scans only: the next one is long, and more threads scan ahead than the short ones
// were worth.
TEST(parallel_scan, a_long_one_after_short_ones) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("a thread that sleeps gives nothing away");
    const bough::global_control four(bough::global_control::max_allowed_parallelism, 4);
    bough::task_arena arena(4);
    budget trials(50, 4000);
    int most = 0;
    while (most < 2 && trials.next()) {
        const auto caller = std::this_thread::get_id();
        census ahead;
        bool is_long = false;
        const auto scan = [&](const indices& r, long sum, bool is_final) {
            if (is_long) {
                std::optional<census::inside> here;
                if (!is_final && std::this_thread::get_id() != caller)
                    here.emplace(ahead);
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            }
            return sum + static_cast<long>(r.size());
        };
        const auto total = [&] {
            return arena.execute(
                [&] { return bough::parallel_scan(indices(0, 1000), 0L, scan, std::plus<>()); });
        };
        for (int i = 0; i < 50; ++i)
            ASSERT_EQ(total(), 1000);
        is_long = true;
        ASSERT_EQ(total(), 1000);
        most = std::max(most, ahead.distinct_threads());
    }
    EXPECT_GE(most, 2);
}

// The front of the next one waits for another part.
TEST(parallel_scan, a_body_that_waits_after_short_scans) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "one thread";
    for (int round = 0; round < 20; ++round) {
        std::optional<rendezvous> both;
        std::atomic<bool> front{false}, ahead{false};
        const auto scan = [&](const indices& r, long sum, bool is_final) {
            if (both && !(is_final ? front : ahead).exchange(true))
                both->arrive_and_wait();
            return sum + static_cast<long>(r.size());
        };
        for (int i = 0; i < 50; ++i)
            ASSERT_EQ(bough::parallel_scan(indices(0, 100), 0L, scan, std::plus<>()), 100);
        both.emplace(2, rendezvous::sleeping);
        ASSERT_EQ(bough::parallel_scan(indices(0, 100), 0L, scan, std::plus<>()), 100);
        ASSERT_TRUE(both->met()) << "in round " << round;
    }
}

}  // namespace
