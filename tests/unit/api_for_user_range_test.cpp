// Ranges that users write: with the basic split only, indivisible, without assignment, counting their copies, throwing.

#include "unit/api_erased.h"

namespace {

using bough::proportional_split;
using bough::split;
using bough_test::visits;

// The least that the Range concept asks for: copy, split, empty, is_divisible. No assignment, no default, no size.
class least_range {
public:
    least_range(std::size_t b, std::size_t e) : first(b), last(e) {}
    least_range(const least_range&) = default;
    least_range& operator=(const least_range&) = delete;
    least_range(least_range& r, split) : first(r.first + (r.last - r.first) / 2), last(r.last) {
        r.last = first;
    }
    bool empty() const { return first >= last; }
    bool is_divisible() const { return last - first > 1; }

    std::size_t first;
    std::size_t last;
};

TEST(api_user_range, with_nothing_but_the_basic_split) {
    for (const std::size_t n : bough_test::usual_sizes()) {
        bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
            visits seen(n);
            bough_test::for_range(
                least_range(0, n),
                [&](const least_range& r) {
                    for (std::size_t i = r.first; i < r.last; ++i)
                        seen.hit(i);
                },
                partitioner);
            EXPECT_TRUE(seen.each_once()) << name << ", n " << n;
        });
    }
}

TEST(api_user_range, is_split_only_when_divisible_and_run_only_when_not_empty) {
    struct strict_range : least_range {
        strict_range(std::size_t b, std::size_t e, std::atomic<int>& w) : least_range(b, e), wrong(&w) {}
        strict_range(strict_range& r, split s) : least_range(checked(r), s), wrong(r.wrong) {}
        static least_range& checked(strict_range& r) {
            r.wrong->fetch_add(r.is_divisible() ? 0 : 1);
            return r;
        }
        bool is_divisible() const { return last - first > 9; }
        std::atomic<int>* wrong;
    };
    std::atomic<int> wrong{0};
    for (const std::size_t n : {0u, 1u, 9u, 10u, 11u, 1000u, 20000u}) {
        bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
            visits seen(n);
            bough_test::for_range(
                strict_range(0, n, wrong),
                [&](const strict_range& r) {
                    wrong.fetch_add(r.empty() ? 1000000 : 0);
                    for (std::size_t i = r.first; i < r.last; ++i)
                        seen.hit(i);
                },
                partitioner);
            EXPECT_TRUE(seen.each_once()) << name;
            EXPECT_EQ(wrong.load(), 0) << name << ", n " << n;
        });
    }
}

TEST(api_user_range, that_cannot_be_split_is_one_piece) {
    struct whole {
        explicit whole(int n) : size(n) {}
        whole(const whole&) = default;
        whole(whole& r, split) : size(r.size) { ADD_FAILURE() << "split although is_divisible() is false"; }
        bool empty() const { return size == 0; }
        bool is_divisible() const { return false; }
        int size;
    };
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        std::atomic<int> calls{0}, sum{0};
        bough_test::for_range(
            whole(1000),
            [&](const whole& r) {
                calls.fetch_add(1);
                sum.fetch_add(r.size);
            },
            partitioner);
        EXPECT_EQ(calls.load(), 1) << name;
        EXPECT_EQ(sum.load(), 1000) << name;
        bough_test::for_range(whole(0), [&](const whole&) { calls.fetch_add(1); }, partitioner);
        EXPECT_EQ(calls.load(), 1) << name << ": an empty range was run";
    });
}

TEST(api_user_range, that_splits_very_unevenly) {
    // Gives away one element at a time, from the front: a tree as deep as the range is long.
    struct comb {
        comb(std::size_t b, std::size_t e) : first(b), last(e) {}
        comb(const comb&) = default;
        comb(comb& r, split) : first(r.first + 1), last(r.last) { r.last = first; }
        bool empty() const { return first >= last; }
        bool is_divisible() const { return last - first > 1; }
        std::size_t first, last;
    };
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        visits seen(2000);
        bough_test::for_range(
            comb(0, 2000),
            [&](const comb& r) {
                for (std::size_t i = r.first; i < r.last; ++i)
                    seen.hit(i);
            },
            partitioner);
        EXPECT_TRUE(seen.each_once()) << name;
    });
}

TEST(api_user_range, a_proportional_split_is_used_by_ranges_that_have_one) {
    struct weighted : least_range {
        using least_range::least_range;
        weighted(weighted& r, split s) : least_range(r, s) {}
        weighted(weighted& r, proportional_split& p)
            : least_range(r.first + (r.last - r.first) * p.left() / (p.left() + p.right()), r.last) {
            r.last = first;
        }
    };
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        visits seen(5000);
        bough_test::for_range(
            weighted(0, 5000),
            [&](const weighted& r) {
                for (std::size_t i = r.first; i < r.last; ++i)
                    seen.hit(i);
            },
            partitioner);
        EXPECT_TRUE(seen.each_once()) << name;
    });
}

// Counts its living objects and throws in the copy or split number `fuse`.
struct fragile_range {
    struct state {
        std::atomic<int> alive{0};
        std::atomic<int> fuse{0};
        std::atomic<int> thrown{0};
        void burn() {
            if (fuse.fetch_sub(1) == 1) {
                thrown.fetch_add(1);
                throw bough_test::boom{7};
            }
        }
    };
    fragile_range(std::size_t b, std::size_t e, state& s) : first(b), last(e), shared(&s) { ++shared->alive; }
    fragile_range(const fragile_range& r) : first(r.first), last(r.last), shared(r.shared) {
        shared->burn();
        ++shared->alive;
    }
    fragile_range(fragile_range& r, split) : first(r.first), last(r.last), shared(r.shared) {
        shared->burn();
        ++shared->alive;
        first = r.first + (r.last - r.first) / 2;
        r.last = first;
    }
    fragile_range& operator=(const fragile_range&) = delete;
    ~fragile_range() { --shared->alive; }
    bool empty() const { return first >= last; }
    bool is_divisible() const { return last - first > 1; }

    std::size_t first, last;
    state* shared;
};

TEST(api_user_range, that_throws_in_copy_or_split) {
    constexpr std::size_t n = 500;
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        int throws = 0;
        for (int fuse = 1; fuse < 60; ++fuse) {
            fragile_range::state state;
            state.fuse = fuse;
            visits seen(n);
            {
                const fragile_range whole(0, n, state);
                try {
                    bough_test::for_range(
                        whole,
                        [&](const fragile_range& r) {
                            for (std::size_t i = r.first; i < r.last; ++i)
                                seen.hit(i);
                        },
                        partitioner);
                    EXPECT_EQ(state.thrown.load(), 0) << name << ": the exception of the range was swallowed";
                    EXPECT_TRUE(seen.each_once()) << name;
                } catch (const bough_test::boom&) {
                    EXPECT_EQ(state.thrown.load(), 1);
                    EXPECT_TRUE(seen.none_twice()) << name;
                    ++throws;
                }
            }
            EXPECT_EQ(state.alive.load(), 0)
                << name << ": copies of the range leaked, or were destroyed twice";
        }
        // simple_partitioner splits 499 times, so every fuse burns; others may split less often.
        if (std::string(name) == "simple_partitioner") {
            EXPECT_EQ(throws, 59);
        }
    });
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_user_range, all_its_copies_are_destroyed_by_the_time_the_loop_returns) {
    bough_test::for_any_partitioner([&](const char* name, bough_test::any_partitioner& partitioner) {
        fragile_range::state state;
        const fragile_range whole(0, 3000, state);
        for (int round = 0; round < 50; ++round) {
            bough_test::for_range(
                whole, [](const fragile_range&) { bough_test::work_a_little(50); }, partitioner);
            ASSERT_EQ(state.alive.load(), 1) << name;
        }
    });
}

}  // namespace
