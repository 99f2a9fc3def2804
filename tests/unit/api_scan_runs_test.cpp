// parallel_deterministic_scan of floating-point values goes through its units in runs.
#include "unit/api_support.h"

#include <bough/parallel_scan.h>

using namespace bough_test;
using indices = bough::blocked_range<int>;

namespace {

constexpr int size = 1 << 16;

// Which indices are summed and scanned finally, and in how long ranges.
struct calls {
    visits sums{size}, finals{size};
    std::atomic<int> shortest{size}, longest{0};

    void see(const indices& r, bool is_final) {
        (is_final ? finals : sums).hit_range(r);
        const int length = static_cast<int>(r.size());
        for (int s = shortest; length < s && !shortest.compare_exchange_weak(s, length);) {
        }
        for (int l = longest; length > l && !longest.compare_exchange_weak(l, length);) {
        }
    }
};

template <class Value, class Expect>
void calls_of(std::size_t grain, Expect&& expect) {
    for_widths([&] {
        calls seen;
        const auto scan = [&](const indices& r, Value sum, bool is_final) {
            seen.see(r, is_final);
            return sum + static_cast<Value>(r.size());
        };
        EXPECT_EQ(bough::parallel_deterministic_scan(indices(0, size, grain), Value{}, scan, std::plus<>()),
                  Value{size});
        EXPECT_TRUE(seen.sums.each_once());
        EXPECT_TRUE(seen.finals.each_once());
        expect(seen);
    });
}

TEST(parallel_deterministic_scan, comes_in_short_runs_but_for_the_grain) {
    for (int grain : {1, 64, 100, 1000, 5000, size}) {
        calls_of<double>(static_cast<std::size_t>(grain), [&](const calls& seen) {
            EXPECT_GE(seen.shortest, std::max(64, grain * 9 / 10)) << grain;
            EXPECT_LE(seen.longest, std::max(127, 2 * grain)) << grain;
        });
    }
}

TEST(parallel_deterministic_scan, of_integers_comes_in_whole_units) {
    calls_of<long>(1, [](const calls& seen) { EXPECT_EQ(seen.shortest, 256); });
}

// The number of the call that throws or cancels: in a first run and in later ones, of a sum and finally.
constexpr int stops[] = {0, 1, 2, 3, 10, 100, 1000};

TEST(parallel_deterministic_scan, throws_from_a_run) {
    for (int stop : stops) {
        for_widths([&] {
            std::atomic<int> left{stop};
            const auto scan = [&](const indices& r, double sum, bool) {
                if (left-- == 0)
                    throw boom{static_cast<std::size_t>(r.begin())};
                return sum + static_cast<double>(r.size());
            };
            EXPECT_THROW(bough::parallel_deterministic_scan(indices(0, size), 0.0, scan, std::plus<>()),
                         boom);
        });
    }
    EXPECT_TRUE(pool_is_usable());
}

TEST(parallel_deterministic_scan, what_is_written_before_it_is_cancelled_is_right) {
    for (int stop : stops) {
        for_widths([&] {
            bough::task_group_context context;
            std::atomic<int> left{stop};
            std::vector<int> out(size, -1);
            const auto scan = [&](const indices& r, double sum, bool is_final) {
                if (left-- == 0)
                    context.cancel_group_execution();
                for (int i = r.begin(); i != r.end(); ++i) {
                    if (is_final)
                        out[static_cast<std::size_t>(i)] = static_cast<int>(sum);
                    sum += 1;
                }
                return sum;
            };
            const double all =
                bough::parallel_deterministic_scan(indices(0, size), 0.0, scan, std::plus<>(), context);
            EXPECT_LT(all, size);
            for (int i = 0; i != size; ++i) {
                const int o = out[static_cast<std::size_t>(i)];
                ASSERT_TRUE(o == -1 || o == i) << i << ": " << o << ", " << stop;
            }
        });
    }
}

}  // namespace
