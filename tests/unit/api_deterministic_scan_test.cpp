// parallel_deterministic_scan: the same parts and the same joins, whatever the threads do.
#include "unit/api_support.h"

#include <bough/parallel_scan.h>

#include <cmath>
#include <cstring>
#include <string>

using namespace bough_test;
using indices = bough::blocked_range<int>;

namespace {

double term(int i) {
    return 1.0 / (1 + i % 977) - 1e-3 * i;
}

template <class... Tail>
std::vector<double> sums(int size, const Tail&... tail) {
    std::vector<double> out(static_cast<std::size_t>(size) + 1);
    const auto scan = [&](const indices& r, double sum, bool is_final) {
        for (int i = r.begin(); i != r.end(); ++i) {
            sum += term(i);
            if (is_final)
                out[static_cast<std::size_t>(i)] = sum;
        }
        return sum;
    };
    out.back() = bough::parallel_deterministic_scan(indices(0, size, 3), 0.0, scan, std::plus<>(), tail...);
    return out;
}

TEST(parallel_deterministic_scan, the_same_bits_whatever_the_threads) {
    for (int size : {1, 10, 1000, 100000}) {
        std::vector<double> expected, by_grain;
        for_widths([&] {
            for (budget rounds(5); rounds.next();) {
                auto now = sums(size), simple = sums(size, bough::simple_partitioner());
                if (expected.empty())
                    expected = now, by_grain = simple;
                ASSERT_EQ(std::memcmp(now.data(), expected.data(), now.size() * sizeof(double)), 0);
                ASSERT_EQ(std::memcmp(simple.data(), by_grain.data(), now.size() * sizeof(double)), 0);
            }
        });
        EXPECT_NEAR(expected.back(), by_grain.back(), 1e-6 * std::abs(expected.back()));
    }
}

// The expression of joins and scans itself, with a join that is not associative; a pause lets helpers in.
std::string expression(int size) {
    const auto scan = [](const indices& r, std::string sum, bool) {
        work_a_little(5000);
        return sum + "+" + std::to_string(r.begin()) + "-" + std::to_string(r.end());
    };
    std::vector<std::string> out(static_cast<std::size_t>(size));
    const auto noting = [&](const indices& r, std::string sum, bool is_final) {
        if (is_final)
            out[static_cast<std::size_t>(r.begin())] = sum;
        return scan(r, std::move(sum), is_final);
    };
    const auto join = [](const std::string& a, const std::string& b) { return "(" + a + "|" + b + ")"; };
    std::string all = bough::parallel_deterministic_scan(indices(0, size), std::string(), noting, join);
    for (const auto& s : out)
        all += s + "\n";
    return all;
}

TEST(parallel_deterministic_scan, the_same_joins_whatever_the_threads) {
    for (int size : {1, 5, 64, 300}) {
        std::string expected;
        for_widths([&] {
            for (budget rounds(5); rounds.next();) {
                const std::string now = expression(size);
                if (expected.empty())
                    expected = now;
                ASSERT_EQ(now, expected);
            }
        });
    }
}

}  // namespace
