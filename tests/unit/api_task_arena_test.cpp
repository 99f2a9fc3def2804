// task_arena: what execute returns and throws, life cycle, slots and their limits.

#include "unit/api_support.h"

#include <stdexcept>
#include <thread>

namespace {

using bough::task_arena;
using bough_test::boom;
using bough_test::visits;

TEST(api_task_arena, execute_returns_what_the_function_returns) {
    task_arena arena(2);
    EXPECT_EQ(arena.execute([] { return 42; }), 42);
    EXPECT_EQ(arena.execute([] { return std::string("leaf"); }), "leaf");
    int calls = 0;
    arena.execute([&] { ++calls; });
    EXPECT_EQ(calls, 1);
    auto moved = arena.execute([] { return std::make_unique<int>(7); });
    static_assert(std::is_same_v<decltype(moved), std::unique_ptr<int>>);
    EXPECT_EQ(*moved, 7);
}

TEST(api_task_arena, execute_returns_references) {
    task_arena arena(2);
    int value = 1;
    static_assert(std::is_same_v<decltype(arena.execute([&]() -> int& { return value; })), int&>);
    arena.execute([&]() -> int& { return value; }) = 5;
    EXPECT_EQ(value, 5);
    const int& constant = arena.execute([&]() -> const int& { return value; });
    EXPECT_EQ(&constant, &value);
    const auto taken = std::make_unique<int>(3);
    EXPECT_EQ(&arena.execute([&]() -> const std::unique_ptr<int>& { return taken; }), &taken);
}

TEST(api_task_arena, execute_returns_values_without_default_constructor) {
    struct no_default {
        explicit no_default(int v) : value(v) {}
        int value;
    };
    task_arena arena(2);
    EXPECT_EQ(arena.execute([] { return no_default(9); }).value, 9);
}

TEST(api_task_arena, exceptions_come_out_of_execute) {
    task_arena arena(2);
    for (int round = 0; round < 200; ++round) {
        EXPECT_THROW(arena.execute([] { throw boom{1}; }), boom);
        EXPECT_THROW(arena.execute([]() -> int { throw boom{2}; }), boom);
        EXPECT_THROW(arena.execute([] { bough::parallel_for(0, 100, [](int) { throw boom{3}; }); }), boom);
        ASSERT_EQ(arena.execute([] { return 1; }), 1) << "the slot was not given back";
    }
}

TEST(api_task_arena, loops_inside_visit_every_index_once) {
    for (const int slots : {1, 2, 3, 8, 40}) {
        task_arena arena(slots);
        bough_test::for_each_partitioner([&](const char* name, auto& partitioner) {
            visits seen(10000);
            arena.execute([&] {
                bough::parallel_for(
                    std::size_t{0}, std::size_t{10000}, [&](std::size_t i) { seen.hit(i); }, partitioner);
            });
            EXPECT_TRUE(seen.each_once()) << name << ", " << slots << " slots";
        });
    }
}

TEST(api_task_arena, says_its_concurrency_outside_and_inside) {
    for (const int slots : {1, 2, 5, 17}) {
        task_arena arena(slots);
        EXPECT_EQ(arena.max_concurrency(), slots);
        EXPECT_EQ(arena.execute([] { return bough::this_task_arena::max_concurrency(); }), slots);
        EXPECT_EQ(arena.max_concurrency(), slots);
    }
    task_arena automatic;
    EXPECT_EQ(automatic.max_concurrency(), bough::this_task_arena::max_concurrency());
}

TEST(api_task_arena, slots_are_numbered_below_its_concurrency_and_used_by_one_thread_at_a_time) {
    for (const int slots : {1, 2, 4}) {
        task_arena arena(slots);
        std::vector<std::atomic<int>> taken(static_cast<std::size_t>(slots));
        std::atomic<int> wrong{0};
        for (int round = 0; round < 20; ++round) {
            arena.execute([&] {
                bough::parallel_for(0, 50, [&](int) {
                    const int slot = bough::this_task_arena::current_thread_index();
                    if (slot < 0 || slot >= slots) {
                        wrong.fetch_add(1);
                        return;
                    }
                    wrong.fetch_add(taken[static_cast<std::size_t>(slot)].fetch_add(1) == 0 ? 0 : 1);
                    bough_test::work_a_little(2000);
                    taken[static_cast<std::size_t>(slot)].fetch_sub(1);
                });
            });
        }
        EXPECT_EQ(wrong.load(), 0) << slots << " slots";
    }
}

// Programs have an element for each thread.
TEST(api_task_arena, no_slot_lies_beyond_those_that_were_told) {
    const auto none_lies_beyond = [] {
        const int slots = bough::this_task_arena::max_concurrency();
        std::atomic<int> beyond{0};
        for (int round = 0; round < 20; ++round) {
            bough::parallel_for(
                0, 100,
                [&](int) {
                    bough_test::work_a_little(1000);
                    beyond += bough::this_task_arena::current_thread_index() < slots ? 0 : 1;
                },
                bough::simple_partitioner{});
        }
        return beyond == 0;
    };
    using control = bough::global_control;
    std::thread([&] {  // with an arena that may be made here
        {
            const control raised(control::max_allowed_parallelism, 12);
            EXPECT_TRUE(none_lies_beyond()) << "raised before the first use";
        }
        EXPECT_TRUE(none_lies_beyond()) << "as before";
        const control lowered(control::max_allowed_parallelism, 2);
        EXPECT_TRUE(none_lies_beyond()) << "lowered";
    })
        .join();
    EXPECT_TRUE(none_lies_beyond());
    const control lowered(control::max_allowed_parallelism, 2);
    EXPECT_TRUE(none_lies_beyond()) << "lowered";
}

TEST(api_task_arena, a_body_keeps_its_slot_in_the_default_arena_too) {
    std::atomic<int> wrong{0};
    const int slots = bough::this_task_arena::max_concurrency();
    bough::parallel_for(0, 200, [&](int) {
        const int slot = bough::this_task_arena::current_thread_index();
        bough_test::work_a_little(500);
        wrong.fetch_add(
            slot == bough::this_task_arena::current_thread_index() && slot >= 0 && slot < slots ? 0 : 1);
    });
    EXPECT_EQ(wrong.load(), 0);
}

TEST(api_task_arena, no_more_threads_at_a_time_than_slots) {
    for (const int slots : {1, 2, 3}) {
        task_arena arena(slots);
        for (int round = 0; round < 5; ++round) {
            bough_test::census who;
            arena.execute([&] {
                bough::parallel_for(
                    0, 64,
                    [&](int) {
                        const bough_test::census::inside here(who);
                        bough_test::work_a_little(10000);
                    },
                    bough::simple_partitioner{});
            });
            ASSERT_LE(who.most_at_once(), slots);
        }
    }
}

TEST(api_task_arena, as_many_threads_as_slots_do_come) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    for (int slots = 1; slots <= std::min(4, bough_test::allowed_threads()); ++slots) {
        task_arena arena(slots);
        for (int round = 0; round < 20; ++round) {
            bough_test::rendezvous all(slots, bough_test::rendezvous::sleeping);
            arena.execute([&] { bough::parallel_for(0, slots, [&](int) { all.arrive_and_wait(); }); });
            ASSERT_TRUE(all.met()) << slots << " slots";
        }
    }
}

TEST(api_task_arena, one_slot_runs_everything_on_the_caller) {
    task_arena arena(1);
    bough_test::census who;
    arena.execute([&] {
        bough::parallel_for(0, 500, [&](int) {
            const bough_test::census::inside here(who);
            bough_test::work_a_little(500);
        });
    });
    EXPECT_EQ(who.distinct_threads(), 1);
    EXPECT_TRUE(who.saw(std::this_thread::get_id()));
}

TEST(api_task_arena, nested_execute_in_another_and_in_the_same_arena) {
    task_arena outer(2), inner(3);
    visits seen(1000);
    const int result = outer.execute([&] {
        EXPECT_EQ(bough::this_task_arena::max_concurrency(), 2);
        const int inside = inner.execute([&] {
            EXPECT_EQ(bough::this_task_arena::max_concurrency(), 3);
            bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { seen.hit(i); });
            return outer.execute([&] { return bough::this_task_arena::max_concurrency(); });
        });
        EXPECT_EQ(bough::this_task_arena::max_concurrency(), 2)
            << "the thread did not come back to its arena";
        return inside + 10 * outer.execute([] { return 4; });
    });
    EXPECT_EQ(result, 42);
    EXPECT_TRUE(seen.each_once());
}

TEST(api_task_arena, nested_execute_in_the_same_full_arena) {
    task_arena arena(1);
    EXPECT_EQ(arena.execute([&] { return arena.execute([&] { return arena.execute([] { return 3; }); }); }),
              3);
}

// Nobody else ever gives a slot there: each has one, which this thread sits on, further up. (With workers the slot may
// be one of theirs: then two threads can wait for each other's, as with locks.)
TEST(api_task_arena, three_full_arenas_in_turn_as_deep_as_one_likes) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 1);
    task_arena arenas[3] = {task_arena(1, 0), task_arena(1, 0), task_arena(1, 0)};
    std::mt19937_64 generator = bough_test::seeded_generator();
    const auto me = std::this_thread::get_id();
    // Begins in an arena made under the limit: in another one a worker that was about to steal when the limit came may
    // still do so (src/worker/rare_states.md), and a worker then stands in for this thread while it waits.
    task_arena(2).execute([&] {
        for (int round = 0; round < 300; ++round) {
            std::vector<std::size_t> way;
            for (std::size_t k = bough_test::uniform(generator, 1, 12); k > 0; --k)
                way.push_back(bough_test::uniform(generator, 0, 2));
            int ran = 0;
            std::function<void(std::size_t)> go = [&](std::size_t k) {
                bough::task_group group;
                group.run([&] { ++ran; });  // a queue that this thread owns here
                if (k < way.size())
                    arenas[way[k]].execute([&] {
                        EXPECT_EQ(std::this_thread::get_id(), me);
                        go(k + 1);
                    });
                group.wait();
            };
            go(0);
            ASSERT_EQ(ran, static_cast<int>(way.size()) + 1);
        }
    });
}

TEST(api_task_arena, execute_from_bodies_of_a_loop_outside) {
    task_arena arena(2);
    visits seen(40 * 100);
    bough::parallel_for(std::size_t{0}, std::size_t{40}, [&](std::size_t i) {
        arena.execute([&] {
            bough::parallel_for(std::size_t{0}, std::size_t{100},
                                [&](std::size_t j) { seen.hit(i * 100 + j); });
        });
    });
    EXPECT_TRUE(seen.each_once());
}

TEST(api_task_arena, many_threads_share_one_slot) {
    task_arena arena(1);
    std::atomic<int> calls{0}, loops{0};
    bough_test::census inside;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int round = 0; round < 200; ++round)
                arena.execute([&] {
                    const bough_test::census::inside here(inside);
                    ++calls;
                    bough::parallel_for(0, 10, [&](int) { ++loops; });
                });
        });
    for (auto& t : threads)
        t.join();
    EXPECT_EQ(calls.load(), 800);
    EXPECT_EQ(loops.load(), 8000);
    EXPECT_LE(inside.most_at_once(), 2) << "one who has the slot, and a worker for those who find none";
}

TEST(api_task_arena, more_threads_than_slots_each_get_their_own_answer) {
    task_arena arena(2);
    std::atomic<int> wrong{0};
    bough_test::census inside;
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 100; ++round) {
                const int got = arena.execute([&, t] {
                    const bough_test::census::inside here(inside);
                    if (round % 10 == 9)
                        bough_test::work_a_little(2000);
                    return t * 1000 + round;
                });
                wrong.fetch_add(got == t * 1000 + round ? 0 : 1);
            }
        });
    for (auto& t : threads)
        t.join();
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_LE(inside.most_at_once(), 2);
}

TEST(api_task_arena, initialize_and_terminate) {
    task_arena arena(3);
    EXPECT_FALSE(arena.is_active());
    arena.initialize();
    EXPECT_TRUE(arena.is_active());
    EXPECT_EQ(arena.execute([] { return bough::this_task_arena::max_concurrency(); }), 3);
    arena.terminate();
    EXPECT_FALSE(arena.is_active());
    arena.terminate();
    arena.initialize(2, 1);
    EXPECT_TRUE(arena.is_active());
    EXPECT_EQ(arena.max_concurrency(), 2);
    EXPECT_EQ(arena.execute([] { return bough::this_task_arena::max_concurrency(); }), 2);
    task_arena lazy(2);
    EXPECT_EQ(lazy.execute([] { return 1; }), 1);
    EXPECT_TRUE(lazy.is_active()) << "execute initializes";
}

TEST(api_task_arena, all_slots_reserved_for_masters) {
    task_arena arena(2, 2);
    bough_test::census who;
    arena.execute([&] {
        bough::parallel_for(0, 100, [&](int) {
            const bough_test::census::inside here(who);
            bough_test::work_a_little(1000);
        });
    });
    EXPECT_EQ(who.distinct_threads(), 1) << "a worker sat down in a slot kept for application threads";
}

TEST(api_task_arena, more_slots_reserved_than_there_are_are_refused) {
    bough::task_arena arena(2, 3);
    try {
        arena.initialize();
        ADD_FAILURE() << "not refused";
    } catch (const std::invalid_argument& e) {
        EXPECT_STREQ(e.what(),
                     "bough::task_arena: reserved_for_masters is 3; allowed are 0 to 2 (max_concurrency)");
    }
}

// The worker that comes for them may get the slot that they lie in: it calls the next one all the same.
TEST(api_task_arena, tasks_that_a_thread_left_there_get_two_workers) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 3);
    for (int round = 0; round < 20; ++round) {
        std::vector<std::unique_ptr<task_arena>> arenas;
        std::vector<std::unique_ptr<bough::task_group>> groups;
        std::atomic<int> left{0};
        std::atomic<bool> all_met{true};
        for (int i = 0; i < 3; ++i) {
            arenas.push_back(std::make_unique<task_arena>(2, 0));
            groups.push_back(std::make_unique<bough::task_group>());
            const auto met = std::make_shared<std::atomic<int>>(0);
            arenas.back()->execute([&, met] {
                left += 4;
                for (int task = 0; task < 4; ++task)
                    groups.back()->run([&, met] {
                        ++*met;
                        if (!bough_test::comes_true([&] { return *met >= 2; }))
                            all_met = false;
                        --left;
                    });
            });
            ASSERT_TRUE(bough_test::comes_true([&] { return left == 0; }));
            ASSERT_TRUE(all_met) << "round " << round;
        }
        for (int i = 0; i < 3; ++i)
            arenas[static_cast<std::size_t>(i)]->execute(
                [&] { groups[static_cast<std::size_t>(i)]->wait(); });
    }
}

TEST(api_task_arena, no_slot_reserved_for_masters) {
    task_arena arena(2, 0);
    visits seen(1000);
    arena.execute(
        [&] { bough::parallel_for(std::size_t{0}, std::size_t{1000}, [&](std::size_t i) { seen.hit(i); }); });
    EXPECT_TRUE(seen.each_once());
}

TEST(api_task_arena, made_and_destroyed_2000_times) {
    for (int round = 0; round < 2000; ++round) {
        task_arena arena(1 + round % 4);
        std::atomic<int> calls{0};
        arena.execute([&] { bough::parallel_for(0, 20, [&](int) { ++calls; }); });
        ASSERT_EQ(calls.load(), 20);
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

// A worker sits in a slot for application threads only while something is enqueued. A task of the thread in the other
// slot would keep the worker there.
TEST(api_task_arena, a_worker_in_an_application_threads_slot_runs_only_what_is_enqueued) {
    task_arena arena(2, 2);
    std::atomic<bool> is_inside{false}, is_spawned{false}, is_wanted{false}, has_visited{false};
    std::thread visitor([&] {
        EXPECT_TRUE(bough_test::comes_true([&] { return is_wanted.load(); }));
        arena.execute([&] { has_visited = true; });
    });
    arena.execute([&] {
        bough::task_group outer;
        outer.run_and_wait([&] {
            arena.enqueue([&] {
                is_inside = true;
                EXPECT_TRUE(bough_test::comes_true([&] { return is_spawned.load(); }));
            });
            EXPECT_TRUE(bough_test::comes_true([&] { return is_inside.load(); }));
            bough::task_group group;
            group.run([&] {
                is_wanted = true;
                EXPECT_TRUE(bough_test::comes_true([&] { return has_visited.load(); }));
            });
            is_spawned = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the worker might take the task
            group.wait();
        });
    });
    visitor.join();
    EXPECT_TRUE(has_visited);
}

// The only worker sits in the thread's own arena, and that thread, which has tasks for it there, waits for what the
// worker runs elsewhere.
TEST(api_task_arena, what_is_enqueued_is_run_though_there_are_tasks_elsewhere) {
    const bough::global_control two(bough::global_control::max_allowed_parallelism, 2);
    for (int round = 0; round < 5; ++round) {
        bough::task_group tasks;
        std::atomic<int> ran{0};
        for (int i = 0; i < 5; ++i)
            tasks.run([&] { ++ran; });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the worker comes for them
        task_arena elsewhere(2);
        std::atomic<bool> has_run{false};
        elsewhere.enqueue([&] { has_run = true; });
        ASSERT_TRUE(bough_test::comes_true([&] { return has_run.load(); })) << "round " << round;
        tasks.wait();
        EXPECT_EQ(ran, 5);
    }
}

TEST(api_task_arena, a_copy_is_another_arena_with_the_same_settings) {
    task_arena arena(2);
    arena.initialize();
    task_arena copy(arena);
    EXPECT_EQ(copy.max_concurrency(), 2);
    arena.terminate();
    EXPECT_EQ(copy.execute([] { return 5; }), 5);
}

}  // namespace
