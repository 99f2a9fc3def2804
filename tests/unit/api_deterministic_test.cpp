// parallel_deterministic_reduce: the tree of joins depends on the range and the partitioner alone.
#include "unit/api_deterministic_support.h"
#include "unit/blocking_bodies.h"

#include <cstring>
#include <string>

using namespace bough_test;

namespace {

// The tree as an expression; `work` makes others come to help.
std::string tree_of(int size, int grain, int work, tail::partitioner p = tail::none) {
    const auto leaf = [work](const indices& r, const std::string& identity) {
        EXPECT_EQ(identity, "");
        work_a_little(work);
        return std::to_string(r.begin()) + "-" + std::to_string(r.end());
    };
    const auto node = [](const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; };
    tail t(p);
    return reduce(indices(0, size, static_cast<std::size_t>(grain)), std::string(), leaf, node, t);
}

TEST(parallel_deterministic_reduce, known_trees) {
    const auto simple = tail::simple;
    EXPECT_EQ(tree_of(4, 1, 0, simple), "((0-1 1-2) (2-3 3-4))");
    EXPECT_EQ(tree_of(8, 2, 0, simple), "((0-2 2-4) (4-6 6-8))");
    EXPECT_EQ(tree_of(7, 2, 0, simple), "((0-2 2-4) (4-6 6-7))");
    EXPECT_EQ(tree_of(3, 5, 0, simple), "0-3");
    EXPECT_EQ(tree_of(0, 1, 0, simple), "");
    EXPECT_EQ(tree_of(1, 1, 0), "0-1");
    EXPECT_EQ(tree_of(4, 1, 0), "((0-1 1-2) (2-3 3-4))");
    EXPECT_EQ(tree_of(9, 4, 0), "(0-5 5-9)");
    bough::task_arena(3).execute([&] {
        EXPECT_EQ(tree_of(12, 1, 0, tail::fixed), "((0-4 4-8) 8-12)");
        EXPECT_EQ(tree_of(1, 1, 0, tail::fixed), "0-1");
    });
}

TEST(parallel_deterministic_reduce, the_tree_depends_on_the_range_alone) {
    for (int size : {1, 2, 3, 10, 100, 777, 5000}) {
        for (int grain : {1, 3, 100}) {
            std::string automatic, simple;
            for_widths([&] {
                for (budget rounds(3); rounds.next();) {
                    const std::string a = tree_of(size, grain, 1000);
                    const std::string s = tree_of(size, grain, 100, tail::simple);
                    const std::string f = tree_of(size, grain, 1000, tail::fixed);
                    if (automatic.empty())
                        automatic = a, simple = s;
                    ASSERT_EQ(a, automatic);
                    ASSERT_EQ(s, simple);
                    ASSERT_EQ(f, tree_of(size, grain, 0, tail::fixed));
                }
            });
        }
    }
}

// All sums of doubles go through one type of leaf.
double reduce_doubles(int size, body_ref<double(const indices&, double)> leaf, tail& t) {
    return reduce(indices(0, size), 0.0, leaf, std::plus<>(), t);
}

double sum_of(int size) {
    const auto add = [](const indices& r, double sum) {
        for (int i = r.begin(); i != r.end(); ++i)
            sum += 1.0 / (1 + i);
        return sum;
    };
    tail none(tail::none);
    return reduce_doubles(size, add, none);
}

TEST(parallel_deterministic_reduce, the_same_bits_whatever_the_threads) {
    for (int size : {10, 1000, 100000, 3000000}) {
        const double expected = sum_of(size);
        for_widths([&] {
            for (budget rounds(10); rounds.next();) {
                const double now = sum_of(size);
                ASSERT_EQ(std::memcmp(&now, &expected, sizeof now), 0);
            }
        });
    }
}

TEST(parallel_deterministic_reduce, nested) {
    double expected = 0;
    for (int i = 0; i < 100; ++i)
        expected += sum_of(i * 50);
    const auto inner = [](const indices& r, double sum) {
        for (int i = r.begin(); i != r.end(); ++i)
            sum += sum_of(i * 50);
        return sum;
    };
    for_each_tail([&](tail& t) { EXPECT_NEAR(reduce_doubles(100, inner, t), expected, 1e-9 * expected); });
}

// As many leaves as threads, each of which waits for all others.
TEST(parallel_deterministic_reduce, leaves_that_wait_for_each_other) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    rendezvous all(threads, rendezvous::sleeping);
    const auto leaf = [&](const indices& r, int sum) {
        all.arrive_and_wait();
        return sum + static_cast<int>(r.size());
    };
    EXPECT_EQ(bough::parallel_deterministic_reduce(indices(0, threads), 0, leaf, std::plus<>(),
                                                   bough::simple_partitioner()),
              threads);
    EXPECT_TRUE(all.met());
}

TEST(parallel_deterministic_reduce, cancellation) {
    for_each_tail([](tail& t) {
        if (!t.has_context())
            return;
        const auto fail = [](const indices&, double) -> double { throw boom{1}; };
        const auto run = [&] { reduce_doubles(1000, fail, t); };
        EXPECT_THROW(run(), boom);
        EXPECT_TRUE(t.context().is_group_execution_cancelled());
        EXPECT_NO_THROW(run()) << "nothing is begun under a cancelled context";
    });
    bough::task_group_context context;
    std::atomic<int> calls{0};
    const auto count = [&](const indices&, double sum) {
        if (++calls > 100)
            context.cancel_group_execution();
        return sum;
    };
    tail simple(tail::simple);
    bough::parallel_for(0, 1, [&](int) { reduce_doubles(100000, count, simple); }, context);
    EXPECT_LT(calls, 100000);
}

}  // namespace
