// What each partitioner promises of the pieces that it makes.

#include "unit/api_support.h"

#include <array>
#include <map>
#include <numeric>

namespace {

using bough::blocked_range;
using range = blocked_range<std::size_t>;

struct piece {
    std::size_t first, last;
    std::thread::id by;
    std::size_t size() const { return last - first; }
};

// The pieces of a loop over [0, n), by their first index.
template <class Partitioner>
std::vector<piece> pieces_of(std::size_t n, std::size_t grain, Partitioner& partitioner, int work = 0) {
    std::mutex mutex;
    std::vector<piece> all;
    bough::parallel_for(
        range(0, n, grain),
        [&](const range& r) {
            bough_test::work_a_little(work);
            const std::lock_guard<std::mutex> lock(mutex);
            all.push_back({r.begin(), r.end(), std::this_thread::get_id()});
        },
        partitioner);
    std::sort(all.begin(), all.end(), [](const piece& a, const piece& b) { return a.first < b.first; });
    return all;
}

::testing::AssertionResult cover(const std::vector<piece>& pieces, std::size_t n) {
    std::size_t next = 0;
    for (const piece& p : pieces) {
        if (p.first != next)
            return ::testing::AssertionFailure() << "a piece begins at " << p.first << " instead of " << next;
        next = p.last;
    }
    if (next != n)
        return ::testing::AssertionFailure() << "pieces end at " << next << " instead of " << n;
    return ::testing::AssertionSuccess();
}

TEST(api_simple_partitioner, pieces_lie_between_half_the_grain_and_the_grain) {
    const bough::simple_partitioner simple;
    for (const std::size_t grain : {1u, 2u, 3u, 7u, 64u, 100u, 1000u}) {
        for (const std::size_t n : {1u, 2u, 3u, 65u, 100u, 1000u, 1001u, 10000u}) {
            const auto pieces = pieces_of(n, grain, simple);
            EXPECT_TRUE(cover(pieces, n));
            for (const piece& p : pieces) {
                EXPECT_LE(p.size(), grain) << "n " << n;
                if (n > grain) {
                    EXPECT_GE(p.size(), (grain + 1) / 2) << "n " << n << ", grain " << grain;
                }
            }
        }
    }
}

TEST(api_simple_partitioner, gives_the_index_form_one_index_at_a_time) {
    const bough::simple_partitioner simple;
    EXPECT_EQ(pieces_of(777, 1, simple).size(), 777u);
}

TEST(api_auto_partitioner, no_piece_is_smaller_than_half_the_grain) {
    const bough::auto_partitioner automatic;
    for (const int work : {0, 300, 20000}) {
        for (const std::size_t grain : {2u, 7u, 64u, 1000u}) {
            for (const std::size_t n : {3u, 100u, 1000u, 10000u}) {
                if (n > 1000 && work > 300)
                    continue;
                const auto pieces = pieces_of(n, grain, automatic, work);
                EXPECT_TRUE(cover(pieces, n));
                if (n > grain) {
                    for (const piece& p : pieces)
                        EXPECT_GE(p.size(), (grain + 1) / 2) << "n " << n << ", grain " << grain;
                }
            }
        }
    }
}

TEST(api_auto_partitioner, a_range_up_to_its_grain_is_one_piece) {
    const bough::auto_partitioner automatic;
    bough::affinity_partitioner affinity;
    EXPECT_EQ(pieces_of(1000, 1000, automatic).size(), 1u);
    EXPECT_EQ(pieces_of(1, 1, automatic).size(), 1u);
    EXPECT_EQ(pieces_of(1000, 1000, affinity).size(), 1u);
}

TEST(api_affinity_partitioner, no_piece_is_smaller_than_half_the_grain) {
    for (const std::size_t grain : {2u, 7u, 64u}) {
        for (const std::size_t n : {3u, 100u, 1000u}) {
            bough::affinity_partitioner affinity;
            for (int round = 0; round < 4; ++round) {
                const auto pieces = pieces_of(n, grain, affinity, 100);
                EXPECT_TRUE(cover(pieces, n));
                if (n > grain) {
                    for (const piece& p : pieces)
                        EXPECT_GE(p.size(), (grain + 1) / 2) << "n " << n << ", grain " << grain;
                }
            }
        }
    }
}

TEST(api_affinity_partitioner, is_used_again_with_other_sizes_and_types) {
    bough::affinity_partitioner affinity;
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(500);
    while (rounds.next()) {
        const std::size_t n = bough_test::uniform(generator, 0, 3000);
        bough_test::visits seen(n), indexed(n);
        bough::parallel_for(
            range(0, n, bough_test::uniform(generator, 1, 50)), [&](const range& r) { seen.hit_range(r); },
            affinity);
        bough::parallel_for(
            0, static_cast<int>(n), [&](int i) { indexed.hit(static_cast<std::size_t>(i)); }, affinity);
        ASSERT_TRUE(seen.each_once());
        ASSERT_TRUE(indexed.each_once());
    }
}

// Whoever ran which chunk the last time: parts are joined from left to right.
TEST(api_affinity_partitioner, joins_from_left_to_right) {
    bough::affinity_partitioner affinity;
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(200);
    while (rounds.next()) {
        const std::size_t n = 300, slow = bough_test::uniform(generator, 0, n);
        const auto joined = bough::parallel_reduce(
            range(0, n), std::vector<std::size_t>{},
            [slow](const range& r, std::vector<std::size_t> seen) {
                for (std::size_t i = r.begin(); i < r.end(); ++i) {
                    bough_test::work_a_little(i < slow ? 300 : 30);
                    seen.push_back(i);
                }
                return seen;
            },
            [](std::vector<std::size_t> left, const std::vector<std::size_t>& right) {
                left.insert(left.end(), right.begin(), right.end());
                return left;
            },
            affinity);
        std::vector<std::size_t> all(n);
        std::iota(all.begin(), all.end(), std::size_t{0});
        ASSERT_EQ(joined, all);
    }
}

TEST(api_affinity_partitioner, outlives_a_loop_that_threw_and_a_change_of_the_limit) {
    bough::affinity_partitioner affinity;
    for (int round = 0; round < 20; ++round) {
        EXPECT_THROW(bough::parallel_for(
                         0, 1000, [](int i) { i == 500 ? throw bough_test::boom{500} : void(); }, affinity),
                     bough_test::boom);
        const bough::global_control limit(
            bough::global_control::max_allowed_parallelism,
            round % 2 ? 1 : static_cast<std::size_t>(bough_test::allowed_threads()));
        bough_test::visits seen(1000);
        bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { seen.hit(i); }, affinity);
        ASSERT_TRUE(seen.each_once());
    }
}

TEST(api_static_partitioner, at_most_one_piece_per_thread) {
    const bough::static_partitioner fixed;
    const auto threads = static_cast<std::size_t>(bough_test::allowed_threads());
    for (const std::size_t n : {1u, 2u, 3u, 7u, 64u, 1000u, 100000u}) {
        for (int round = 0; round < 10; ++round) {
            const auto pieces = pieces_of(n, 1, fixed, round * 100);
            EXPECT_TRUE(cover(pieces, n));
            EXPECT_LE(pieces.size(), threads) << "n " << n;
        }
    }
}

// Of its first loop too, before it has an arena: two pieces that waited for each other would wait for ever.
TEST(api_static_partitioner, a_limit_of_one_is_one_piece) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 1);
    std::thread([] {
        const bough::static_partitioner fixed;
        EXPECT_EQ(pieces_of(1000, 1, fixed).size(), 1u) << "first loop";
        EXPECT_EQ(pieces_of(1000, 1, fixed).size(), 1u);
    }).join();
}

TEST(api_static_partitioner, pieces_are_even) {
    const bough::static_partitioner fixed;
    const auto threads = static_cast<std::size_t>(bough_test::allowed_threads());
    for (const std::size_t n : {100u, 1000u, 100000u}) {
        const auto pieces = pieces_of(n, 1, fixed);
        ASSERT_EQ(pieces.size(), std::min(threads, n)) << "one piece per thread";
        for (const piece& p : pieces)
            EXPECT_NEAR(static_cast<double>(p.size()), static_cast<double>(n) / static_cast<double>(threads),
                        2.0)
                << "n " << n;
    }
}

TEST(api_static_partitioner, does_not_cut_under_the_grain) {
    const bough::static_partitioner fixed;
    for (const std::size_t grain : {10u, 300u, 999u}) {
        for (const piece& p : pieces_of(1000, grain, fixed))
            EXPECT_GE(p.size(), grain / 3) << "grain " << grain;
    }
    EXPECT_EQ(pieces_of(1000, 1000, fixed).size(), 1u);
}

// One thread per piece is the point of it: users keep per-thread data by it.
TEST(api_static_partitioner, pieces_that_wait_for_each_other_run_on_different_threads) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const auto threads = static_cast<std::size_t>(bough_test::allowed_threads());
    const bough::static_partitioner fixed;
    for (int round = 0; round < 20; ++round) {
        bough_test::rendezvous all(static_cast<int>(threads), bough_test::rendezvous::sleeping);
        bough_test::census who;
        bough::parallel_for(
            range(0, threads * 10),
            [&](const range&) {
                const bough_test::census::inside here(who);
                all.arrive_and_wait();
            },
            fixed);
        ASSERT_TRUE(all.met());
        ASSERT_EQ(who.distinct_threads(), static_cast<int>(threads));
    }
}

// In an arena of more threads than CPUs. A body meets all others, so each thread has one piece. Patience: a thread may
// be without a CPU for so long that another takes its piece.
TEST(api_static_partitioner, threads_keep_their_pieces) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    constexpr std::size_t slots = 16;
    constexpr int rounds = 300;
    const bough::global_control allowed(bough::global_control::max_allowed_parallelism, slots);
    bough::task_arena arena(static_cast<int>(slots));
    const bough::static_partitioner fixed;
    const auto owners = [&] {
        std::array<int, slots> of{};
        bough_test::rendezvous all(slots, bough_test::rendezvous::sleeping);
        arena.execute([&] {
            bough::parallel_for(
                range(0, slots),
                [&](const range& r) {
                    of[r.begin()] = bough::this_task_arena::current_thread_index();
                    all.arrive_and_wait();
                },
                fixed);
        });
        EXPECT_TRUE(all.met());
        return of;
    };
    int kept = 0;
    const auto end = std::chrono::steady_clock::now() + bough_test::patience();
    for (auto before = owners(); kept < rounds && std::chrono::steady_clock::now() < end && !HasFailure();) {
        const auto now = owners();
        kept = now == before ? kept + 1 : 0;
        before = now;
    }
    EXPECT_EQ(kept, rounds);
}

}  // namespace
