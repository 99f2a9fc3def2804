// parallel_deterministic_reduce over ranges of other kinds than indices, and with values that are moved.
#include "unit/api_deterministic_support.h"

#include <numeric>
#include <string>

using namespace bough_test;

namespace {

TEST(parallel_deterministic_reduce, two_dimensions_and_user_written_ranges) {
    using area_range = bough::blocked_range2d<int>;
    for_each_tail([&](tail& t) {
        const auto area = [](const area_range& r, std::string s) {
            return s + "[" + std::to_string(r.rows().begin()) + "," + std::to_string(r.cols().begin()) + "]";
        };
        const auto join = [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; };
        const auto run = [&] { return reduce(area_range(0, 30, 3, 0, 50, 2), std::string(), area, join, t); };
        const std::string expected = run();
        for (int round = 0; round < 5; ++round)
            EXPECT_EQ(run(), expected);
    });
    struct thirds {
        thirds(int b, int e) : begin(b), end(e) {}
        thirds(thirds& r, bough::split) : begin(r.begin + (r.end - r.begin + 2) / 3), end(r.end) {
            r.end = begin;
        }
        bool empty() const { return begin >= end; }
        bool is_divisible() const { return end - begin > 3; }
        int begin, end;
    };
    for_each_tail([&](tail& t) {
        const auto text = [](const thirds& r, std::string s) {
            for (int i = r.begin; i < r.end; ++i)
                s += std::to_string(i) + ",";
            return s;
        };
        std::string expected;
        for (int i = 0; i < 1000; ++i)
            expected += std::to_string(i) + ",";
        EXPECT_EQ(reduce(thirds(0, 1000), std::string(), text, std::plus<>(), t), expected);
    });
}

TEST(parallel_deterministic_reduce, values_are_moved) {
    using numbers = std::vector<int>;
    const auto collect = [](const indices& r, numbers&& v) {
        for (int i = r.begin(); i != r.end(); ++i)
            v.push_back(i);
        return std::move(v);
    };
    const auto append = [](numbers&& a, numbers&& b) {
        a.insert(a.end(), b.begin(), b.end());
        return std::move(a);
    };
    numbers expected(1000);
    std::iota(expected.begin(), expected.end(), 0);
    for_each_tail(
        [&](tail& t) { EXPECT_EQ(reduce(indices(0, 1000), numbers(), collect, append, t), expected); });
}

}  // namespace
