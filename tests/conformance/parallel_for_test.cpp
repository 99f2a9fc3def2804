// tbb::parallel_for: every overload, index types, steps, nesting. Ranges and partitioners have files of their own.
#include "support.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <limits>

using namespace conformance;

namespace {

TEST(parallel_for, range_forms) {
    for_widths([] {
        for (std::size_t size : {0u, 1u, 2u, 7u, 1000u}) {
            for_each_loop_tail([size](auto&&... tail) {
                visits seen(size);
                tbb::parallel_for(
                    tbb::blocked_range<std::size_t>(0, size),
                    [&](const auto& r) {
                        EXPECT_FALSE(r.empty());
                        for (auto i = r.begin(); i != r.end(); ++i)
                            seen.add(i);
                    },
                    tail...);
                EXPECT_TRUE(seen.each_once());
            });
        }
    });
}

TEST(parallel_for, index_forms) {
    for_widths([] {
        for (std::size_t size : {0u, 1u, 2u, 7u, 1000u}) {
            for_each_loop_tail([size](auto&&... tail) {
                visits seen(size);
                tbb::parallel_for(std::size_t{0}, size, [&](std::size_t i) { seen.add(i); }, tail...);
                EXPECT_TRUE(seen.each_once());
            });
        }
    });
}

TEST(parallel_for, step_forms) {
    for_widths([] {
        for (int step : {1, 2, 3, 7, 999, 1000, 5000}) {
            for_each_loop_tail([step](auto&&... tail) {
                visits seen(1000);
                tbb::parallel_for(
                    0, 1000, step,
                    [&](int i) {
                        EXPECT_EQ(i % step, 0);
                        seen.add(std::size_t(i / step));
                    },
                    tail...);
                int n = 0;
                for (int i = 0; i < 1000; i += step)
                    ++n;
                EXPECT_TRUE(seen.at_most_once());
                std::atomic<int> count{0};
                tbb::parallel_for(0, 1000, step, [&](int) { ++count; }, tail...);
                EXPECT_EQ(count, n);
            });
        }
    });
}

TEST(parallel_for, a_step_that_is_not_positive_is_refused) {
    for_each_loop_tail([](auto&&... tail) {
        EXPECT_THROW(tbb::parallel_for(0, 10, 0, [](int) { ADD_FAILURE(); }, tail...), std::invalid_argument);
        EXPECT_THROW(
            tbb::parallel_for(0, 10, -1, [](int) { ADD_FAILURE(); }, tail...), std::invalid_argument);
    });
}

TEST(parallel_for, nothing_where_last_is_not_after_first) {
    for_each_loop_tail([](auto&&... tail) {
        tbb::parallel_for(5, 5, [](int) { ADD_FAILURE(); }, tail...);
        tbb::parallel_for(5, -5, [](int) { ADD_FAILURE(); }, tail...);
        tbb::parallel_for(5, -5, 2, [](int) { ADD_FAILURE(); }, tail...);
        tbb::parallel_for(tbb::blocked_range<int>(3, 3), [](const auto&) { ADD_FAILURE(); }, tail...);
    });
}

template <typename Index>
void expect_visits_from(Index first, Index last) {
    const auto size = std::size_t(last - first);
    visits seen(size);
    tbb::parallel_for(first, last, [&](Index i) { seen.add(std::size_t(i - first)); });
    EXPECT_TRUE(seen.each_once());
    seen.clear();
    tbb::parallel_for(first, last, Index(1), [&](Index i) { seen.add(std::size_t(i - first)); });
    EXPECT_TRUE(seen.each_once());
    seen.clear();
    tbb::parallel_for(tbb::blocked_range<Index>(first, last), [&](const auto& r) {
        for (Index i = r.begin(); i != r.end(); ++i)
            seen.add(std::size_t(i - first));
    });
    EXPECT_TRUE(seen.each_once());
}

TEST(parallel_for, index_types) {
    for_widths([] {
        expect_visits_from<signed char>(-100, 27);
        expect_visits_from<unsigned char>(0, 255);
        expect_visits_from<short>(-300, 300);
        expect_visits_from<unsigned short>(65000, 65535);
        expect_visits_from<int>(-500, 500);
        expect_visits_from<unsigned>(0, 1000);
        expect_visits_from<long long>(-500, 500);
        expect_visits_from<std::size_t>(0, 1000);
    });
}

TEST(parallel_for, at_the_ends_of_the_index_type) {
    for_widths([] {
        expect_visits_from<int>(std::numeric_limits<int>::max() - 500, std::numeric_limits<int>::max());
        expect_visits_from<int>(std::numeric_limits<int>::min(), std::numeric_limits<int>::min() + 500);
        const auto top = std::numeric_limits<std::size_t>::max();
        expect_visits_from<std::size_t>(top - 500, top);
        std::atomic<int> count{0};
        tbb::parallel_for(std::size_t{0}, top, top / 4, [&](std::size_t) { ++count; });
        EXPECT_EQ(count, 5) << "four steps and the rest; the last must not wrap round";
    });
}

TEST(parallel_for, over_pointers_and_iterators) {
    for_widths([] {
        std::vector<int> numbers(1000, 1);
        tbb::parallel_for(tbb::blocked_range<int*>(numbers.data(), numbers.data() + 1000), [](const auto& r) {
            for (int& n : r)
                ++n;
        });
        tbb::parallel_for(tbb::blocked_range<std::vector<int>::iterator>(numbers.begin(), numbers.end()),
                          [](const auto& r) {
                              for (int& n : r)
                                  ++n;
                          });
        EXPECT_EQ(numbers, std::vector<int>(1000, 3));
    });
}

TEST(parallel_for, member_pointers_and_function_pointers) {
    struct cell {
        mutable std::atomic<int> hits{0};
        static void hit_range(const tbb::blocked_range<int>&) {}
    };
    static std::atomic<int> count;
    count = 0;
    tbb::parallel_for(0, 100, +[](int) { ++count; });
    EXPECT_EQ(count, 100);
    tbb::parallel_for(tbb::blocked_range<int>(0, 10), &cell::hit_range);
}

TEST(parallel_for, the_body_need_not_be_assignable_nor_default_constructible) {
    struct body {
        explicit body(std::atomic<int>& c) : count(c) {}
        body(const body&) = default;
        body& operator=(const body&) = delete;
        void operator()(const tbb::blocked_range<int>& r) const { count += int(r.size()); }
        void operator()(int) const { ++count; }
        std::atomic<int>& count;
    };
    for_widths([] {
        std::atomic<int> count{0};
        tbb::parallel_for(tbb::blocked_range<int>(0, 100), body(count));
        tbb::parallel_for(0, 100, body(count));
        EXPECT_EQ(count, 200);
    });
}

TEST(parallel_for, copies_of_the_body_are_gone_afterwards) {
    for_widths([] {
        const auto token = std::make_shared<int>(0);
        tbb::parallel_for(tbb::blocked_range<int>(0, 1000), [token](const auto&) {});
        EXPECT_EQ(token.use_count(), 1);
        EXPECT_EQ(number_thrown_by([&] {
                      tbb::parallel_for(tbb::blocked_range<int>(0, 1000),
                                        [token](const auto&) { throw test_error(1); });
                  }),
                  1);
        EXPECT_EQ(token.use_count(), 1);
    });
}

TEST(parallel_for, nested) {
    for_widths([] {
        visits seen(20 * 20 * 20);
        tbb::parallel_for(0, 20, [&](int i) {
            tbb::parallel_for(0, 20, [&](int j) {
                tbb::parallel_for(0, 20, [&](int k) { seen.add(std::size_t((i * 20 + j) * 20 + k)); });
            });
        });
        EXPECT_TRUE(seen.each_once());
    });
}

TEST(parallel_for, from_many_threads) {
    run_threads(6, [](int) {
        for (int round = 0; round < 20; ++round) {
            std::atomic<int> count{0};
            tbb::parallel_for(0, 200, [&](int) { ++count; });
            EXPECT_EQ(count, 200);
        }
    });
}

TEST(parallel_for, writes_are_visible_afterwards) {
    for_widths([] {
        std::vector<int> numbers(5000);
        for (int round = 1; round <= 20; ++round) {
            tbb::parallel_for(std::size_t{0}, numbers.size(), [&](std::size_t i) { numbers[i] += round; });
            ASSERT_EQ(numbers, std::vector<int>(5000, round * (round + 1) / 2));
        }
    });
}

TEST(parallel_for, never_uses_more_threads_than_the_limit) {
    for (int width : {1, 2, 8}) {
        with_width(width, [width] {
            for_each_loop_tail([width](auto&&... tail) {
                occupancy threads;
                tbb::parallel_for(
                    0, 200,
                    [&](int) {
                        threads.enter();
                        threads.leave();
                    },
                    tail...);
                EXPECT_LE(threads.most(), width);
            });
        });
    }
}

}  // namespace
