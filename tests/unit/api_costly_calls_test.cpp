// Bodies whose calls cost much whatever they are called for: a few hundred calls must do for a loop of a million units.
#include "unit/api_support.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace {

using range = bough::blocked_range<std::size_t>;
constexpr std::size_t n = 1'000'000;
// A few hundred are usual. One by one: a million, in every loop.
constexpr long most_calls = 20'000;

class costly_calls : public testing::Test {
protected:
    // As a buffer that is made, or a value that is copied. Once there are too many no time is lost on them.
    void call() const {
        if (calls_.fetch_add(1, std::memory_order_relaxed) >= most_calls)
            return;
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
        while (std::chrono::steady_clock::now() < end) {
        }
    }

    std::size_t called_for(const range& r, std::size_t sum) const {
        call();
        return sum + r.size();
    }

    // The best of five sites counts: a call that the system interrupts seems costly, and the next ones get
    // less to do. The first loop of a site knows nothing of it, the second does.
    template <class Loop>
    void few_calls(const Loop& loop) {
        few_calls(loop, std::make_integer_sequence<int, 5>());
    }

private:
    template <class Loop, int... Site>
    void few_calls(const Loop& loop, std::integer_sequence<int, Site...>) {
        long first = most_calls, second = most_calls;
        const auto are_few = [&](auto site) {
            first = std::min(first, calls_of(loop, site));
            second = std::min(second, calls_of(loop, site));
            return first < most_calls && second < most_calls;
        };
        static_cast<void>((are_few(std::integral_constant<int, Site>()) || ...));
        EXPECT_LT(first, most_calls) << "first loop of its site";
        EXPECT_LT(second, most_calls) << "second loop of its site";
    }
    template <class Loop, class Site>
    long calls_of(const Loop& loop, Site site) {
        calls_ = 0;
        loop(site);
        EXPECT_GT(calls_, 0);
        return calls_;
    }

    mutable std::atomic<long> calls_{0};
};

// Each loop's body is a type of its own for each site.

TEST_F(costly_calls, parallel_for) {
    few_calls([&](auto) { bough::parallel_for(range(0, n), [&](const range&) { call(); }); });
}

TEST_F(costly_calls, parallel_for_in_one_thread) {
    bough::task_arena arena(1);
    few_calls([&](auto) {
        arena.execute([&] { bough::parallel_for(range(0, n), [&](const range&) { call(); }); });
    });
}

TEST_F(costly_calls, parallel_for_with_affinity) {
    bough::affinity_partitioner partitioner;
    few_calls([&](auto) { bough::parallel_for(range(0, n), [&](const range&) { call(); }, partitioner); });
}

TEST_F(costly_calls, parallel_for_over_two_dimensions) {
    const bough::blocked_range2d<int> whole(0, 1000, 0, 1000);
    few_calls([&](auto) { bough::parallel_for(whole, [&](const auto&) { call(); }); });
}

TEST_F(costly_calls, parallel_reduce) {
    few_calls([&](auto) {
        const auto sum_range = [&](const range& r, std::size_t sum) { return called_for(r, sum); };
        EXPECT_EQ(bough::parallel_reduce(range(0, n), std::size_t{0}, sum_range, std::plus<>()), n);
    });
}

TEST_F(costly_calls, parallel_deterministic_reduce) {
    few_calls([&](auto) {
        const auto sum_range = [&](const range& r, std::size_t sum) { return called_for(r, sum); };
        EXPECT_EQ(bough::parallel_deterministic_reduce(range(0, n), std::size_t{0}, sum_range, std::plus<>()),
                  n);
    });
}

TEST_F(costly_calls, parallel_scan) {
    few_calls([&](auto) {
        const auto sum_range = [&](const range& r, std::size_t sum, bool) { return called_for(r, sum); };
        EXPECT_EQ(bough::parallel_scan(range(0, n), std::size_t{0}, sum_range, std::plus<>()), n);
    });
}

TEST_F(costly_calls, parallel_deterministic_scan) {
    few_calls([&](auto) {
        const auto sum_range = [&](const range& r, std::size_t sum, bool) { return called_for(r, sum); };
        EXPECT_EQ(bough::parallel_deterministic_scan(range(0, n), std::size_t{0}, sum_range, std::plus<>()),
                  n);
    });
}

// Of these the grain says how many.
TEST_F(costly_calls, parallel_deterministic_scan_of_doubles) {
    few_calls([&](auto) {
        const auto sum_range = [&](const range& r, double sum, bool) {
            call();
            return sum + static_cast<double>(r.size());
        };
        EXPECT_EQ(bough::parallel_deterministic_scan(range(0, n, 1000), 0.0, sum_range, std::plus<>()),
                  static_cast<double>(n));
    });
}

}  // namespace
