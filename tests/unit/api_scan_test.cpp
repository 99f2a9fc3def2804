// parallel_scan and parallel_deterministic_scan: the result is the sum of everything, and each part's final scan begins
// with the sum of what lies to the left of it.
#include "unit/api_scan_support.h"

#include <numeric>
#include <string>

using namespace bough_test;

namespace {

class any_scan_results : public any_scan {};
INSTANTIATE_TEST_SUITE_P(scans, any_scan_results, both_scans(), scan_name);

TEST_P(any_scan_results, the_join_need_not_commute) {
    std::string expected;
    for (int i = 0; i < 2000; ++i)
        expected += std::to_string(i) + ",";
    for_each_tail([&](scan_tail& tail) {
        std::vector<std::size_t> lengths(2000);
        const auto scan = [&](const indices& r, std::string text, bool is_final) {
            for (int i = r.begin(); i != r.end(); ++i) {
                work_a_little();
                text += std::to_string(i) + ",";
                if (is_final) {
                    EXPECT_EQ(text, expected.substr(0, text.size()));
                    lengths[static_cast<std::size_t>(i)] = text.size();
                }
            }
            return text;
        };
        EXPECT_EQ(sum_of(indices(0, 2000), std::string(), scan, tail), expected);
        EXPECT_TRUE(std::is_sorted(lengths.begin(), lengths.end()));
        EXPECT_EQ(lengths[0], 2u);
    });
}

TEST_P(any_scan_results, an_empty_range_gives_the_identity) {
    const auto never = [](const indices&, long x, bool) {
        ADD_FAILURE();
        return x;
    };
    for_each_tail([&](scan_tail& tail) { EXPECT_EQ(sum_of(indices(5, 5), 17L, never, tail), 17); });
}

TEST_P(any_scan_results, simple_partitioner_hands_out_at_most_a_grain) {
    const auto scan = [](const indices& r, long sum, bool) {
        EXPECT_LE(r.size(), 10u);
        EXPECT_GE(r.size(), 5u);
        EXPECT_FALSE(r.is_divisible());
        return sum + static_cast<long>(r.size());
    };
    scan_tail simple(scan_tail::simple);
    EXPECT_EQ(sum_of(indices(0, 12345, 10), 0L, scan, simple), 12345);
}

TEST_P(any_scan_results, in_place) {
    for (budget rounds(20); rounds.next();) {
        std::vector<long> numbers(50000, 1);
        const auto scan = [&](const indices& r, long sum, bool is_final) {
            for (int i = r.begin(); i != r.end(); ++i) {
                sum += numbers[static_cast<std::size_t>(i)];
                if (is_final)
                    numbers[static_cast<std::size_t>(i)] = sum;
            }
            return sum;
        };
        ASSERT_EQ(sum_of(indices(0, 50000), 0L, scan), 50000);
        std::vector<long> expected(50000);
        std::iota(expected.begin(), expected.end(), 1L);
        ASSERT_EQ(numbers, expected);
    }
}

TEST_P(any_scan_results, uneven_bodies) {
    for_each_tail([&](scan_tail& tail) {
        visits finals(3000);
        const auto scan = [&](const indices& r, long sum, bool is_final) {
            for (int i = r.begin(); i != r.end(); ++i) {
                work_a_little(i < 2900 ? 10 : 20000);
                ++sum;
                if (is_final)
                    finals.hit(static_cast<std::size_t>(i));
            }
            return sum;
        };
        EXPECT_EQ(sum_of(indices(0, 3000), 0L, scan, tail), 3000);
        EXPECT_TRUE(finals.each_once());
    });
}

}  // namespace
