// Random loops and reductions, checked index by index: claim, steal and join race at the borders of pieces.

#include "unit/api_support.h"

namespace {

using bough_test::visits;
using range = bough::blocked_range<std::size_t>;

TEST(coverage, tiny_loops_in_a_row) {
    std::vector<std::uint32_t> data(64);
    bough_test::budget rounds(200000, 700);
    while (rounds.next()) {
        const std::size_t n = 1 + static_cast<std::size_t>(rounds.done()) % 64;
        bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) { ++data[i]; });
    }
    // Each full turn of 64 rounds adds 64 - i to data[i].
    for (std::size_t i = 0; i < 64; ++i) {
        std::uint32_t expected = 0;
        for (int k = 1; k <= rounds.done(); ++k)
            expected += i < 1 + static_cast<std::size_t>(k) % 64 ? 1 : 0;
        ASSERT_EQ(data[i], expected) << "index " << i;
    }
}

// Costs change inside the loop, so that thieves come when the owner is about to take the last pieces.
TEST(coverage, random_loops_of_random_cost) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(3000, 1200);
    while (rounds.next()) {
        const std::size_t n =
            bough_test::uniform(generator, 1, std::size_t{1} << bough_test::uniform(generator, 1, 13));
        const std::size_t grain =
            bough_test::uniform(generator, 0, 3) ? 1 : bough_test::uniform(generator, 1, 100);
        const std::size_t heavy = bough_test::uniform(generator, 0, n);
        const int cost = 1 << bough_test::uniform(generator, 0, 12);
        visits seen(n);
        const auto body = [&](const range& r) {
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                if (i - heavy < 8)
                    bough_test::work_a_little(cost);
                seen.hit(i);
            }
        };
        switch (bough_test::uniform(generator, 0, 3)) {
        case 0:
            bough::parallel_for(range(0, n, grain), body);
            break;
        case 1:
            bough::parallel_for(range(0, n, grain), body, bough::simple_partitioner{});
            break;
        case 2:
            bough::parallel_for(range(0, n, grain), body, bough::static_partitioner{});
            break;
        default: {
            bough::affinity_partitioner affinity;
            bough::parallel_for(range(0, n, grain), body, affinity);
        }
        }
        ASSERT_TRUE(seen.each_once()) << "n " << n << ", grain " << grain << ", round " << rounds.done();
    }
}

TEST(coverage, random_nested_loops) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(500, 1000);
    while (rounds.next()) {
        const std::size_t rows = bough_test::uniform(generator, 1, 60),
                          cols = bough_test::uniform(generator, 1, 60);
        const std::size_t depth = bough_test::uniform(generator, 1, 20);
        const int cost = 1 << bough_test::uniform(generator, 0, 10);
        visits seen(rows * cols * depth);
        bough::parallel_for(std::size_t{0}, rows, [&](std::size_t i) {
            bough::parallel_for(std::size_t{0}, cols, [&](std::size_t j) {
                if ((i + j) % 16 == 0)
                    bough_test::work_a_little(cost);
                bough::parallel_for(std::size_t{0}, depth,
                                    [&](std::size_t k) { seen.hit((i * cols + j) * depth + k); });
            });
        });
        ASSERT_TRUE(seen.each_once()) << rows << "x" << cols << "x" << depth;
    }
}

TEST(coverage, reductions_keep_their_order) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(2000, 800);
    while (rounds.next()) {
        const std::size_t n = bough_test::uniform(generator, 1, 2000);
        const std::size_t heavy = bough_test::uniform(generator, 0, n);
        const int cost = 1 << bough_test::uniform(generator, 0, 12);
        using list = std::vector<std::size_t>;
        const list joined = bough::parallel_reduce(
            range(0, n, bough_test::uniform(generator, 1, 20)), list(),
            [&](const range& r, list l) {
                for (std::size_t i = r.begin(); i < r.end(); ++i) {
                    if (i - heavy < 8)
                        bough_test::work_a_little(cost);
                    l.push_back(i);
                }
                return l;
            },
            [](list a, const list& b) {
                a.insert(a.end(), b.begin(), b.end());
                return a;
            });
        ASSERT_EQ(joined.size(), n);
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(joined[i], i) << "n " << n;
    }
}

// The results of one loop are read by other threads in the next one: every join must order memory.
TEST(coverage, loops_hand_plain_memory_to_each_other) {
    std::vector<std::uint64_t> a(4096, 1), b(4096);
    std::uint64_t expected = 1;
    bough_test::budget rounds(5000, 700);
    while (rounds.next()) {
        const std::size_t shift = static_cast<std::size_t>(rounds.done()) * 1237;
        bough::parallel_for(std::size_t{0}, a.size(),
                            [&](std::size_t i) { b[i] = a[(i + shift) % a.size()] * 3 + 1; });
        a.swap(b);
        expected = expected * 3 + 1;
        ASSERT_EQ(a[shift % a.size()], expected);
    }
    for (const std::uint64_t value : a)
        ASSERT_EQ(value, expected);
}

}  // namespace
