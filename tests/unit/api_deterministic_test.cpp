// parallel_deterministic_reduce: the tree of joins depends on the range and the partitioner alone.
#include "api_support.h"

#include <bough/parallel_deterministic_reduce.h>

#include <cstring>
#include <numeric>
#include <string>

using namespace bough_test;
using indices = bough::blocked_range<int>;

namespace {

template <class F>
void for_each_tail(F&& f) {
    bough::task_group_context contexts[4];
    f();
    f(bough::auto_partitioner());
    f(bough::simple_partitioner());
    f(bough::static_partitioner());
    f(contexts[0]);
    f(bough::auto_partitioner(), contexts[1]);
    f(bough::simple_partitioner(), contexts[2]);
    f(bough::static_partitioner(), contexts[3]);
}

template <class Run>
void for_widths(Run&& run) {
    for (int threads : {1, 2, 3, 8})
        bough::task_arena(threads).execute([&] { run(); });
}

// The tree as an expression; `work` makes others come to help.
template <class... Tail>
std::string tree_of(int size, int grain, int work, const Tail&... tail) {
    const auto leaf = [work](const indices& r, const std::string& identity) {
        EXPECT_EQ(identity, "");
        work_a_little(work);
        return std::to_string(r.begin()) + "-" + std::to_string(r.end());
    };
    const auto node = [](const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; };
    return bough::parallel_deterministic_reduce(indices(0, size, static_cast<std::size_t>(grain)),
                                                std::string(), leaf, node, tail...);
}

TEST(parallel_deterministic_reduce, known_trees) {
    const bough::simple_partitioner simple;
    EXPECT_EQ(tree_of(4, 1, 0, simple), "((0-1 1-2) (2-3 3-4))");
    EXPECT_EQ(tree_of(8, 2, 0, simple), "((0-2 2-4) (4-6 6-8))");
    EXPECT_EQ(tree_of(7, 2, 0, simple), "((0-2 2-4) (4-6 6-7))");
    EXPECT_EQ(tree_of(3, 5, 0, simple), "0-3");
    EXPECT_EQ(tree_of(0, 1, 0, simple), "");
    EXPECT_EQ(tree_of(1, 1, 0), "0-1");
    EXPECT_EQ(tree_of(4, 1, 0), "((0-1 1-2) (2-3 3-4))");
    EXPECT_EQ(tree_of(9, 4, 0), "(0-5 5-9)");
    bough::task_arena(3).execute([&] {
        EXPECT_EQ(tree_of(12, 1, 0, bough::static_partitioner()), "((0-4 4-8) 8-12)");
        EXPECT_EQ(tree_of(1, 1, 0, bough::static_partitioner()), "0-1");
    });
}

TEST(parallel_deterministic_reduce, the_tree_depends_on_the_range_alone) {
    for (int size : {1, 2, 3, 10, 100, 777, 5000}) {
        for (int grain : {1, 3, 100}) {
            std::string automatic, simple;
            for_widths([&] {
                for (budget rounds(3); rounds.next();) {
                    const std::string a = tree_of(size, grain, 1000);
                    const std::string s = tree_of(size, grain, 100, bough::simple_partitioner());
                    const std::string f = tree_of(size, grain, 1000, bough::static_partitioner());
                    if (automatic.empty())
                        automatic = a, simple = s;
                    ASSERT_EQ(a, automatic);
                    ASSERT_EQ(s, simple);
                    ASSERT_EQ(f, tree_of(size, grain, 0, bough::static_partitioner()));
                }
            });
        }
    }
}

double sum_of(int size) {
    const auto add = [](const indices& r, double sum) {
        for (int i = r.begin(); i != r.end(); ++i)
            sum += 1.0 / (1 + i);
        return sum;
    };
    return bough::parallel_deterministic_reduce(indices(0, size), 0.0, add, std::plus<>());
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

// Covers an interval, and joins neighbours only. Cannot be copied, moved, assigned or made from nothing.
struct joining_body {
    joining_body() = default;
    joining_body(joining_body&, bough::split) {}
    joining_body(const joining_body&) = delete;
    joining_body& operator=(const joining_body&) = delete;

    template <class Range>
    void operator()(const Range& r) {
        EXPECT_FALSE(r.empty());
        extend(r.begin(), r.end());
        work_a_little(100);
    }
    void join(joining_body& right) { extend(right.first, right.last); }
    void extend(int from, int to) {
        if (first == last)
            first = from;
        else
            EXPECT_EQ(last, from);
        last = to;
    }
    int first = 0, last = 0;
};

TEST(parallel_deterministic_reduce, joins_neighbours_from_left_to_right) {
    for (int size : {0, 1, 2, 5, 64, 1000, 20000}) {
        for_each_tail([size](auto&&... tail) {
            joining_body body;
            bough::parallel_deterministic_reduce(indices(0, size), body, tail...);
            EXPECT_EQ(body.first, 0);
            EXPECT_EQ(body.last, size);
        });
    }
}

TEST(parallel_deterministic_reduce, the_body_keeps_what_it_had) {
    joining_body body;
    for_each_tail([&](auto&&... tail) {
        const int end = body.last + 500;
        bough::parallel_deterministic_reduce(indices(body.last, end), body, tail...);
        EXPECT_EQ(body.last, end);
    });
}

TEST(parallel_deterministic_reduce, one_body_for_each_leaf) {
    struct body {
        explicit body(std::atomic<int>* c) : counts(c) { ++counts[3]; }
        body(body& other, bough::split) : counts(other.counts) {
            ++counts[0];
            ++counts[3];
        }
        ~body() { --counts[3]; }
        void operator()(const indices&) {
            EXPECT_FALSE(called);
            called = true;
            ++counts[1];
        }
        void join(body&) { ++counts[2]; }
        std::atomic<int>* counts;
        bool called = false;
    };
    for_each_tail([](auto&&... tail) {
        std::atomic<int> counts[4] = {};
        body b(counts);
        bough::parallel_deterministic_reduce(indices(0, 5000), b, tail...);
        EXPECT_GE(counts[1], 1);
        EXPECT_EQ(counts[0], counts[1] - 1) << "splits";
        EXPECT_EQ(counts[2], counts[1] - 1) << "joins";
        EXPECT_EQ(counts[3], 1) << "alive";
    });
    std::atomic<int> counts[4] = {};
    body b(counts);
    bough::parallel_deterministic_reduce(indices(0, 100000), b, bough::simple_partitioner());
    EXPECT_EQ(counts[1], 100000);
}

TEST(parallel_deterministic_reduce, two_dimensions_and_user_written_ranges) {
    using area_range = bough::blocked_range2d<int>;
    for_each_tail([](auto&&... tail) {
        const auto area = [](const area_range& r, std::string s) {
            return s + "[" + std::to_string(r.rows().begin()) + "," + std::to_string(r.cols().begin()) + "]";
        };
        const auto join = [](const std::string& a, const std::string& b) { return "(" + a + b + ")"; };
        const auto run = [&] {
            return bough::parallel_deterministic_reduce(area_range(0, 30, 3, 0, 50, 2), std::string(), area,
                                                        join, tail...);
        };
        const std::string expected = run();
        for (int round = 0; round < 5; ++round)
            EXPECT_EQ(run(), expected);
    });
    struct thirds {
        thirds(int b, int e) : begin(b), end(e) {}
        thirds(thirds& r, bough::split) : begin(r.begin + (r.end - r.begin + 2) / 3), end(r.end) {
            r.end = begin;
        }
        bool empty() const { return begin >= end; }
        bool is_divisible() const { return end - begin > 3; }
        int begin, end;
    };
    for_each_tail([](auto&&... tail) {
        const auto text = [](const thirds& r, std::string s) {
            for (int i = r.begin; i < r.end; ++i)
                s += std::to_string(i) + ",";
            return s;
        };
        std::string expected;
        for (int i = 0; i < 1000; ++i)
            expected += std::to_string(i) + ",";
        EXPECT_EQ(bough::parallel_deterministic_reduce(thirds(0, 1000), std::string(), text, std::plus<>(),
                                                       tail...),
                  expected);
    });
}

TEST(parallel_deterministic_reduce, values_are_moved) {
    using numbers = std::vector<int>;
    const auto collect = [](const indices& r, numbers&& v) {
        for (int i = r.begin(); i != r.end(); ++i)
            v.push_back(i);
        return std::move(v);
    };
    const auto append = [](numbers&& a, numbers&& b) {
        a.insert(a.end(), b.begin(), b.end());
        return std::move(a);
    };
    numbers expected(1000);
    std::iota(expected.begin(), expected.end(), 0);
    for_each_tail([&](auto&&... tail) {
        EXPECT_EQ(bough::parallel_deterministic_reduce(indices(0, 1000), numbers(), collect, append, tail...),
                  expected);
    });
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
    for_each_tail([&](auto&&... tail) {
        EXPECT_NEAR(bough::parallel_deterministic_reduce(indices(0, 100), 0.0, inner, std::plus<>(), tail...),
                    expected, 1e-9 * expected);
    });
}

// As many leaves as threads, each of which waits for all others.
TEST(parallel_deterministic_reduce, leaves_that_wait_for_each_other) {
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

// Throws the n-th time that anything is called.
struct failing_body {
    failing_body(std::atomic<int>& l, std::atomic<int>& a) : left(l), alive(a) { ++alive; }
    failing_body(failing_body& other, bough::split) : left(other.left), alive(other.alive) {
        tick();
        ++alive;
    }
    ~failing_body() { --alive; }
    void operator()(const indices&) {
        work_a_little(300);
        tick();
    }
    void join(failing_body&) { tick(); }
    void tick() {
        if (left-- == 0)
            throw boom{1};
    }
    std::atomic<int>& left;
    std::atomic<int>& alive;
};

TEST(parallel_deterministic_reduce, throws_from_every_place) {
    for (int calls : {0, 1, 2, 3, 5, 10, 50, 200, 1000}) {
        for_each_tail([calls](auto&&... tail) {
            std::atomic<int> left{calls}, alive{0};
            failing_body body(left, alive);
            try {
                bough::parallel_deterministic_reduce(indices(0, 2000), body, tail...);
                EXPECT_GE(left, 0) << "what is thrown arrives";
            } catch (const boom&) {
                EXPECT_LT(left, 0);
            }
            EXPECT_EQ(alive, 1);
        });
    }
    EXPECT_TRUE(pool_is_usable());
}

TEST(parallel_deterministic_reduce, cancellation) {
    for_each_tail([](auto&&... tail) {
        if constexpr (sizeof...(tail) != 0) {
            auto& context = std::get<sizeof...(tail) - 1>(std::tie(tail...));
            if constexpr (std::is_same_v<std::decay_t<decltype(context)>, bough::task_group_context>) {
                const auto fail = [](const indices&, int) -> int { throw boom{1}; };
                const auto run = [&] {
                    bough::parallel_deterministic_reduce(indices(0, 1000), 0, fail, std::plus<>(), tail...);
                };
                EXPECT_THROW(run(), boom);
                EXPECT_TRUE(context.is_group_execution_cancelled());
                EXPECT_NO_THROW(run()) << "nothing is begun under a cancelled context";
            }
        }
    });
    bough::task_group_context context;
    std::atomic<int> calls{0};
    const auto count = [&](const indices&, int sum) {
        if (++calls > 100)
            context.cancel_group_execution();
        return sum;
    };
    bough::parallel_for(
        0, 1,
        [&](int) {
            bough::parallel_deterministic_reduce(indices(0, 100000), 0, count, std::plus<>(),
                                                 bough::simple_partitioner());
        },
        context);
    EXPECT_LT(calls, 100000);
}

}  // namespace
