// tbb::task_arena: enqueue in all its forms, wait_for, parallel phases. What is enqueued is run although nobody waits.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

using namespace conformance;
using tbb::task_arena;
namespace here = tbb::this_task_arena;

namespace {

void expect_enqueued_work_runs(task_arena& arena) {
    std::atomic<int> count{0};
    for (int i = 0; i < 50; ++i)
        arena.enqueue([&] { ++count; });
    spin_until([&] { return count == 50; });
}

TEST(task_arena_enqueue, runs_without_any_wait) {
    for (int slots : {1, 2, 8}) {
        task_arena arena(slots);
        expect_enqueued_work_runs(arena);
    }
    task_arena automatic;
    expect_enqueued_work_runs(automatic);
    task_arena unreserved(2, 0);
    expect_enqueued_work_runs(unreserved);
}

TEST(task_arena_enqueue, runs_although_one_thread_only_is_allowed) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    for (int round = 0; round < 5; ++round) {
        for (int slots : {1, 4}) {
            task_arena arena(slots);
            expect_enqueued_work_runs(arena);
        }
    }
}

TEST(task_arena_enqueue, returns_before_the_task_ends) {
    task_arena arena(2);
    std::atomic<bool> go{false}, done{false};
    arena.enqueue([&] {
        spin_until([&] { return go.load(); });
        done = true;
    });
    EXPECT_FALSE(done);
    go = true;
    spin_until([&] { return done.load(); });
}

TEST(task_arena_enqueue, kinds_of_function_objects) {
    task_arena arena(2);
    std::atomic<int> sum{0};
    const auto lvalue = [&sum] { sum += 1; };
    arena.enqueue(lvalue);
    arena.enqueue([&sum, p = std::make_unique<int>(10)] { sum += *p; });
    std::function<void()> function = [&sum] { sum += 100; };
    arena.enqueue(function);
    EXPECT_TRUE(static_cast<bool>(function)) << "an lvalue is copied";
    arena.enqueue(std::move(function));
    spin_until([&] { return sum == 211; });
}

TEST(task_arena_enqueue, the_function_object_is_destroyed_after_the_call) {
    task_arena arena(2);
    const auto token = std::make_shared<int>(0);
    for (int i = 0; i < 20; ++i)
        arena.enqueue([token] {});
    spin_until([&] { return token.use_count() == 1; });
}

TEST(task_arena_enqueue, by_tasks_and_by_many_threads) {
    task_arena arena(2);
    std::atomic<int> count{0};
    run_threads(4, [&](int) {
        for (int i = 0; i < 20; ++i)
            arena.enqueue([&] { arena.enqueue([&] { ++count; }); });
    });
    spin_until([&] { return count == 80; });
}

TEST(task_arena_enqueue, from_one_arena_into_another) {
    task_arena a(2), b(3);
    std::atomic<int> slots{0};
    a.execute([&] { b.enqueue([&] { slots = here::max_concurrency(); }); });
    spin_until([&] { return slots != 0; });
    EXPECT_EQ(slots, 3);
}

TEST(task_arena_enqueue, loops_in_enqueued_tasks) {
    for (int slots : {1, 3}) {
        task_arena arena(slots);
        std::atomic<int> count{0};
        for (int i = 0; i < 10; ++i)
            arena.enqueue([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); });
        spin_until([&] { return count == 1000; });
    }
}

// Programs have an element for each index below max_concurrency(), which oneTBB's headers answer with the constructor's
// number.
TEST(task_arena_enqueue, no_index_reaches_max_concurrency_where_all_slots_are_reserved) {
    for (const int slots : {2, 3}) {
        task_arena arena(slots, static_cast<unsigned>(slots));
        std::atomic<int> ran{0}, too_high{0}, other_bounds{0};
        const auto check = [&] {
            too_high += here::current_thread_index() >= slots ? 1 : 0;
            other_bounds += here::max_concurrency() != slots || arena.max_concurrency() != slots ? 1 : 0;
            ++ran;
        };
        run_threads(slots + 1, [&](int) {
            tbb::task_group group;
            for (int i = 0; i < 50; ++i) {
                arena.enqueue(check, group);
                arena.execute(check);
            }
            EXPECT_EQ(arena.wait_for(group), tbb::complete);
        });
        EXPECT_EQ(ran, (slots + 1) * 100);
        EXPECT_EQ(too_high, 0);
        EXPECT_EQ(other_bounds, 0);
    }
}

TEST(task_arena_enqueue, outlives_the_task_arena_object) {
    std::atomic<int> count{0};
    for (int i = 0; i < 20; ++i) {
        task_arena arena(2);
        arena.enqueue([&] { ++count; });
    }
    task_arena terminated(2);
    terminated.enqueue([&] { ++count; });
    terminated.terminate();
    spin_until([&] { return count == 21; });
}

TEST(task_arena_enqueue, into_a_group) {
    for (int slots : {1, 2, 8}) {
        task_arena arena(slots);
        tbb::task_group group;
        std::atomic<int> count{0};
        for (int i = 0; i < 50; ++i) {
            arena.enqueue([&] { ++count; }, group);
            arena.enqueue(group.defer([&] { ++count; }));
        }
        EXPECT_EQ(arena.wait_for(group), tbb::complete);
        EXPECT_EQ(count, 100);
    }
}

TEST(task_arena_enqueue, into_a_group_waited_for_outside) {
    task_arena arena(2);
    tbb::task_group group;
    std::atomic<int> count{0};
    for (int i = 0; i < 50; ++i)
        arena.enqueue([&] { ++count; }, group);
    EXPECT_EQ(group.wait(), tbb::complete);
    EXPECT_EQ(count, 50);
}

TEST(task_arena_enqueue, a_handle_is_empty_afterwards) {
    task_arena arena(2);
    tbb::task_group group;
    std::atomic<int> count{0};
    auto handle = group.defer([&] { ++count; });
    arena.enqueue(std::move(handle));
    EXPECT_FALSE(handle);
    EXPECT_EQ(arena.wait_for(group), tbb::complete);
    EXPECT_EQ(count, 1);
}

TEST(task_arena_enqueue, into_a_cancelled_group) {
    task_arena arena(2);
    tbb::task_group group;
    std::atomic<int> count{0};
    group.cancel();
    arena.enqueue([&] { ++count; }, group);
    arena.enqueue(group.defer([&] { ++count; }));
    EXPECT_EQ(arena.wait_for(group), tbb::canceled);
    EXPECT_EQ(count, 0);
    EXPECT_EQ(arena.wait_for(group), tbb::complete);
}

TEST(task_arena_wait_for, rethrows) {
    for (int slots : {1, 2, 8}) {
        task_arena arena(slots);
        tbb::task_group group;
        arena.enqueue([] { throw test_error(1); }, group);
        EXPECT_EQ(number_thrown_by([&] { arena.wait_for(group); }), 1);
        EXPECT_EQ(arena.wait_for(group), tbb::complete);
    }
}

TEST(task_arena_wait_for, tasks_run_in_the_arena) {
    task_arena arena(3);
    tbb::task_group group;
    std::atomic<int> count{0};
    arena.execute([&] {
        for (int i = 0; i < 50; ++i) {
            group.run([&] {
                EXPECT_EQ(here::max_concurrency(), 3);
                ++count;
            });
        }
    });
    EXPECT_EQ(arena.wait_for(group), tbb::complete);
    EXPECT_EQ(count, 50);
}

TEST(task_arena_wait_for, from_many_threads) {
    task_arena arena(2);
    run_threads(6, [&](int) {
        for (int round = 0; round < 10; ++round) {
            tbb::task_group group;
            std::atomic<int> count{0};
            for (int i = 0; i < 10; ++i)
                arena.enqueue([&] { ++count; }, group);
            EXPECT_EQ(arena.wait_for(group), tbb::complete);
            EXPECT_EQ(count, 10);
        }
    });
}

TEST(this_task_arena_enqueue, stays_in_the_arena) {
    // Not with one slot: oneTBB may count the worker that it lends for enqueued work.
    for (int slots : {2, 3}) {
        task_arena arena(slots);
        std::atomic<int> count{0};
        const auto check = [&count, slots] {
            EXPECT_EQ(here::max_concurrency(), slots);
            ++count;
        };
        arena.execute([&] {
            tbb::task_group group;
            here::enqueue(check);
            here::enqueue(check, group);
            here::enqueue(group.defer(check));
            EXPECT_EQ(group.wait(), tbb::complete);
        });
        spin_until([&] { return count == 3; });
    }
}

TEST(this_task_arena_enqueue, from_a_plain_thread) {
    std::thread([] {
        std::atomic<int> count{0};
        here::enqueue([&] { ++count; });
        spin_until([&] { return count == 1; });
    }).join();
}

TEST(parallel_phase, of_an_arena) {
    task_arena arena(4);
    std::atomic<int> count{0};
    const auto work = [&] { arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); }); };
    arena.start_parallel_phase();
    work();
    arena.start_parallel_phase();  // they nest
    work();
    arena.end_parallel_phase();
    arena.end_parallel_phase(task_arena::parallel_phase::end_flag_fast_leave{});
    work();
    {
        task_arena::parallel_phase phase(arena);
        work();
        task_arena::parallel_phase moved(std::move(phase));
        work();
        moved.end();
        moved.end();
        task_arena::parallel_phase other(arena, task_arena::parallel_phase::end_flag_fast_leave{});
        moved = std::move(other);
        work();
    }
    work();
    EXPECT_EQ(count, 700);
}

TEST(parallel_phase, of_this_arena) {
    for_widths([] {
        std::atomic<int> count{0};
        here::start_parallel_phase();
        tbb::parallel_for(0, 100, [&](int) { ++count; });
        here::end_parallel_phase();
        {
            task_arena::parallel_phase phase{tbb::attach{}};
            tbb::parallel_for(0, 100, [&](int) { ++count; });
        }
        here::start_parallel_phase();
        here::end_parallel_phase(task_arena::parallel_phase::end_flag_fast_leave{});
        EXPECT_EQ(count, 200);
    });
}

}  // namespace
