// Bodies that block until all others have started: with P threads allowed, P bodies must be running together,
// whatever the call site did before and whatever surrounds it. A body that is kept back in somebody's queue, a worker
// that was not woken, a loop that was predicted to be too short to share: all end here.

#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

namespace {

using bough_test::allowed_threads;
using bough_test::rendezvous;

constexpr rendezvous::how both_ways[] = {rendezvous::spinning, rendezvous::sleeping};

TEST(api_blocking, all_bodies_of_a_loop_run_together) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    for (const auto how : both_ways) {
        bough_test::budget rounds(300, 200);
        while (rounds.next()) {
            rendezvous all(threads, how);
            bough::parallel_for(0, threads, [&](int) { all.arrive_and_wait(); });
            ASSERT_TRUE(all.met());
        }
    }
}

TEST(api_blocking, with_every_partitioner_and_every_smaller_number) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
        "bodies of a loop over tasks (affinity_partitioner) wait for each other");
    const int threads = allowed_threads();
    bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
        for (int parties = 2; parties <= threads; ++parties) {
            for (int round = 0; round < 5; ++round) {
                rendezvous all(parties, rendezvous::sleeping);
                bough::parallel_for(0, parties, [&](int) { all.arrive_and_wait(); }, partitioner);
                ASSERT_TRUE(all.met()) << name;
            }
        }
    });
}

TEST(api_blocking, in_a_range_body_and_over_tiles) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    for (int round = 0; round < 20; ++round) {
        rendezvous line(threads, rendezvous::sleeping), tiles(threads, rendezvous::sleeping);
        bough::parallel_for(bough::blocked_range<int>(0, threads), [&](const bough::blocked_range<int>& r) {
            for (int i = r.begin(); i < r.end(); ++i)
                line.arrive_and_wait();
        });
        ASSERT_TRUE(line.met());
        using plane = bough::blocked_range2d<int>;
        bough::parallel_for(plane(0, threads, 0, 1), [&](const plane& r) {
            for (int i = r.rows().begin(); i < r.rows().end(); ++i)
                tiles.arrive_and_wait();
        });
        ASSERT_TRUE(tiles.met());
    }
}

// All that is long lies in one piece of a loop of a million units: it is cut again. From the tenth on they
// wait for that: the other thread may be late, on a machine that has much to do.
TEST(api_blocking, a_few_long_units_at_the_front_are_shared) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    constexpr std::size_t n = 1'000'000, slow = 100;
    for (int round = 0; round < 2; ++round) {
        bough_test::census threads;
        bough_test::visits seen(slow);
        const auto end = bough_test::end_of_patience();
        bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
            if (i >= slow)
                return;
            const bough_test::census::inside here(threads);
            seen.hit(i);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (i >= slow / 10)
                bough_test::comes_true([&] { return threads.distinct_threads() > 1; }, end);
        });
        EXPECT_TRUE(seen.each_once());
        EXPECT_GT(threads.distinct_threads(), 1) << "one thread ran all that is long";
    }
}

// Among many short bodies; simple_partitioner, so that no two blocking ones are in one piece.
TEST(api_blocking, a_few_blocking_bodies_among_many_short_ones) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    auto generator = bough_test::seeded_generator();
    bough_test::budget rounds(200, 300);
    while (rounds.next()) {
        const auto n = bough_test::uniform(generator, static_cast<std::size_t>(threads), 2000);
        const auto parties =
            static_cast<int>(bough_test::uniform(generator, 1, static_cast<std::size_t>(threads)));
        // Blocking ones stand at distinct random places.
        std::set<std::size_t> places;
        while (places.size() < static_cast<std::size_t>(parties))
            places.insert(bough_test::uniform(generator, 0, n - 1));
        rendezvous all(parties, rendezvous::sleeping);
        bough::parallel_for(
            std::size_t{0}, n,
            [&](std::size_t i) {
                if (places.count(i))
                    all.arrive_and_wait();
            },
            bough::simple_partitioner{});
        ASSERT_TRUE(all.met()) << "n " << n;
    }
}

// One call site: short for a long time, then blocking, then short again.
template <class Body>
void one_call_site(int n, const Body& body) {
    bough::parallel_for(0, n, body);
}

TEST(api_blocking, at_a_call_site_that_was_short_100000_times) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    rendezvous* meeting = nullptr;
    std::atomic<long> short_bodies{0};
    const auto body = [&](int) {
        if (meeting)
            meeting->arrive_and_wait();
        else
            short_bodies.fetch_add(1, std::memory_order_relaxed);
    };
    for (int era = 0; era < 3; ++era) {
        bough_test::budget rounds(100000, 700);
        while (rounds.next())
            one_call_site(threads, body);
        EXPECT_EQ(short_bodies.exchange(0), static_cast<long>(rounds.done()) * threads);
        for (int round = 0; round < 5; ++round) {
            rendezvous all(threads, rendezvous::sleeping);
            meeting = &all;
            one_call_site(threads, body);
            ASSERT_TRUE(all.met()) << "era " << era;
            meeting = nullptr;
        }
    }
}

TEST(api_blocking, in_the_only_active_body_of_an_outer_loop) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    for (const int width : {1, 2, threads, 100}) {
        for (int round = 0; round < 20; ++round) {
            rendezvous all(threads, rendezvous::sleeping);
            bough::parallel_for(0, width, [&](int i) {
                if (i == round % width)
                    bough::parallel_for(0, threads, [&](int) { all.arrive_and_wait(); });
            });
            ASSERT_TRUE(all.met()) << "outer width " << width;
        }
    }
}

TEST(api_blocking, at_the_bottom_of_loops_of_one) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    for (int depth = 2; depth <= 12; ++depth) {
        rendezvous all(threads, rendezvous::sleeping);
        const std::function<void(int)> down = [&](int left) {
            if (left == 0)
                bough::parallel_for(0, threads, [&](int) { all.arrive_and_wait(); });
            else
                bough::parallel_for(0, 1, [&](int) { down(left - 1); });
        };
        down(depth - 1);
        ASSERT_TRUE(all.met()) << "depth " << depth;
    }
}

// Half of the threads are in each of two inner loops.
TEST(api_blocking, across_two_inner_loops) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    if (threads < 2)
        GTEST_SKIP() << "one thread only";
    for (int round = 0; round < 50; ++round) {
        rendezvous all(threads, rendezvous::sleeping);
        bough::parallel_for(0, 2, [&](int half) {
            bough::parallel_for(0, half == 0 ? threads / 2 : threads - threads / 2,
                                [&](int) { all.arrive_and_wait(); });
        });
        ASSERT_TRUE(all.met());
    }
}

TEST(api_blocking, in_a_reduction) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const int threads = allowed_threads();
    for (int round = 0; round < 50; ++round) {
        rendezvous all(threads, rendezvous::sleeping);
        const int sum = bough::parallel_reduce(
            bough::blocked_range<int>(0, threads), 0,
            [&](const bough::blocked_range<int>& r, int value) {
                for (int i = r.begin(); i < r.end(); ++i) {
                    all.arrive_and_wait();
                    ++value;
                }
                return value;
            },
            std::plus<int>());
        ASSERT_TRUE(all.met());
        ASSERT_EQ(sum, threads);
    }
}

TEST(api_blocking, tasks_of_a_group) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("tasks wait for each other");
    const int threads = allowed_threads();
    for (const auto how : both_ways) {
        for (int round = 0; round < 30; ++round) {
            rendezvous waited(threads, how), joined(threads, how);
            bough::task_group group;
            for (int i = 0; i < threads; ++i)
                group.run([&] { waited.arrive_and_wait(); });
            group.wait();
            ASSERT_TRUE(waited.met());
            for (int i = 1; i < threads; ++i)
                group.run([&] { joined.arrive_and_wait(); });
            group.run_and_wait([&] { joined.arrive_and_wait(); });
            ASSERT_TRUE(joined.met());
        }
    }
}

// The one that spawned does not come to wait(): workers must take all of its tasks.
TEST(api_blocking, tasks_that_the_spawner_waits_for_outside_of_the_runtime) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the spawner waits for its tasks");
    const int threads = allowed_threads();
    if (threads < 2)
        GTEST_SKIP() << "one thread only";
    for (int round = 0; round < 30; ++round) {
        rendezvous all(threads, rendezvous::sleeping);
        bough::task_group group;
        for (int i = 1; i < threads; ++i)
            group.run([&] { all.arrive_and_wait(); });
        all.arrive_and_wait();
        ASSERT_TRUE(all.met());
        group.wait();
    }
}

TEST(api_blocking, after_the_workers_have_gone_to_sleep) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("tasks wait for each other");
    const int threads = allowed_threads();
    for (int round = 0; round < (bough_test::long_run() ? 200 : 8); ++round) {
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        rendezvous loop(threads, rendezvous::sleeping), tasks(threads, rendezvous::sleeping);
        bough::parallel_for(0, threads, [&](int) { loop.arrive_and_wait(); });
        ASSERT_TRUE(loop.met());
        std::this_thread::sleep_for(std::chrono::milliseconds(30));
        bough::task_group group;
        for (int i = 0; i < threads; ++i)
            group.run([&] { tasks.arrive_and_wait(); });
        group.wait();
        ASSERT_TRUE(tasks.met());
    }
}

}  // namespace
