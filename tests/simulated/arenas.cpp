// Arenas: what is enqueued there and waited for from outside, workers that are wanted in several, threads that suspend.

#include <memory>

#include "scenario.h"

namespace simulated {
namespace {

using bough::task_arena;

// Nobody ever enters: workers must come for each function.
void stay_out(random_numbers& random) {
    task_arena arena(2, 0);
    counter ran;
    for (int round = 1; round <= 30; ++round) {
        pause(random, random.one_in(3) ? 60 : 10);
        arena.enqueue([&] { ran.add(); });
        ran.wait_for(round);
    }
}
const known stay_out_is("stay_out", stay_out);

// Functions wait for each other in pairs, in whichever arenas they are, with two workers: one that sleeps while
// something is enqueued anywhere leaves the other one waiting.
void pairs_in_several_arenas(random_numbers& random) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 3);
    constexpr task_arena::priority priorities[] = {task_arena::priority::low, task_arena::priority::normal,
                                                   task_arena::priority::high};
    for (int round = 0; round < 6; ++round) {
        const int in_each = 4;
        const bool have_priorities = random.one_in(2);
        std::vector<std::unique_ptr<task_arena>> arenas;
        for (int left = random.between(2, 4); left != 0; --left)
            arenas.push_back(
                std::make_unique<task_arena>(2, 0, priorities[have_priorities ? random.between(0, 2) : 1]));
        counter pairs, ended;
        for (const auto& arena : arenas)
            for (int i = 0; i < in_each; ++i)
                arena->enqueue([&] {
                    pairs.add_in_pairs();
                    ended.add();
                });
        ended.wait_for(in_each * static_cast<int>(arenas.size()));
        pause(random, 50);
    }
}
const known pairs_in_several_arenas_is("pairs_in_several_arenas", pairs_in_several_arenas);

// Several threads that are not workers want in, enqueue, and wait for all.
void visitors(random_numbers& random) {
    task_arena arena(3, 1);
    constexpr int threads = 3, each = 5;
    counter enqueued;
    std::atomic<long long> sum{0};
    const auto visit = [&](random_numbers mine) {
        for (int i = 0; i < each; ++i) {
            arena.enqueue([&] { enqueued.add(); });
            pause(mine, 10);
            arena.execute([&] {
                bough::parallel_for(0, 10, [&](int k) { sum.fetch_add(k, std::memory_order_relaxed); });
            });
        }
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
        others.emplace_back(visit, random_numbers(static_cast<std::uint64_t>(random.between(0, 1 << 30))));
    visit(random);
    for (std::thread& t : others)
        t.join();
    enqueued.wait_for(threads * each);
    check_equal(sum.load(), threads * each * 45, "sum over visits");
}
const known visitors_is("visitors", visitors);

// An application thread spawns in an arena, goes out, and waits there later.
void tasks_left_behind(random_numbers& random) {
    task_arena arena(3, 1);
    for (int round = 0; round < 12; ++round) {
        bough::task_group group;
        std::atomic<int> ran{0};
        const int tasks = random.between(1, 12);
        arena.execute([&] {
            for (int i = 0; i < tasks; ++i)
                group.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
        });
        pause(random, 40);
        if (random.one_in(2))
            group.wait();
        else
            arena.execute([&] { group.wait(); });
        check_equal(ran.load(), tasks, "tasks that were left behind");
    }
}
const known tasks_left_behind_is("tasks_left_behind", tasks_left_behind);

// Limits go up and down while loops meet under them.
void limits(random_numbers& random) {
    const int threads = allowed_threads();
    for (int round = 0; round < 10; ++round) {
        const int most = random.between(1, threads);
        const bough::global_control limit(bough::global_control::max_allowed_parallelism,
                                          static_cast<std::size_t>(most));
        const int parties = most;
        meeting all(parties);
        bough::parallel_for(0, parties, [&](int) { all.arrive_and_wait(); });
        task_arena arena(2, 0);
        counter ran;
        arena.enqueue([&] { ran.add(); });
        pause(random, 20);
        ran.wait_for(1);
    }
}
const known limits_is("limits", limits);

}  // namespace
}  // namespace simulated
