// parallel_scan and parallel_deterministic_scan that end early: exceptions from every place, cancellation; and what
// they leave behind.
#include "unit/api_scan_support.h"

using namespace bough_test;

namespace {

class any_scan_stops : public any_scan {};
INSTANTIATE_TEST_SUITE_P(scans, any_scan_stops, both_scans(), scan_name);

TEST_P(any_scan_stops, every_body_that_is_split_off_is_destroyed) {
    for_each_tail([&](scan_tail& tail) {
        std::atomic<int> never{-1}, alive{0};
        {
            failing_body b(never, alive);
            scan_into(indices(0, 3000), b, tail);
            EXPECT_EQ(alive, 1);
        }
        EXPECT_EQ(alive, 0);
    });
}

TEST_P(any_scan_stops, throws_from_every_place) {
    for (int calls : {0, 1, 2, 3, 5, 10, 50, 200, 1000}) {
        for_each_tail([&](scan_tail& tail) {
            std::atomic<int> left{calls}, alive{0};
            {
                failing_body body(left, alive);
                try {
                    scan_into(indices(0, 2000), body, tail);
                    EXPECT_GE(left, 0) << "what is thrown arrives";
                } catch (const boom&) {
                    EXPECT_LT(left, 0);
                }
                EXPECT_EQ(alive, 1);
            }
        });
    }
    EXPECT_TRUE(pool_is_usable());
}

TEST_P(any_scan_stops, an_exception_cancels_the_context) {
    scan_tail tail(scan_tail::context);
    std::atomic<int> calls{0};
    const auto fail = [&](const indices& r, long sum, bool) {
        ++calls;
        if (r.begin() <= 500 && 500 < r.end())
            throw boom{500};
        return sum;
    };
    EXPECT_THROW(sum_of(indices(0, 1000), 0L, fail, tail), boom);
    EXPECT_TRUE(tail.own_context().is_group_execution_cancelled());
    calls = 0;
    sum_of(indices(0, 1000), 0L, fail, tail);
    EXPECT_EQ(calls, 0) << "nothing is begun under a cancelled context";
}

TEST_P(any_scan_stops, cancelled_from_inside) {
    for (const bool outer : {false, true}) {
        // What is cancelled is the scan's context, or that of a loop around it.
        scan_tail tail(outer ? scan_tail::simple : scan_tail::simple_context);
        bough::task_group_context& context = tail.own_context();
        std::atomic<int> finals{0};
        const auto scan = [&](const indices& r, long sum, bool is_final) {
            if (is_final && (finals += static_cast<int>(r.size())) > 100)
                context.cancel_group_execution();
            return sum;
        };
        const auto call = [&] { sum_of(indices(0, 100000), 0L, scan, tail); };
        if (outer)
            bough::parallel_for(0, 1, [&](int) { call(); }, context);
        else
            call();
        EXPECT_LT(finals, 100000);
    }
}

}  // namespace
