// Bodies whose calls cost much whatever they are called for: a few hundred calls must do for a loop of a million units.
#include "unit/api_support.h"

#include <atomic>
#include <chrono>
#include <cstddef>

namespace {

using range = bough::blocked_range<std::size_t>;
constexpr std::size_t n = 1'000'000;
// A few hundred are usual. More where the system interrupts calls, with many threads on one CPU. One by one: a million.
constexpr long most_calls = 20'000;

class costly_calls : public testing::Test {
protected:
    // As a buffer that is made, or a value that is copied.
    void call() const {
        calls_.fetch_add(1, std::memory_order_relaxed);
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(50);
        while (std::chrono::steady_clock::now() < end) {
        }
    }

    std::size_t called_for(const range& r, std::size_t sum) const {
        call();
        return sum + r.size();
    }

    // Twice: once with nothing known of the call site.
    template <class Loop>
    void few_calls(Loop&& loop) {
        for (const char* when : {"first", "second"}) {
            calls_ = 0;
            loop();
            EXPECT_LT(calls_, most_calls) << when << " loop of its site";
            EXPECT_GT(calls_, 0);
        }
    }

private:
    mutable std::atomic<long> calls_{0};
};

TEST_F(costly_calls, parallel_for) {
    few_calls([&] { bough::parallel_for(range(0, n), [&](const range&) { call(); }); });
}

TEST_F(costly_calls, parallel_for_in_one_thread) {
    bough::task_arena arena(1);
    few_calls(
        [&] { arena.execute([&] { bough::parallel_for(range(0, n), [&](const range&) { call(); }); }); });
}

TEST_F(costly_calls, parallel_for_with_affinity) {
    bough::affinity_partitioner partitioner;
    few_calls([&] { bough::parallel_for(range(0, n), [&](const range&) { call(); }, partitioner); });
}

TEST_F(costly_calls, parallel_for_over_two_dimensions) {
    const bough::blocked_range2d<int> whole(0, 1000, 0, 1000);
    few_calls([&] { bough::parallel_for(whole, [&](const auto&) { call(); }); });
}

TEST_F(costly_calls, parallel_reduce) {
    const auto sum_range = [&](const range& r, std::size_t sum) { return called_for(r, sum); };
    few_calls(
        [&] { EXPECT_EQ(bough::parallel_reduce(range(0, n), std::size_t{0}, sum_range, std::plus<>()), n); });
}

TEST_F(costly_calls, parallel_deterministic_reduce) {
    const auto sum_range = [&](const range& r, std::size_t sum) { return called_for(r, sum); };
    few_calls([&] {
        EXPECT_EQ(bough::parallel_deterministic_reduce(range(0, n), std::size_t{0}, sum_range, std::plus<>()),
                  n);
    });
}

TEST_F(costly_calls, parallel_scan) {
    const auto sum_range = [&](const range& r, std::size_t sum, bool) { return called_for(r, sum); };
    few_calls(
        [&] { EXPECT_EQ(bough::parallel_scan(range(0, n), std::size_t{0}, sum_range, std::plus<>()), n); });
}

TEST_F(costly_calls, parallel_deterministic_scan) {
    const auto sum_range = [&](const range& r, std::size_t sum, bool) { return called_for(r, sum); };
    few_calls([&] {
        EXPECT_EQ(bough::parallel_deterministic_scan(range(0, n), std::size_t{0}, sum_range, std::plus<>()),
                  n);
    });
}

// Of these the grain says how many.
TEST_F(costly_calls, parallel_deterministic_scan_of_doubles) {
    const auto sum_range = [&](const range& r, double sum, bool) {
        call();
        return sum + static_cast<double>(r.size());
    };
    few_calls([&] {
        EXPECT_EQ(bough::parallel_deterministic_scan(range(0, n, 1000), 0.0, sum_range, std::plus<>()),
                  static_cast<double>(n));
    });
}

}  // namespace
