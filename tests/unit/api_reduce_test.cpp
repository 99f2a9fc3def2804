// parallel_reduce in its functional form: every element once, partial results joined from left to right.

#include "unit/api_support.h"

#include <array>
#include <numeric>

namespace {

using range = bough::blocked_range<std::size_t>;
using bough_test::boom;

std::uint64_t sum_of(const range& r, std::uint64_t sum) {
    for (std::size_t i = r.begin(); i < r.end(); ++i)
        sum += i * i + 1;
    return sum;
}

std::uint64_t serial_sum(std::size_t n) {
    return sum_of(range(0, n), 0);
}

TEST(api_reduce, sums_every_size_with_every_partitioner) {
    for (const std::size_t n : bough_test::usual_sizes()) {
        EXPECT_EQ(bough::parallel_reduce(range(0, n), std::uint64_t{0}, sum_of, std::plus<std::uint64_t>()),
                  serial_sum(n));
        bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
            for (const std::size_t grain : {1u, 10u, 5000u})
                EXPECT_EQ(bough::parallel_reduce(range(0, n, grain), std::uint64_t{0}, sum_of,
                                                 std::plus<std::uint64_t>(), partitioner),
                          serial_sum(n))
                    << name << ", n " << n << ", grain " << grain;
        });
    }
}

TEST(api_reduce, with_a_context) {
    bough::task_group_context context;
    EXPECT_EQ(
        bough::parallel_reduce(range(0, 5000), std::uint64_t{0}, sum_of, std::plus<std::uint64_t>(), context),
        serial_sum(5000));
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        EXPECT_EQ(bough::parallel_reduce(range(0, 5000), std::uint64_t{0}, sum_of, std::plus<std::uint64_t>(),
                                         partitioner, context),
                  serial_sum(5000))
            << name;
    });
}

TEST(api_reduce, of_nothing_is_the_identity_and_calls_nobody) {
    std::atomic<int> calls{0};
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        const int result = bough::parallel_reduce(
            range(5, 5), 42,
            [&](const range&, int value) {
                calls.fetch_add(1);
                return value + 1;
            },
            [&](int a, int b) {
                calls.fetch_add(1);
                return a + b;
            },
            partitioner);
        EXPECT_EQ(result, 42) << name;
        EXPECT_EQ(calls.load(), 0) << name;
    });
}

TEST(api_reduce, of_one_element_calls_the_function_once) {
    bough_test::for_each_partitioner([](const char* name, auto& partitioner) {
        std::atomic<int> calls{0}, joins{0};
        const int result = bough::parallel_reduce(
            range(7, 8), 100,
            [&](const range& r, int value) {
                calls.fetch_add(1);
                return value + static_cast<int>(r.begin());
            },
            [&](int a, int b) {
                joins.fetch_add(1);
                return a + b;
            },
            partitioner);
        // 107 and not 7: the value that is handed in counts.
        EXPECT_EQ(result, 107) << name;
        EXPECT_EQ(calls.load(), 1) << name;
        EXPECT_EQ(joins.load(), 0) << name;
    });
}

TEST(api_reduce, a_join_that_does_not_commute_keeps_the_order) {
    std::string expected;
    for (int i = 0; i < 3000; ++i)
        expected += std::to_string(i) + ",";
    for (int round = 0; round < 20; ++round) {
        bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
            const std::string result = bough::parallel_reduce(
                bough::blocked_range<int>(0, 3000, 1 + round), std::string(),
                [round](const bough::blocked_range<int>& r, std::string text) {
                    for (int i = r.begin(); i < r.end(); ++i) {
                        text += std::to_string(i) + ",";
                        bough_test::work_a_little(round * 10);
                    }
                    return text;
                },
                [](std::string a, const std::string& b) { return std::move(a) + b; }, partitioner);
            ASSERT_EQ(result, expected) << name;
        });
    }
}

using matrix = std::array<std::uint32_t, 4>;
matrix times(const matrix& a, const matrix& b) {
    return {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
            a[2] * b[1] + a[3] * b[3]};
}
matrix matrix_at(std::size_t i) {
    const auto x = static_cast<std::uint32_t>(i * 2654435761u + 1);
    return {x, x >> 3 | 1, x * 7 + 1, x ^ 0x5555u};
}

TEST(api_reduce, products_of_matrices_in_order_with_stealing) {
    constexpr std::size_t n = 20000;
    const matrix one{1, 0, 0, 1};
    matrix expected = one;
    for (std::size_t i = 0; i < n; ++i)
        expected = times(expected, matrix_at(i));
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(200);
    while (rounds.next()) {
        const std::size_t heavy = bough_test::uniform(generator, 0, n - 1);
        const matrix result = bough::parallel_reduce(
            range(0, n), one,
            [heavy](const range& r, matrix m) {
                for (std::size_t i = r.begin(); i < r.end(); ++i) {
                    m = times(m, matrix_at(i));
                    if (i - heavy < 200)
                        bough_test::work_a_little(1000);
                }
                return m;
            },
            times);
        ASSERT_EQ(result, expected);
    }
}

// An identity that is not zero of the operation would be counted once per part: it must be the value that is used.
TEST(api_reduce, starts_every_part_from_the_identity) {
    std::atomic<int> strange{0};
    const int smallest = bough::parallel_reduce(
        bough::blocked_range<int>(0, 10000), 1 << 30,
        [&](const bough::blocked_range<int>& r, int best) {
            strange.fetch_add(best == 1 << 30 || (best <= 100000 && best >= 90000) ? 0 : 1);
            for (int i = r.begin(); i < r.end(); ++i)
                best = std::min(best, 100000 - i);
            return best;
        },
        [](int a, int b) { return std::min(a, b); });
    EXPECT_EQ(smallest, 90001);
    EXPECT_EQ(strange.load(), 0);
}

TEST(api_reduce, over_two_dimensions_and_over_32_bits) {
    using tiles = bough::blocked_range2d<int>;
    const long cells = bough::parallel_reduce(
        tiles(0, 300, 7, 0, 200, 9), 0L,
        [](const tiles& r, long sum) {
            for (int i = r.rows().begin(); i < r.rows().end(); ++i)
                for (int j = r.cols().begin(); j < r.cols().end(); ++j)
                    sum += i * 200 + j;
            return sum;
        },
        std::plus<long>());
    EXPECT_EQ(cells, 60000L * 59999 / 2);
    const std::uint64_t n = (std::uint64_t{1} << 33) + 5;
    const auto length = bough::parallel_reduce(
        bough::blocked_range<std::uint64_t>(0, n, n / 100), std::uint64_t{0},
        [](const bough::blocked_range<std::uint64_t>& r, std::uint64_t sum) { return sum + r.size(); },
        std::plus<std::uint64_t>());
    EXPECT_EQ(length, n);
}

TEST(api_reduce, exceptions_of_function_and_join_come_out) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    for (int round = 0; round < 100; ++round) {
        EXPECT_THROW(bough::parallel_reduce(
                         range(0, 1000), 0,
                         [&](const range& r, int v) {
                             if (r.begin() <= 500 && 500 < r.end())
                                 throw boom{500};
                             return v;
                         },
                         std::plus<int>()),
                     boom);
    }
    const int threads = bough_test::allowed_threads();
    if (threads > 1) {
        // Two parts that wait for each other are two partial results: there is a join, and it throws.
        bough_test::rendezvous both(2, bough_test::rendezvous::sleeping);
        EXPECT_THROW(bough::parallel_reduce(
                         range(0, 2), 0,
                         [&](const range& r, int v) {
                             for (std::size_t i = r.begin(); i < r.end(); ++i)
                                 both.arrive_and_wait();
                             return v;
                         },
                         [](int, int) -> int { throw boom{1}; }),
                     boom);
        EXPECT_TRUE(both.met());
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
    EXPECT_EQ(bough::parallel_reduce(range(0, 1000), std::uint64_t{0}, sum_of, std::plus<std::uint64_t>()),
              serial_sum(1000));
}

TEST(api_reduce, a_value_without_default_constructor_that_counts_itself) {
    struct counted {
        counted(int s, std::atomic<int>& a) : sum(s), alive(&a) { ++*alive; }
        counted(const counted& other) : sum(other.sum), alive(other.alive) { ++*alive; }
        counted& operator=(const counted&) = default;
        ~counted() { --*alive; }
        int sum;
        std::atomic<int>* alive;
    };
    std::atomic<int> alive{0};
    for (int round = 0; round < 100; ++round) {
        const counted result = bough::parallel_reduce(
            range(0, 1000), counted(0, alive),
            [](const range& r, counted c) {
                c.sum += static_cast<int>(r.size());
                bough_test::work_a_little(200);
                return c;
            },
            [](const counted& a, const counted& b) {
                counted c = a;
                c.sum += b.sum;
                return c;
            });
        ASSERT_EQ(result.sum, 1000);
    }
    EXPECT_EQ(alive.load(), 0) << "values leaked, or were destroyed twice";
}

}  // namespace
