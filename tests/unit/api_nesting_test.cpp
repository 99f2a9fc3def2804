// Loops in loops, loops in tasks, tasks in loops.

#include "unit/api_support.h"

namespace {

using bough_test::boom;
using bough_test::visits;

// Calls leaf(path) at the bottom of a `depth`-fold loop of `width` each; path counts the leaves.
template <class Leaf>
void nested(int depth, std::size_t width, std::size_t path, const Leaf& leaf) {
    if (depth == 0) {
        leaf(path);
        return;
    }
    bough::parallel_for(std::size_t{0}, width,
                        [&, path](std::size_t i) { nested(depth - 1, width, path * width + i, leaf); });
}

std::size_t power(std::size_t base, int exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

TEST(api_nesting, every_leaf_once_at_every_depth) {
    for (int depth = 2; depth <= 12; ++depth) {
        for (const std::size_t width :
             {std::size_t{1}, std::size_t{2}, depth <= 4 ? std::size_t{9} : std::size_t{2}}) {
            visits seen(power(width, depth));
            nested(depth, width, 0, [&](std::size_t path) { seen.hit(path); });
            EXPECT_TRUE(seen.each_once()) << "depth " << depth << ", width " << width;
        }
    }
}

TEST(api_nesting, with_every_pair_of_partitioners) {
    bough_test::for_each_partitioner([](const char* outer_name, auto& outer) {
        bough_test::for_each_partitioner([&](const char* inner_name, auto& inner) {
            using inner_type = std::remove_reference_t<decltype(inner)>;
            visits seen(40 * 50);
            bough::parallel_for(
                std::size_t{0}, std::size_t{40},
                [&](std::size_t i) {
                    inner_type own;  // an affinity_partitioner serves one loop at a time
                    bough::parallel_for(
                        std::size_t{0}, std::size_t{50}, [&](std::size_t j) { seen.hit(i * 50 + j); }, own);
                },
                outer);
            EXPECT_TRUE(seen.each_once()) << outer_name << " around " << inner_name;
        });
    });
}

TEST(api_nesting, uneven_inner_loops) {
    constexpr std::size_t n = 300;
    visits seen(n * (n + 1) / 2);
    bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
        bough::parallel_for(std::size_t{0}, i + 1, [&](std::size_t j) { seen.hit(i * (i + 1) / 2 + j); });
    });
    EXPECT_TRUE(seen.each_once());
}

// The caller may run other bodies of the outer loop while it waits for the inner one, but never forgets its own.
TEST(api_nesting, what_a_body_wrote_before_its_inner_loop_is_there_after_it) {
    std::atomic<int> wrong{0};
    bough::parallel_for(0, 500, [&](int i) {
        int mine = i;
        std::vector<int> parts(64);
        bough::parallel_for(0, 64, [&](int j) { parts[static_cast<std::size_t>(j)] = mine + j; });
        for (int j = 0; j < 64; ++j)
            wrong.fetch_add(parts[static_cast<std::size_t>(j)] == i + j ? 0 : 1);
    });
    EXPECT_EQ(wrong.load(), 0);
}

TEST(api_nesting, exceptions_climb_through_all_levels) {
    for (int depth = 2; depth <= 12; ++depth) {
        const std::size_t leaves = power(2, depth);
        for (const std::size_t thrower : {std::size_t{0}, leaves / 2, leaves - 1}) {
            visits seen(leaves);
            try {
                nested(depth, 2, 0, [&](std::size_t path) {
                    seen.hit(path);
                    if (path == thrower)
                        throw boom{path};
                });
                ADD_FAILURE() << "nothing was thrown";
            } catch (const boom& caught) {
                EXPECT_EQ(caught.where, thrower);
            }
            EXPECT_TRUE(seen.none_twice());
        }
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_nesting, an_inner_exception_that_is_caught_harms_nobody_else) {
    visits outer(200);
    std::atomic<int> caught{0};
    bough::parallel_for(std::size_t{0}, std::size_t{200}, [&](std::size_t i) {
        try {
            bough::parallel_for(0, 50, [&](int j) {
                if (j == 25)
                    throw boom{i};
            });
        } catch (const boom& b) {
            caught.fetch_add(b.where == i ? 1 : 0);
        }
        outer.hit(i);
    });
    EXPECT_TRUE(outer.each_once());
    EXPECT_EQ(caught.load(), 200) << "an inner loop lost its exception, or got one of its neighbours'";
}

TEST(api_nesting, loops_inside_tasks) {
    visits seen(20 * 500);
    bough::task_group group;
    for (std::size_t t = 0; t < 20; ++t) {
        group.run([&seen, t] {
            bough::parallel_for(std::size_t{0}, std::size_t{500},
                                [&](std::size_t i) { seen.hit(t * 500 + i); });
        });
    }
    EXPECT_EQ(group.wait(), bough::complete);
    EXPECT_TRUE(seen.each_once());
}

TEST(api_nesting, tasks_inside_loops) {
    visits seen(200 * 10);
    std::atomic<int> unfinished{0};
    bough::parallel_for(std::size_t{0}, std::size_t{200}, [&](std::size_t i) {
        bough::task_group group;
        for (std::size_t t = 0; t < 9; ++t)
            group.run([&seen, i, t] { seen.hit(i * 10 + t); });
        group.run_and_wait([&seen, i] { seen.hit(i * 10 + 9); });
        // The group has waited: its tasks are done here and not only when the loop returns.
        for (std::size_t t = 0; t < 10; ++t)
            unfinished.fetch_add(seen.count(i * 10 + t) == 1 ? 0 : 1);
    });
    EXPECT_EQ(unfinished.load(), 0);
    EXPECT_TRUE(seen.each_once());
}

TEST(api_nesting, an_exception_of_a_loop_inside_a_task_reaches_wait) {
    for (int round = 0; round < 50; ++round) {
        bough::task_group group;
        group.run([] { bough::parallel_for(0, 100, [](int i) { i == 50 ? throw boom{50} : void(); }); });
        EXPECT_THROW(group.wait(), boom);
    }
}

TEST(api_nesting, an_exception_of_a_task_inside_a_loop_reaches_the_loop) {
    for (int round = 0; round < 50; ++round) {
        EXPECT_THROW(bough::parallel_for(0, 20,
                                         [](int i) {
                                             bough::task_group group;
                                             group.run([i] { i == 11 ? throw boom{11} : void(); });
                                             group.wait();
                                         }),
                     boom);
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_nesting, reduce_in_for_in_reduce) {
    const auto inner = [](std::size_t i) {
        return bough::parallel_reduce(
            bough::blocked_range<std::size_t>(0, 100), std::size_t{0},
            [i](const bough::blocked_range<std::size_t>& r, std::size_t sum) {
                for (std::size_t j = r.begin(); j < r.end(); ++j)
                    sum += i * j;
                return sum;
            },
            std::plus<std::size_t>());
    };
    const auto total = bough::parallel_reduce(
        bough::blocked_range<std::size_t>(0, 60), std::size_t{0},
        [&](const bough::blocked_range<std::size_t>& r, std::size_t sum) {
            std::vector<std::size_t> parts(r.size());
            bough::parallel_for(std::size_t{0}, r.size(),
                                [&](std::size_t k) { parts[k] = inner(r.begin() + k); });
            for (const std::size_t part : parts)
                sum += part;
            return sum;
        },
        std::plus<std::size_t>());
    EXPECT_EQ(total, 60u * 59 / 2 * (100 * 99 / 2));
}

TEST(api_nesting, invoke_in_for_in_invoke) {
    visits seen(2 * 30 * 3);
    const auto half = [&](std::size_t h) {
        bough::parallel_for(std::size_t{0}, std::size_t{30}, [&, h](std::size_t i) {
            const std::size_t base = (h * 30 + i) * 3;
            bough::parallel_invoke([&] { seen.hit(base); }, [&] { seen.hit(base + 1); },
                                   [&] { seen.hit(base + 2); });
        });
    };
    bough::parallel_invoke([&] { half(0); }, [&] { half(1); });
    EXPECT_TRUE(seen.each_once());
}

}  // namespace
