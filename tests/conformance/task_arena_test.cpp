// tbb::task_arena: construction, copies, attaching, life time; what an arena says of itself.
#include "support.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <type_traits>

using namespace conformance;
using tbb::task_arena;

static_assert(std::is_copy_constructible_v<task_arena> && std::is_default_constructible_v<task_arena>);
static_assert(task_arena::automatic == -1 && task_arena::not_initialized == -2);
static_assert(task_arena::priority::low < task_arena::priority::normal &&
              task_arena::priority::normal < task_arena::priority::high);

namespace {

int concurrency_inside(task_arena& arena) {
    return arena.execute([] { return tbb::this_task_arena::max_concurrency(); });
}

// A loop in the arena visits everything, and never with more threads than the arena has slots.
void expect_works(task_arena& arena) {
    visits seen(500);
    occupancy threads;
    arena.execute([&] {
        tbb::parallel_for(std::size_t{0}, std::size_t{500}, [&](std::size_t i) {
            threads.enter();
            seen.add(i);
            threads.leave();
        });
    });
    EXPECT_TRUE(seen.each_once());
    EXPECT_LE(threads.most(), arena.max_concurrency());
}

TEST(task_arena, every_constructor) {
    const auto high = task_arena::priority::high;
    const auto fast = task_arena::leave_policy::fast;
    const int automatic = tbb::info::default_concurrency();
    const auto check = [](task_arena arena, int concurrency) {
        EXPECT_FALSE(arena.is_active());
        EXPECT_EQ(arena.max_concurrency(), concurrency);
        expect_works(arena);
        EXPECT_TRUE(arena.is_active());
        EXPECT_EQ(arena.max_concurrency(), concurrency);
        EXPECT_EQ(concurrency_inside(arena), concurrency);
    };
    check(task_arena(), automatic);
    check(task_arena(task_arena::automatic), automatic);
    check(task_arena(1), 1);
    check(task_arena(3), 3);
    check(task_arena(3, 0), 3);
    check(task_arena(3, 3), 3);
    check(task_arena(3, 2, high), 3);
    check(task_arena(3, 1, task_arena::priority::low, fast), 3);
    const auto three = task_arena::constraints{}.set_max_concurrency(3);
    check(task_arena(three), 3);
    check(task_arena(three, 0), 3);
    check(task_arena(three, 2, high), 3);
    check(task_arena(three, 2, high, fast), 3);
    check(task_arena(task_arena::constraints{}), automatic);
}

TEST(task_arena, many_slots) {
    task_arena arena(1000);
    EXPECT_EQ(arena.max_concurrency(), 1000);
    EXPECT_EQ(concurrency_inside(arena), 1000);
    expect_works(arena);
}

TEST(task_arena, more_slots_than_the_limit_allows_threads) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 2);
    task_arena arena(8);
    occupancy threads;
    arena.execute([&] {
        tbb::parallel_for(0, 500, [&](int) {
            threads.enter();
            threads.leave();
        });
    });
    EXPECT_LE(threads.most(), 2);
    EXPECT_EQ(concurrency_inside(arena), 8) << "the limit is not the arena's size";
}

TEST(task_arena, initialize_and_terminate) {
    task_arena arena(2);
    EXPECT_FALSE(arena.is_active());
    arena.terminate();
    EXPECT_FALSE(arena.is_active()) << "terminate of an arena that is not active does nothing";
    arena.initialize();
    EXPECT_TRUE(arena.is_active());
    arena.initialize();
    EXPECT_TRUE(arena.is_active());
    expect_works(arena);
    arena.terminate();
    EXPECT_FALSE(arena.is_active());
    EXPECT_EQ(arena.max_concurrency(), 2);
    expect_works(arena);
    EXPECT_TRUE(arena.is_active()) << "the first use initializes again";
}

TEST(task_arena, initialize_takes_new_settings) {
    task_arena arena(2);
    arena.initialize(5);
    EXPECT_EQ(concurrency_inside(arena), 5);
    EXPECT_EQ(arena.max_concurrency(), 5);
    arena.terminate();
    arena.initialize(4, 2, task_arena::priority::high);
    EXPECT_EQ(concurrency_inside(arena), 4);
    expect_works(arena);
    arena.terminate();
    arena.initialize(task_arena::constraints{}.set_max_concurrency(3), 0, task_arena::priority::low,
                     task_arena::leave_policy::fast);
    EXPECT_EQ(concurrency_inside(arena), 3);
    expect_works(arena);
}

TEST(task_arena, each_use_initializes) {
    task_arena executes(2), enqueues(2), waits(2), phase(2);
    executes.execute([] {});
    EXPECT_TRUE(executes.is_active());
    std::atomic<bool> ran{false};
    enqueues.enqueue([&] { ran = true; });
    EXPECT_TRUE(enqueues.is_active());
    tbb::task_group group;
    EXPECT_EQ(waits.wait_for(group), tbb::complete);
    EXPECT_TRUE(waits.is_active());
    phase.start_parallel_phase();
    EXPECT_TRUE(phase.is_active());
    phase.end_parallel_phase();
    spin_until([&] { return ran.load(); });
}

TEST(task_arena, threads_race_to_initialize) {
    for (int round = 0; round < 20; ++round) {
        task_arena arena(4);
        std::atomic<int> count{0};
        run_threads(4, [&](int) {
            arena.execute([&] { ++count; });
            EXPECT_EQ(concurrency_inside(arena), 4);
        });
        EXPECT_EQ(count, 4);
    }
}

TEST(task_arena, a_copy_has_the_settings_and_not_the_arena) {
    task_arena arena(3, 2, task_arena::priority::high);
    arena.initialize();
    task_arena copy(arena);
    EXPECT_FALSE(copy.is_active());
    EXPECT_EQ(copy.max_concurrency(), 3);
    arena.terminate();
    EXPECT_EQ(concurrency_inside(copy), 3);
    EXPECT_FALSE(arena.is_active());
    task_arena of_constraints(task_arena(task_arena::constraints{}.set_max_concurrency(4)));
    EXPECT_EQ(concurrency_inside(of_constraints), 4);
}

// Programs have an element for each thread. A worker that is lent to an arena without slots for workers counts.
TEST(task_arena, every_index_is_below_max_concurrency) {
    for (const auto& [slots, reserved] :
         {std::pair{1, 1}, {1, 0}, {2, 0}, {2, 1}, {4, 1}, {-1, 1}, {-1, 0}}) {
        task_arena arena(slots, static_cast<unsigned>(reserved));
        std::atomic<int> below{-1};
        arena.enqueue([&] {
            below = tbb::this_task_arena::current_thread_index() < tbb::this_task_arena::max_concurrency()
                        ? 1
                        : 0;
        });
        spin_until([&] { return below != -1; });
        EXPECT_EQ(below, 1) << "enqueued to task_arena(" << slots << ", " << reserved << ")";
        EXPECT_TRUE(arena.execute([] {
            return tbb::this_task_arena::current_thread_index() < tbb::this_task_arena::max_concurrency();
        }));
    }
}

// A thread's own arena has as many slots as info::default_concurrency() says, whatever limit held when it was made, or
// holds now: no more threads ever come to its loops, and a program may wait for as many where the limit allows it.
TEST(task_arena, no_limit_changes_the_slots_of_a_threads_own_arena) {
    using tbb::global_control;
    const int slots = tbb::info::default_concurrency();
    for (const std::size_t first : {std::size_t{8}, std::size_t{1}})
        run_threads(1, [&](int) {
            {
                global_control limit(global_control::max_allowed_parallelism, first);
                EXPECT_EQ(tbb::this_task_arena::max_concurrency(), slots) << "before the first loop";
                tbb::parallel_for(0, 100, [&](int) {
                    EXPECT_EQ(tbb::this_task_arena::max_concurrency(), slots);
                    EXPECT_LT(tbb::this_task_arena::current_thread_index(), slots);
                });
                EXPECT_EQ(tbb::this_task_arena::max_concurrency(), slots);
            }
            EXPECT_EQ(tbb::this_task_arena::max_concurrency(), slots) << "the limit has gone";
            global_control limit(global_control::max_allowed_parallelism, 9 - first);
            EXPECT_EQ(tbb::this_task_arena::max_concurrency(), slots) << "the other limit";
        });
}

TEST(task_arena, asking_for_max_concurrency_gives_the_thread_no_arena) {
    run_threads(1, [](int) {
        EXPECT_EQ(tbb::this_task_arena::max_concurrency(), tbb::info::default_concurrency());
        EXPECT_EQ(tbb::this_task_arena::current_thread_index(), task_arena::not_initialized);
        task_arena nothing{task_arena::attach{}};
        EXPECT_FALSE(nothing.is_active());
        task_arena later;
        later.initialize(tbb::attach{});
        EXPECT_EQ(later.max_concurrency(), tbb::info::default_concurrency());
        tbb::parallel_for(0, 2, [](int) {});
        task_arena own{task_arena::attach{}};
        EXPECT_TRUE(own.is_active());
    });
}

TEST(task_arena, attach_finds_the_arena_of_the_thread) {
    task_arena arena(3);
    arena.execute([] {
        const int index = tbb::this_task_arena::current_thread_index();
        const auto expect_same_arena = [index](task_arena& attached) {
            EXPECT_TRUE(attached.is_active());
            EXPECT_EQ(attached.max_concurrency(), 3);
            attached.execute([index] {
                EXPECT_EQ(tbb::this_task_arena::max_concurrency(), 3);
                EXPECT_EQ(tbb::this_task_arena::current_thread_index(), index);
            });
        };
        task_arena a{task_arena::attach{}};
        expect_same_arena(a);
        task_arena b{tbb::attach{}};
        expect_same_arena(b);
        task_arena c, d;
        c.initialize(task_arena::attach{});
        expect_same_arena(c);
        d.initialize(tbb::attach{});
        expect_same_arena(d);
    });
    expect_works(arena);
}

TEST(task_arena, an_attached_arena_outlives_the_original) {
    auto original = std::make_unique<task_arena>(3);
    std::unique_ptr<task_arena> attached;
    original->execute([&] { attached = std::make_unique<task_arena>(task_arena::attach{}); });
    original.reset();
    EXPECT_TRUE(attached->is_active());
    expect_works(*attached);
    EXPECT_EQ(concurrency_inside(*attached), 3);
}

TEST(task_arena, attach_of_a_thread_without_an_arena) {
    std::thread([] {
        task_arena attached{task_arena::attach{}};
        EXPECT_FALSE(attached.is_active());
        EXPECT_EQ(concurrency_inside(attached), tbb::info::default_concurrency());
        EXPECT_TRUE(attached.is_active());
    }).join();
    std::thread([] {
        task_arena attached;
        attached.initialize(task_arena::attach{});
        EXPECT_TRUE(attached.is_active()) << "here an arena is made where there is none";
        expect_works(attached);
    }).join();
}

TEST(task_arena, made_in_one_thread_used_in_others) {
    std::unique_ptr<task_arena> arena;
    std::thread([&] {
        arena = std::make_unique<task_arena>(2);
        arena->initialize();
    }).join();
    std::thread([&] { expect_works(*arena); }).join();
    expect_works(*arena);
    std::thread([&] { arena.reset(); }).join();
}

TEST(task_arena, priorities_do_not_change_results) {
    for_widths([] {
        task_arena low(4, 1, task_arena::priority::low), normal(4, 1, task_arena::priority::normal),
            high(4, 1, task_arena::priority::high);
        std::atomic<int> count{0};
        for (task_arena* arena : {&low, &normal, &high}) {
            for (int i = 0; i < 20; ++i)
                arena->enqueue([&] { ++count; });
        }
        for (task_arena* arena : {&low, &normal, &high})
            expect_works(*arena);
        spin_until([&] { return count == 60; });
    });
}

TEST(task_arena, reserved_slots_are_not_for_workers) {
    task_arena arena(4, 4);
    for (int round = 0; round < 20; ++round) {
        const auto caller = std::this_thread::get_id();
        arena.execute(
            [&] { tbb::parallel_for(0, 200, [&](int) { EXPECT_EQ(std::this_thread::get_id(), caller); }); });
    }
}

TEST(task_arena, constraints_can_be_chained) {
    task_arena::constraints c;
    EXPECT_EQ(c.numa_id, task_arena::automatic);
    EXPECT_EQ(c.max_concurrency, task_arena::automatic);
    EXPECT_EQ(c.core_type, task_arena::automatic);
    EXPECT_EQ(c.max_threads_per_core, task_arena::automatic);
    c.set_numa_id(1).set_max_concurrency(2).set_core_type(3).set_max_threads_per_core(4);
    EXPECT_EQ(c.numa_id, 1);
    EXPECT_EQ(c.max_concurrency, 2);
    EXPECT_EQ(c.core_type, 3);
    EXPECT_EQ(c.max_threads_per_core, 4);
    const task_arena::constraints d(5, 6);
    EXPECT_EQ(d.numa_id, 5);
    EXPECT_EQ(d.max_concurrency, 6);
}

TEST(task_arena, on_each_numa_node_and_core_type) {
    for (auto node : tbb::info::numa_nodes()) {
        task_arena arena(task_arena::constraints{}.set_numa_id(node));
        EXPECT_EQ(arena.max_concurrency(), tbb::info::default_concurrency(node));
        expect_works(arena);
        task_arena two(task_arena::constraints(node, 2));
        EXPECT_EQ(concurrency_inside(two), 2);
        expect_works(two);
    }
    for (auto type : tbb::info::core_types()) {
        const auto c = task_arena::constraints{}.set_core_type(type);
        task_arena arena(c);
        EXPECT_EQ(arena.max_concurrency(), tbb::info::default_concurrency(c));
        expect_works(arena);
    }
}

TEST(task_arena, one_thread_per_core) {
    const auto c = task_arena::constraints{}.set_max_threads_per_core(1);
    task_arena arena(c);
    EXPECT_GE(arena.max_concurrency(), 1);
    EXPECT_LE(arena.max_concurrency(), tbb::info::default_concurrency());
    EXPECT_EQ(arena.max_concurrency(), tbb::info::default_concurrency(c));
    expect_works(arena);
}

TEST(create_numa_task_arenas, one_for_each_node) {
    const std::size_t nodes = tbb::info::numa_nodes().size();
    auto arenas = tbb::create_numa_task_arenas();
    ASSERT_EQ(arenas.size(), nodes);
    for (task_arena& arena : arenas) {
        EXPECT_FALSE(arena.is_active());
        expect_works(arena);
    }
    auto sized = tbb::create_numa_task_arenas(task_arena::constraints{}.set_max_concurrency(3), 1);
    ASSERT_EQ(sized.size(), nodes);
    for (task_arena& arena : sized)
        EXPECT_EQ(concurrency_inside(arena), 3);
}

TEST(task_arena, destroyed_without_use) {
    for (int i = 0; i < 100; ++i) {
        task_arena never(2);
        task_arena initialized(2);
        initialized.initialize();
    }
}

TEST(task_arena, many_at_once) {
    std::vector<std::unique_ptr<task_arena>> arenas;
    for (int i = 0; i < 100; ++i)
        arenas.push_back(std::make_unique<task_arena>(1 + i % 4));
    for (int round = 0; round < 3; ++round) {
        for (auto& arena : arenas)
            expect_works(*arena);
    }
}

}  // namespace
