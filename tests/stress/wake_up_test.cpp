// No lost wake-up: loops with blocking bodies after pauses of every length, from microseconds (workers spin) to tens
// of milliseconds (all are parked), so that publish and park meet in every order.

#include "support/emulation.h"
#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

namespace {

using bough_test::rendezvous;

void pause(std::mt19937_64& generator, std::size_t longest_us) {
    const auto us = bough_test::uniform(generator, 0, longest_us);
    switch (us % 3) {
    case 0:
        std::this_thread::sleep_for(std::chrono::microseconds(us));
        break;
    case 1: {
        const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
        while (std::chrono::steady_clock::now() < end) {
        }
        break;
    }
    default:
        break;
    }
}

TEST(wake_up, loops_after_pauses_up_to_200_us) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    auto generator = bough_test::seeded_generator();
    const int threads = bough_test::allowed_threads();
    bough_test::budget rounds(5000, 1000);
    while (rounds.next()) {
        pause(generator, 200);
        const auto how = rounds.done() % 2 ? rendezvous::spinning : rendezvous::sleeping;
        const int parties =
            static_cast<int>(bough_test::uniform(generator, 1, static_cast<std::size_t>(threads)));
        rendezvous all(parties, how);
        bough::parallel_for(0, parties, [&](int) { all.arrive_and_wait(); });
        ASSERT_TRUE(all.met()) << "round " << rounds.done();
    }
}

// An idle worker that sees the second body, and has no patience left, has to stay and to look again, or the loops take
// a thousand times as long; so has a caller that has reached its join while a nested pair is published.
TEST(wake_up, pairs_of_bodies_back_to_back) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "two bodies wait for each other";
    const auto meet = [] {
        rendezvous both(2, rendezvous::spinning);
        bough::parallel_for(0, 2, [&](int) { both.arrive_and_wait(); });
        return both.met();
    };
    // Without such a look it takes longer than a test may.
    const int rounds = bough_test::sanitized || bough_test::is_emulated() ? 2'000 : 20'000;
    for (int round = 0; round < rounds; ++round)
        ASSERT_TRUE(meet()) << "round " << round;
    for (int round = 0; round < 200; ++round) {
        rendezvous both(2, rendezvous::spinning);
        std::atomic<bool> met{false};
        bough::parallel_for(0, 2, [&](int i) {
            both.arrive_and_wait();
            if (i == 0)
                return;  // to the join
            bough_test::work_a_little(100'000);
            met = static_cast<bool>(meet());
        });
        ASSERT_TRUE(met) << "round " << round;
    }
}

TEST(wake_up, tasks_after_pauses_up_to_200_us) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("tasks wait for each other");
    auto generator = bough_test::seeded_generator();
    const int threads = bough_test::allowed_threads();
    bough_test::budget rounds(5000, 700);
    while (rounds.next()) {
        pause(generator, 200);
        rendezvous all(threads, rendezvous::sleeping);
        bough::task_group group;
        for (int i = 1; i < threads; ++i) {
            group.run([&] { all.arrive_and_wait(); });
            if (rounds.done() % 4 == 0)
                pause(generator, 50);
        }
        if (rounds.done() % 2)
            all.arrive_and_wait();
        else
            group.run([&] { all.arrive_and_wait(); });
        group.wait();
        ASSERT_TRUE(all.met()) << "round " << rounds.done();
    }
}

TEST(wake_up, mixed_entry_points_and_long_pauses) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("tasks wait for each other");
    auto generator = bough_test::seeded_generator();
    const int threads = bough_test::allowed_threads();
    bough_test::budget rounds(60, 1200);
    while (rounds.next()) {
        const std::size_t pauses[] = {0, 100, 1000, 12000, 30000};
        std::this_thread::sleep_for(std::chrono::microseconds(pauses[bough_test::uniform(generator, 0, 4)]));
        rendezvous all(threads, rendezvous::sleeping);
        const auto arrive = [&](int) { all.arrive_and_wait(); };
        switch (bough_test::uniform(generator, 0, 4)) {
        case 0:
            bough::parallel_for(0, threads, arrive);
            break;
        case 1:
            bough::parallel_for(0, threads, arrive, bough::static_partitioner{});
            break;
        case 2:
            bough::parallel_for(0, threads, arrive, bough::simple_partitioner{});
            break;
        case 3:
            bough::parallel_for(0, 1, [&](int) { bough::parallel_for(0, threads, arrive); });
            break;
        default: {
            bough::task_group group;
            for (int i = 0; i < threads; ++i)
                group.run([&] { all.arrive_and_wait(); });
            group.wait();
        }
        }
        ASSERT_TRUE(all.met()) << "round " << rounds.done();
    }
}

// Two workers and several arenas, of one priority or of several. Functions wait for each other in pairs, in whichever
// arenas they are: a worker that sleeps while something is enqueued anywhere leaves the other one waiting.
TEST(wake_up, functions_of_several_arenas_that_two_workers_have_to_run) {
    using bough::task_arena;
    auto generator = bough_test::seeded_generator();
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 3);
    constexpr task_arena::priority priorities[] = {task_arena::priority::low, task_arena::priority::normal,
                                                   task_arena::priority::high};
    bough_test::budget rounds(1000, 300);
    while (rounds.next()) {
        constexpr int in_each = 20;
        const bool have_priorities = rounds.done() % 2 == 0;
        std::vector<std::unique_ptr<task_arena>> arenas;
        for (std::size_t left = bough_test::uniform(generator, 2, 5); left != 0; --left)
            arenas.push_back(std::make_unique<task_arena>(
                2, 0, priorities[have_priorities ? bough_test::uniform(generator, 0, 2) : 1]));
        const int all = in_each * static_cast<int>(arenas.size());
        const auto end = bough_test::end_of_patience();
        std::atomic<int> begun{0}, ended{0}, alone{0};
        for (const auto& arena : arenas)
            for (int i = 0; i < in_each; ++i)
                arena->enqueue([&] {
                    const int number = begun.fetch_add(1);
                    alone += bough_test::comes_true([&] { return begun.load() > (number | 1); }, end) ? 0 : 1;
                    ++ended;
                });
        while (ended != all)
            std::this_thread::yield();
        ASSERT_EQ(alone, 0) << "round " << rounds.done();
        pause(generator, 200);
    }
}

// Helpers are needed once the loop is well under way: all others have looked, found nothing and gone to sleep.
TEST(wake_up, a_body_that_starts_to_block_late) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    auto generator = bough_test::seeded_generator();
    const int threads = bough_test::allowed_threads();
    bough_test::budget rounds(2000, 700);
    while (rounds.next()) {
        rendezvous all(threads, rendezvous::sleeping);
        const std::size_t delay = bough_test::uniform(generator, 0, 300);
        bough::parallel_for(0, 1, [&](int) {
            std::this_thread::sleep_for(std::chrono::microseconds(delay));
            bough::parallel_for(0, threads, [&](int) { all.arrive_and_wait(); });
        });
        ASSERT_TRUE(all.met()) << "round " << rounds.done();
    }
}

}  // namespace
