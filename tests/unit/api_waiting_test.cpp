// What a thread does while it waits for its own loop or group: everything that what it waits for may need, and nothing
// that belongs to another application thread, which might need what this one holds.

#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

namespace {

using bough_test::allowed_threads;

bool comes(const std::atomic<bool>& flag) {
    return bough_test::comes_true([&] { return flag.load(); });
}

// One call site for all, so that the runtime expects bodies that are worth handing off.
void pair_of(const std::function<void(int)>& body) {
    bough::parallel_for(0, 2, body);
}
void expect_long_bodies() {
    for (int k = 0; k < 50; ++k)
        pair_of([](int) { bough_test::work_a_little(20'000); });
}

TEST(api_waiting, a_loop_may_wait_for_a_task_that_its_caller_has_spawned) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    for (int round = 0; round < 10; ++round) {
        expect_long_bodies();
        std::atomic<bool> begun{false}, ran{false}, in_time{true};
        bough::task_group group;
        pair_of([&](int i) {
            if (i == 1) {
                begun = true;
                in_time = comes(ran);
            } else if (comes(begun)) {
                group.run([&] { ran = true; });
            }
        });
        group.wait();
        ASSERT_TRUE(in_time.load());
    }
}

// The outer loop is short for the runtime, so its second half stays with the caller, whose first half starts an inner
// loop that needs it.
TEST(api_waiting, an_inner_loop_may_wait_for_a_piece_of_its_outer_loop) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    for (int round = 0; round < 10; ++round) {
        bool for_real = false;
        std::atomic<bool> other_half{false}, in_time{true};
        const auto outer = [&](int half) {
            if (!for_real)
                return;
            if (half == 1)
                other_half = true;
            else
                pair_of([&](int i) {
                    if (i == 1)
                        in_time = comes(other_half);
                });
        };
        for (int k = 0; k < 200; ++k)
            bough::parallel_for(0, 2, outer);
        expect_long_bodies();
        for_real = true;
        bough::parallel_for(0, 2, outer);
        ASSERT_TRUE(in_time.load());
    }
}

TEST(api_waiting, nothing_of_another_application_thread_is_run) {
    for (int round = 0; round < 5; ++round) {
        std::atomic<bool> stop{false};
        std::atomic<int> strangers_here{0};
        const auto me = std::this_thread::get_id();
        std::thread other([&] {
            while (!stop.load()) {
                bough::task_group group;
                for (int k = 0; k < 4; ++k)
                    group.run([&] { strangers_here += std::this_thread::get_id() == me; });
                bough::parallel_for(0, 16, [&](int) {
                    strangers_here += std::this_thread::get_id() == me;
                    std::this_thread::sleep_for(std::chrono::microseconds(50));
                });
                group.wait();
            }
        });
        for (int k = 0; k < 20; ++k)
            bough::parallel_for(0, 2 * allowed_threads(),
                                [&](int) { std::this_thread::sleep_for(std::chrono::microseconds(300)); });
        stop = true;
        other.join();
        ASSERT_EQ(strangers_here.load(), 0);
    }
}

// Loops without a pause in between keep the workers of one thread busy for ever, but another thread gets its own.
TEST(api_waiting, a_busy_thread_does_not_keep_the_workers_of_another) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    std::atomic<bool> stop{false}, warm{false};
    std::thread busy([&] {
        while (!stop.load()) {
            for (int k = 0; k < 10; ++k)
                bough::parallel_for(0, 8 * allowed_threads(), [](int) { bough_test::work_a_little(500); });
            warm = true;
        }
    });
    EXPECT_TRUE(comes(warm));
    for (int round = 0; round < 3; ++round) {
        bough_test::rendezvous all(allowed_threads(), bough_test::rendezvous::sleeping);
        bough::parallel_for(0, allowed_threads(), [&](int) { all.arrive_and_wait(); });
        EXPECT_TRUE(all.met());
    }
    stop = true;
    busy.join();
}

// A worker that idles in the arena makes room for an application thread that wants to come in.
TEST(api_waiting, an_idle_worker_makes_room) {
    bough::task_arena arena(2);
    std::atomic<bool> ready{false}, inside{false};
    std::thread visitor([&] {
        if (comes(ready))
            arena.execute([&] { inside = true; });
    });
    arena.execute([&] {
        for (int k = 0; k < 50; ++k)
            bough::parallel_for(0, 64, [](int) { bough_test::work_a_little(2000); });
        ready = true;
        EXPECT_TRUE(comes(inside));
    });
    visitor.join();
}

// Whoever has the only slot may wait for the function of a thread that finds none.
TEST(api_waiting, a_visitor_of_a_full_arena_needs_nobody_inside) {
    bough::task_arena arena(1);
    std::atomic<bool> ready{false}, ran{false};
    std::thread visitor([&] {
        if (comes(ready))
            arena.execute([&] { ran = true; });
    });
    arena.execute([&] {
        ready = true;
        EXPECT_TRUE(comes(ran));
    });
    visitor.join();
    EXPECT_TRUE(ran.load());
}

// A worker's task finds the one slot of an arena taken, by a thread that waits for that task: another worker has to
// come. Also when the worker is visiting another arena.
TEST(api_waiting, a_worker_that_waits_for_a_slot_lets_another_one_come) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the spawner waits until its task runs");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    const bough::global_control two(bough::global_control::max_allowed_parallelism, 2);
    for (const bool visits : {false, true}) {
        bough::task_arena single(1), other(2);
        bough::task_group group;
        std::atomic<bool> begun{false}, taken{false}, ran{false};
        const auto enter = [&] { single.execute([&] { ran = true; }); };
        group.run([&] {
            begun = true;
            if (!comes(taken))
                return;
            if (visits)
                other.execute(enter);
            else
                enter();
        });
        EXPECT_TRUE(comes(begun));
        single.execute([&] {
            bough::task_group inside;
            inside.run_and_wait([&] {
                taken = true;
                group.wait();
            });
        });
        EXPECT_TRUE(ran.load());
    }
}

// Destructors of thread_local objects may run loops after what the thread made later is gone: nothing of ours may be,
// and the slot must come back afterwards.
TEST(api_waiting, loops_in_late_thread_local_destructors_run) {
    struct late {
        std::atomic<int>* ran = nullptr;
        ~late() {
            bough::parallel_for(0, 100, [&](int) { ran->fetch_add(1); });
        }
    };
    std::atomic<int> ran{0};
    for (int k = 0; k < 100; ++k) {
        std::thread([&] {
            thread_local late object;  // before the thread's first loop: it ends after what that makes
            object.ran = &ran;
            bough::parallel_for(0, 100, [&](int) { ran.fetch_add(1); });
        }).join();
    }
    EXPECT_EQ(ran.load(), 100 * 200);
}

}  // namespace
