// parallel_deterministic_reduce with bodies that users write: made once for each leaf, joined with neighbours,
// destroyed whatever throws.
#include "unit/api_deterministic_support.h"

using namespace bough_test;

namespace {

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
        for_each_tail([&](tail& t) {
            joining_body body;
            reduce_into(indices(0, size), body, t);
            EXPECT_EQ(body.first, 0);
            EXPECT_EQ(body.last, size);
        });
    }
}

TEST(parallel_deterministic_reduce, the_body_keeps_what_it_had) {
    joining_body body;
    for_each_tail([&](tail& t) {
        const int end = body.last + 500;
        reduce_into(indices(body.last, end), body, t);
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
    for_each_tail([&](tail& t) {
        std::atomic<int> counts[4] = {};
        body b(counts);
        reduce_into(indices(0, 5000), b, t);
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

TEST(parallel_deterministic_reduce, throws_from_every_place) {
    for (int calls : {0, 1, 2, 3, 5, 10, 50, 200, 1000}) {
        for_each_tail([&](tail& t) {
            std::atomic<int> left{calls}, alive{0};
            failing_body body(left, alive);
            try {
                reduce_into(indices(0, 2000), body, t);
                EXPECT_GE(left, 0) << "what is thrown arrives";
            } catch (const boom&) {
                EXPECT_LT(left, 0);
            }
            EXPECT_EQ(alive, 1);
        });
    }
    EXPECT_TRUE(pool_is_usable());
}

// As many halves of a body as a leaf has ancestors exist at a time: large ones must not lie on the stack.
TEST(parallel_deterministic_reduce, bodies_may_be_large) {
    struct histogram {
        histogram() = default;
        histogram(histogram&, bough::split) {}
        void operator()(const bough::blocked_range<int>& r) {
            for (int i = r.begin(); i < r.end(); ++i)
                counts[static_cast<std::size_t>(i) % std::size(counts)] += 1;
        }
        void join(histogram& right) {
            for (std::size_t k = 0; k < std::size(counts); ++k)
                counts[k] += right.counts[k];
        }
        std::uint64_t counts[32768] = {};
    };
    const auto all = std::make_unique<histogram>();
    bough::parallel_deterministic_reduce(bough::blocked_range<int>(0, 1 << 17), *all);
    for (const std::uint64_t count : all->counts)
        ASSERT_EQ(count, 4U);
}

}  // namespace
