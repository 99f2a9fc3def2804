// parallel_scan and parallel_deterministic_scan over ranges that users write, and over one that is long enough for
// helpers.
#include "unit/api_scan_support.h"

using namespace bough_test;

namespace {

class any_scan_ranges : public any_scan {};
INSTANTIATE_TEST_SUITE_P(scans, any_scan_ranges, both_scans(), scan_name);

// No index range: split in thirds, in order.
struct thirds {
    thirds(int b, int e) : begin(b), end(e) {}
    thirds(thirds& r, bough::split) : begin(r.begin + (r.end - r.begin + 2) / 3), end(r.end) {
        r.end = begin;
    }
    bool empty() const { return begin >= end; }
    bool is_divisible() const { return end - begin > 3; }
    int begin, end;
};

TEST_P(any_scan_ranges, user_written_ranges) {
    for_each_tail([&](scan_tail& tail) {
        std::vector<long> out(5000);
        visits finals(5000);
        const auto scan = [&](const thirds& r, long sum, bool is_final) {
            for (int i = r.begin; i < r.end; ++i) {
                sum += i;
                if (is_final) {
                    finals.hit(static_cast<std::size_t>(i));
                    out[static_cast<std::size_t>(i)] = sum;
                }
            }
            return sum;
        };
        EXPECT_EQ(sum_of(thirds(0, 5000), 0L, scan, tail), 5000L * 4999 / 2);
        EXPECT_TRUE(finals.each_once());
        for (long i = 0; i < 5000; ++i)
            ASSERT_EQ(out[static_cast<std::size_t>(i)], i * (i + 1) / 2);
    });
}

// Long enough to be handed off, in windows that grow: a site that has learnt nothing.
TEST_P(any_scan_ranges, with_helpers) {
    for (budget rounds(20); rounds.next();) {
        for_each_tail([&](scan_tail& tail) {
            constexpr int size = 20000;
            std::vector<long> out(size);
            const auto scan = [&](const indices& r, long sum, bool is_final) {
                for (int i = r.begin(); i != r.end(); ++i) {
                    work_a_little(100);
                    sum += i;
                    if (is_final)
                        out[static_cast<std::size_t>(i)] = sum;
                }
                return sum;
            };
            long all = 0;
            tail.choose([&](auto&&... arguments) {
                all = scan_now(indices(0, size, 10), 0L, scan, std::plus<>(), arguments...);
            });
            ASSERT_EQ(all, long{size} * (size - 1) / 2);
            for (long i = 0; i < size; ++i)
                ASSERT_EQ(out[static_cast<std::size_t>(i)], i * (i + 1) / 2);
        });
    }
}

}  // namespace
