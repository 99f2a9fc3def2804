// parallel_for visits every index of a range exactly once, whatever cuts it.

#include "unit/api_erased.h"

#include <functional>

namespace {

using bough::blocked_range;
using bough_test::visits;

TEST(api_for_visits, every_index_of_a_blocked_range_once) {
    for (const std::size_t n : bough_test::usual_sizes()) {
        bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
            for (const std::size_t grain : {1u, 2u, 5u, 64u, 5000u}) {
                visits seen(n);
                bough_test::for_range(
                    blocked_range<std::size_t>(0, n, grain),
                    [&](const blocked_range<std::size_t>& r) { seen.hit_range(r); }, partitioner);
                EXPECT_TRUE(seen.each_once()) << name << ", grain " << grain;
            }
        });
    }
}

TEST(api_for_visits, the_range_form_without_a_partitioner) {
    for (const std::size_t n : bough_test::usual_sizes()) {
        visits seen(n);
        bough::parallel_for(blocked_range<std::size_t>(0, n),
                            [&](const blocked_range<std::size_t>& r) { seen.hit_range(r); });
        EXPECT_TRUE(seen.each_once());
    }
}

TEST(api_for_visits, the_index_form_with_every_partitioner) {
    for (const std::size_t n : bough_test::usual_sizes()) {
        visits plain(n);
        bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) { plain.hit(i); });
        EXPECT_TRUE(plain.each_once());
        bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
            visits seen(n);
            bough_test::for_index(std::size_t{0}, n, [&](std::size_t i) { seen.hit(i); }, partitioner);
            EXPECT_TRUE(seen.each_once()) << name;
        });
    }
}

TEST(api_for_visits, the_step_form_with_every_partitioner) {
    for (const std::size_t n : bough_test::usual_sizes()) {
        for (const std::size_t step : {1u, 2u, 3u, 7u, 1000u, 200000u}) {
            const std::size_t steps = (n + step - 1) / step;
            const auto visit = [step](visits& seen, std::size_t i) {
                if (i % step == 0)
                    seen.hit(i / step);
                else
                    ADD_FAILURE() << i << " is no multiple of " << step;
            };
            visits plain(steps);
            bough::parallel_for(std::size_t{0}, n, step, [&](std::size_t i) { visit(plain, i); });
            EXPECT_TRUE(plain.each_once()) << "n " << n << ", step " << step;
            bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
                visits seen(steps);
                bough_test::for_step(
                    std::size_t{0}, n, step, [&](std::size_t i) { visit(seen, i); }, partitioner);
                EXPECT_TRUE(seen.each_once()) << name << ", n " << n << ", step " << step;
            });
        }
    }
}

TEST(api_for_visits, with_a_context_in_every_form) {
    constexpr std::size_t n = 3000;
    bough::task_group_context context;
    visits ranged(n), indexed(n), stepped(n);
    bough::parallel_for(
        blocked_range<std::size_t>(0, n), [&](const blocked_range<std::size_t>& r) { ranged.hit_range(r); },
        context);
    bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) { indexed.hit(i); }, context);
    bough::parallel_for(
        std::size_t{0}, 2 * n, std::size_t{2}, [&](std::size_t i) { stepped.hit(i / 2); }, context);
    EXPECT_TRUE(ranged.each_once());
    EXPECT_TRUE(indexed.each_once());
    EXPECT_TRUE(stepped.each_once());
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        visits seen(3 * n);
        bough_test::for_range(
            blocked_range<std::size_t>(0, n), [&](const blocked_range<std::size_t>& r) { seen.hit_range(r); },
            partitioner, context);
        bough_test::for_index(n, 2 * n, [&](std::size_t i) { seen.hit(i); }, partitioner, context);
        bough_test::for_step(
            2 * n, 3 * n, std::size_t{1}, [&](std::size_t i) { seen.hit(i); }, partitioner, context);
        EXPECT_TRUE(seen.each_once()) << name;
    });
}

// Uneven bodies make thieves split what is left; the pieces must still meet at their borders.
TEST(api_for_visits, bodies_of_very_uneven_length) {
    constexpr std::size_t n = 4000;
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        for (int heavy_end = 0; heavy_end < 2; ++heavy_end) {
            visits seen(n);
            bough_test::for_index(
                std::size_t{0}, n,
                [&](std::size_t i) {
                    const std::size_t from_end = heavy_end ? n - i : i;
                    bough_test::work_a_little(from_end < 40 ? 20000 : 5);
                    seen.hit(i);
                },
                partitioner);
            EXPECT_TRUE(seen.each_once()) << name << ", heavy end " << heavy_end;
        }
    });
}

// The same call site with all sizes in turn: what it learnt from one must not harm the other.
TEST(api_for_visits, one_call_site_with_changing_sizes_and_costs) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(400);
    while (rounds.next()) {
        const std::size_t n =
            bough_test::uniform(generator, 0, std::size_t{1} << bough_test::uniform(generator, 0, 12));
        const int cost = 1 << bough_test::uniform(generator, 0, 8);
        visits seen(n);
        bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
            bough_test::work_a_little(cost);
            seen.hit(i);
        });
        ASSERT_TRUE(seen.each_once()) << "n " << n << ", cost " << cost;
    }
}

TEST(api_for_visits, results_are_visible_to_the_caller_without_atomics) {
    std::vector<std::size_t> data(50000);
    for (std::size_t round = 1; round < 20; ++round) {
        bough::parallel_for(std::size_t{0}, data.size(), [&](std::size_t i) { data[i] += i * round; });
    }
    for (std::size_t i = 0; i < data.size(); ++i)
        ASSERT_EQ(data[i], i * 190) << "an addition was lost at " << i;
}

std::atomic<int> calls_of_plain_function{0};
void plain_function(int) {
    calls_of_plain_function.fetch_add(1);
}

TEST(api_for_visits, takes_function_pointers_and_std_function) {
    calls_of_plain_function = 0;
    bough::parallel_for(0, 100, plain_function);
    bough::parallel_for(0, 100, &plain_function);
    EXPECT_EQ(calls_of_plain_function.load(), 200);
    std::atomic<int> calls{0};
    const std::function<void(int)> f = [&](int) { calls.fetch_add(1); };
    bough::parallel_for(0, 100, f);
    EXPECT_EQ(calls.load(), 100);
    const std::function<void(const blocked_range<int>&)> g = [&](const blocked_range<int>& r) {
        calls.fetch_add(static_cast<int>(r.size()));
    };
    bough::parallel_for(blocked_range<int>(0, 100), g);
    EXPECT_EQ(calls.load(), 200);
}

TEST(api_for_visits, the_range_is_an_lvalue_that_stays_whole) {
    const blocked_range<int> r(3, 1003, 2);
    visits seen(1003);
    for (int round = 0; round < 3; ++round)
        bough::parallel_for(r, [&](const blocked_range<int>&) {});
    EXPECT_EQ(r.begin(), 3);
    EXPECT_EQ(r.end(), 1003);
    blocked_range<int> changeable(0, 1003);
    bough::parallel_for(changeable, [&](const blocked_range<int>& piece) { seen.hit_range(piece); });
    EXPECT_EQ(changeable.size(), 1003u);
    EXPECT_TRUE(seen.each_once());
}

TEST(api_for_visits, pieces_are_never_empty) {
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        for (const std::size_t n : bough_test::usual_sizes()) {
            std::atomic<int> empty{0};
            bough_test::for_range(
                blocked_range<std::size_t>(0, n),
                [&](const blocked_range<std::size_t>& r) { empty.fetch_add(r.empty() ? 1 : 0); },
                partitioner);
            EXPECT_EQ(empty.load(), 0) << name << ", n " << n;
        }
    });
}

}  // namespace
