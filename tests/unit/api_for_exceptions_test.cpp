// Bodies that throw: the first exception reaches the caller, the rest is cancelled, the pool goes on.

#include "unit/api_support.h"

#include <stdexcept>

namespace {

using bough::blocked_range;
using bough_test::boom;
using bough_test::visits;

TEST(api_for_exceptions, the_exception_of_a_body_reaches_the_caller) {
    for (const std::size_t n : {1u, 2u, 7u, 64u, 10000u}) {
        for (const std::size_t thrower : {std::size_t{0}, n / 2, n - 1}) {
            bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
                visits seen(n);
                try {
                    bough::parallel_for(
                        std::size_t{0}, n,
                        [&](std::size_t i) {
                            seen.hit(i);
                            if (i == thrower)
                                throw boom{i};
                        },
                        partitioner);
                    ADD_FAILURE() << name << ": nothing was thrown";
                } catch (const boom& caught) {
                    EXPECT_EQ(caught.where, thrower);
                }
                EXPECT_TRUE(seen.none_twice()) << name;
            });
        }
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_for_exceptions, keeps_type_and_text) {
    try {
        bough::parallel_for(0, 1000, [](int i) {
            if (i == 321)
                throw std::out_of_range("no leaf here");
        });
        ADD_FAILURE() << "nothing was thrown";
    } catch (const std::out_of_range& caught) {
        EXPECT_STREQ(caught.what(), "no leaf here");
    }
    EXPECT_THROW(bough::parallel_for(0, 10, [](int) { throw 42; }), int);
}

TEST(api_for_exceptions, when_all_bodies_throw_exactly_one_comes_out) {
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> thrown{0};
        try {
            bough::parallel_for(0, 1000, [&](int i) {
                thrown.fetch_add(1);
                throw boom{static_cast<std::size_t>(i)};
            });
            FAIL() << "nothing was thrown";
        } catch (const boom& caught) {
            ASSERT_LT(caught.where, 1000u);
        }
        // Each thread stops at its own exception at the latest.
        ASSERT_LE(thrown.load(), bough_test::allowed_threads());
        ASSERT_GE(thrown.load(), 1);
    }
}

TEST(api_for_exceptions, a_thread_that_threw_begins_no_further_body_of_the_loop) {
    for (int round = 0; round < 20; ++round) {
        bough_test::census threw;
        std::atomic<int> after{0};
        EXPECT_THROW(bough::parallel_for(0, 100000,
                                         [&](int) {
                                             after.fetch_add(threw.saw(std::this_thread::get_id()) ? 1 : 0);
                                             const bough_test::census::inside here(threw);
                                             throw boom{0};
                                         }),
                     boom);
        ASSERT_EQ(after.load(), 0);
    }
}

TEST(api_for_exceptions, no_body_runs_after_the_call_has_returned) {
    bough_test::budget rounds(2000, 300);
    while (rounds.next()) {
        std::atomic<bool> returned{false};
        std::atomic<int> late{0};
        try {
            bough::parallel_for(0, 64, [&](int i) {
                late.fetch_add(returned.load() ? 1 : 0);
                if (i == 13)
                    throw boom{13};
                bough_test::work_a_little(100);
            });
        } catch (const boom&) {
        }
        returned = true;
        ASSERT_EQ(late.load(), 0);
    }
}

TEST(api_for_exceptions, thousands_of_times_in_a_row) {
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(5000, 500);
    while (rounds.next()) {
        const std::size_t n = bough_test::uniform(generator, 1, 300);
        const std::size_t thrower = bough_test::uniform(generator, 0, n - 1);
        const int work = static_cast<int>(bough_test::uniform(generator, 0, 200));
        bool caught = false;
        try {
            bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
                bough_test::work_a_little(work);
                if (i == thrower)
                    throw boom{i};
            });
        } catch (const boom& b) {
            caught = b.where == thrower;
        }
        ASSERT_TRUE(caught) << "n " << n << ", thrower " << thrower;
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_for_exceptions, a_loop_after_a_loop_that_threw_is_whole) {
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        for (int round = 0; round < 100; ++round) {
            EXPECT_THROW(bough::parallel_for(0, 500, [](int) { throw boom{1}; }, partitioner), boom);
            visits seen(500);
            bough::parallel_for(
                std::size_t{0}, std::size_t{500}, [&](std::size_t i) { seen.hit(i); }, partitioner);
            ASSERT_TRUE(seen.each_once()) << name;
        }
    });
}

// The thrower is always a thread other than the caller where there is one: bodies meet, then one throws.
TEST(api_for_exceptions, thrown_by_a_worker) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = bough_test::allowed_threads();
    if (threads < 2)
        GTEST_SKIP() << "one thread only";
    const auto caller = std::this_thread::get_id();
    for (int round = 0; round < 50; ++round) {
        bough_test::rendezvous all(2, bough_test::rendezvous::sleeping);
        EXPECT_THROW(bough::parallel_for(0, 2,
                                         [&](int) {
                                             all.arrive_and_wait();
                                             if (std::this_thread::get_id() != caller)
                                                 throw boom{2};
                                         }),
                     boom);
        ASSERT_TRUE(all.met());
    }
}

TEST(api_for_exceptions, the_exception_object_is_destroyed) {
    struct counted {
        explicit counted(std::atomic<int>& a) : alive(&a) { ++*alive; }
        counted(const counted& other) : alive(other.alive) { ++*alive; }
        ~counted() { --*alive; }
        std::atomic<int>* alive;
    };
    std::atomic<int> alive{0};
    for (int round = 0; round < 100; ++round) {
        try {
            bough::parallel_for(0, 100, [&](int) { throw counted(alive); });
        } catch (const counted&) {
            EXPECT_GE(alive.load(), 1);
        }
        ASSERT_EQ(alive.load(), 0) << "an exception is kept after the loop, the winner or one that lost";
    }
}

TEST(api_for_exceptions, a_body_may_catch_its_own) {
    visits seen(1000);
    bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) {
        try {
            throw boom{i};
        } catch (const boom& b) {
            seen.hit(b.where);
        }
    });
    EXPECT_TRUE(seen.each_once());
}

TEST(api_for_exceptions, a_loop_called_while_another_exception_is_handled) {
    try {
        throw std::runtime_error("outer");
    } catch (const std::runtime_error&) {
        visits seen(1000);
        bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { seen.hit(i); });
        EXPECT_TRUE(seen.each_once());
        EXPECT_THROW(bough::parallel_for(0, 10, [](int) { throw boom{3}; }), boom);
        try {
            throw;
        } catch (const std::runtime_error& still) {
            EXPECT_STREQ(still.what(), "outer");
        }
    }
}

// A destructor that runs while an exception unwinds may start a loop; nothing of that may count as its failure.
TEST(api_for_exceptions, a_loop_in_a_destructor_during_unwinding) {
    struct sweeper {
        explicit sweeper(visits& v) : seen(v) {}
        ~sweeper() {
            bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { seen.hit(i); });
        }
        visits& seen;
    };
    visits seen(1000);
    EXPECT_THROW(
        {
            const sweeper s(seen);
            bough::parallel_for(0, 100, [](int) { throw boom{4}; });
        },
        boom);
    EXPECT_TRUE(seen.each_once());
}

}  // namespace
