// parallel_reduce with a body of the user's: splits and joins are paired, neighbours are joined, nothing leaks.

#include "unit/api_support.h"

#include <utility>

namespace {

using range = bough::blocked_range<std::size_t>;
using bough_test::boom;

// What happened to all bodies of one reduction.
struct ledger {
    std::atomic<int> splits{0};
    std::atomic<int> joins{0};
    std::atomic<int> alive{0};
    std::atomic<int> torn{0};  // joins of parts that are no neighbours, pieces out of order
    std::atomic<int> busy{0};  // one body used by two threads at a time
};

// Remembers the interval that it has seen, which must grow at its right end only.
class interval_body {
public:
    explicit interval_body(ledger& l, int work = 0) : ledger_(l), work_(work) { ++ledger_.alive; }
    interval_body(interval_body& other, bough::split) : ledger_(other.ledger_), work_(other.work_) {
        ++ledger_.alive;
        ++ledger_.splits;
    }
    interval_body(const interval_body&) = delete;
    ~interval_body() { --ledger_.alive; }

    void operator()(const range& r) {
        ledger_.busy.fetch_add(in_use_.exchange(true) ? 1 : 0);
        append(r.begin(), r.end());
        bough_test::work_a_little(work_);
        for (std::size_t i = r.begin(); i < r.end(); ++i)
            sum_ += i;
        in_use_ = false;
    }
    void join(interval_body& right) {
        ledger_.busy.fetch_add(in_use_.exchange(true) || right.in_use_.exchange(true) ? 1 : 0);
        ++ledger_.joins;
        if (!right.empty_)
            append(right.first_, right.last_);
        sum_ += right.sum_;
        in_use_ = false;
        right.in_use_ = false;
    }

    std::pair<std::size_t, std::size_t> seen() const { return {first_, last_}; }
    std::size_t sum() const { return sum_; }
    bool empty() const { return empty_; }

private:
    void append(std::size_t first, std::size_t last) {
        if (!empty_ && first != last_)
            ++ledger_.torn;
        if (std::exchange(empty_, false))
            first_ = first;
        last_ = last;
    }

    ledger& ledger_;
    const int work_;
    bool empty_ = true;
    std::size_t first_ = 0;
    std::size_t last_ = 0;
    std::size_t sum_ = 0;
    std::atomic<bool> in_use_{false};
};

TEST(api_reduce_body, every_split_is_joined_with_its_neighbour) {
    for (const std::size_t n : {1u, 2u, 3u, 7u, 64u, 1000u, 100000u}) {
        for (const int work : {0, 200, 5000}) {
            bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
                ledger l;
                {
                    interval_body body(l, work);
                    bough::parallel_reduce(range(0, n, n / 200 + 1), body, partitioner);
                    EXPECT_EQ(body.seen(), std::make_pair(std::size_t{0}, n)) << name;
                    EXPECT_EQ(body.sum(), n * (n - 1) / 2) << name;
                    EXPECT_EQ(l.splits.load(), l.joins.load()) << name << ", n " << n;
                    EXPECT_EQ(l.torn.load(), 0) << name << ", n " << n;
                    EXPECT_EQ(l.busy.load(), 0) << name << ": a body in two places at a time";
                    EXPECT_EQ(l.alive.load(), 1)
                        << name << ": split bodies are destroyed before the call returns";
                }
                EXPECT_EQ(l.alive.load(), 0) << name;
            });
        }
    }
}

TEST(api_reduce_body, an_empty_range_touches_nothing) {
    bough_test::for_each_partitioner([](const char* name, auto& partitioner) {
        ledger l;
        interval_body body(l);
        bough::parallel_reduce(range(9, 9), body, partitioner);
        EXPECT_TRUE(body.empty()) << name;
        EXPECT_EQ(l.splits.load(), 0) << name;
        EXPECT_EQ(l.joins.load(), 0) << name;
    });
}

TEST(api_reduce_body, an_indivisible_range_is_not_split) {
    ledger l;
    interval_body body(l);
    bough::parallel_reduce(range(0, 1000, 1000), body);
    EXPECT_EQ(l.splits.load(), 0);
    EXPECT_EQ(body.sum(), 499500u);
}

TEST(api_reduce_body, a_body_with_earlier_results_keeps_them) {
    ledger l;
    interval_body body(l);
    for (std::size_t part = 0; part < 10; ++part)
        bough::parallel_reduce(range(part * 100, (part + 1) * 100), body);
    EXPECT_EQ(body.seen(), std::make_pair(std::size_t{0}, std::size_t{1000}));
    EXPECT_EQ(body.sum(), 499500u);
    EXPECT_EQ(l.torn.load(), 0);
}

TEST(api_reduce_body, with_a_context_and_with_both) {
    bough::task_group_context context;
    ledger l;
    interval_body one(l), two(l);
    bough::parallel_reduce(range(0, 1000), one, context);
    bough::parallel_reduce(range(0, 1000), two, bough::simple_partitioner{}, context);
    EXPECT_EQ(one.sum(), 499500u);
    EXPECT_EQ(two.sum(), 499500u);
}

TEST(api_reduce_body, random_sizes_and_costs) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(3000, 500);
    while (rounds.next()) {
        const std::size_t n = bough_test::uniform(generator, 1, 500);
        ledger l;
        interval_body body(l, static_cast<int>(bough_test::uniform(generator, 0, 1000)));
        bough::parallel_reduce(range(0, n), body);
        ASSERT_EQ(body.seen(), std::make_pair(std::size_t{0}, n));
        ASSERT_EQ(body.sum(), n * (n - 1) / 2);
        ASSERT_EQ(l.splits.load(), l.joins.load());
        ASSERT_EQ(l.torn.load(), 0);
        ASSERT_EQ(l.busy.load(), 0);
    }
}

// Throws in its n-th split, its n-th call or its n-th join.
class fragile_body {
public:
    enum place { in_split, in_call, in_join };
    struct state {
        place where;
        std::atomic<int> fuse;
        std::atomic<int> alive{0};
        std::atomic<int> thrown{0};
        void burn(place p) {
            if (p == where && fuse.fetch_sub(1) == 1) {
                ++thrown;
                throw boom{static_cast<std::size_t>(p)};
            }
        }
    };
    explicit fragile_body(state& s) : state_(s) { ++state_.alive; }
    fragile_body(fragile_body& other, bough::split) : state_(other.state_) {
        state_.burn(in_split);
        ++state_.alive;
    }
    ~fragile_body() { --state_.alive; }
    void operator()(const range&) {
        bough_test::work_a_little(300);
        state_.burn(in_call);
    }
    void join(fragile_body&) { state_.burn(in_join); }

private:
    state& state_;
};

TEST(api_reduce_body, that_throws_anywhere_is_cleaned_up) {
    for (const auto place : {fragile_body::in_split, fragile_body::in_call, fragile_body::in_join}) {
        for (int fuse = 1; fuse < 40; ++fuse) {
            fragile_body::state state{place, {fuse}};
            {
                fragile_body body(state);
                bool caught = false;
                try {
                    bough::parallel_reduce(range(0, 1000), body);
                } catch (const boom& b) {
                    caught = b.where == static_cast<std::size_t>(place);
                }
                EXPECT_EQ(caught, state.thrown.load() == 1) << "place " << place << ", fuse " << fuse;
            }
            EXPECT_EQ(state.alive.load(), 0) << "place " << place << ", fuse " << fuse;
        }
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

}  // namespace
