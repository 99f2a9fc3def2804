// task_arena::waiting::descendants: while a thread waits it runs nothing but what descends from what it waits for. Each
// body marks its thread while it waits for something of its own; no other body may begin on a marked thread.

#include "unit/api_support.h"

namespace {

using waiting = bough::task_arena::waiting;

thread_local int inside = 0;  // outer bodies that the thread is in

// An outer body: counts those that began on a thread that waited in another one.
template <class Inner>
void outer_body(std::atomic<int>& intruders, const Inner& inner) {
    if (inside != 0)
        ++intruders;
    ++inside;
    inner();
    --inside;
}

void inner_loop() {
    std::atomic<int> ran{0};
    bough::parallel_for(0, 64, [&](int) {
        bough_test::work_a_little(200);
        ++ran;
    });
    EXPECT_EQ(ran.load(), 64);
}

void inner_calls() {
    std::atomic<int> ran{0};
    const auto call = [&] {
        bough_test::work_a_little(2000);
        ++ran;
    };
    bough::parallel_invoke(call, call, call, call);
    EXPECT_EQ(ran.load(), 4);
}

void inner_group() {
    std::atomic<int> ran{0};
    bough::task_group group;
    for (int i = 0; i < 8; ++i) {
        group.run([&] {
            bough::task_group deeper;
            deeper.run([&] { ++ran; });
            deeper.wait();
            bough_test::work_a_little(500);
        });
    }
    group.wait();
    EXPECT_EQ(ran.load(), 8);
}

using inner_kind = void (*)();

class api_descendants : public ::testing::TestWithParam<inner_kind> {
protected:
    bough::task_arena arena{bough::task_arena::automatic, 1, bough::task_arena::priority::normal,
                            waiting::descendants};
    std::atomic<int> intruders{0};
    std::atomic<int> bodies{0};

    void body() {
        outer_body(intruders, GetParam());
        ++bodies;
    }
};

TEST_P(api_descendants, in_a_loop) {
    for (int round = 0; round < 5; ++round)
        arena.execute([&] { bough::parallel_for(0, 32, [&](int) { body(); }); });
    EXPECT_EQ(bodies.load(), 5 * 32);
    EXPECT_EQ(intruders.load(), 0);
}

TEST_P(api_descendants, in_tasks) {
    for (int round = 0; round < 5; ++round)
        arena.execute([&] {
            bough::task_group group;
            for (int i = 0; i < 32; ++i)
                group.run([&] { body(); });
            group.wait();
        });
    EXPECT_EQ(bodies.load(), 5 * 32);
    EXPECT_EQ(intruders.load(), 0);
}

TEST_P(api_descendants, in_what_was_enqueued) {
    for (int i = 0; i < 32; ++i)
        arena.enqueue([&] { body(); });
    while (bodies.load() != 32)  // a lost one is the executable's time-out
        std::this_thread::yield();
    EXPECT_EQ(intruders.load(), 0);
}

INSTANTIATE_TEST_SUITE_P(inner, api_descendants, ::testing::Values(inner_loop, inner_calls, inner_group));

// The tasks are the waiter's own, in its own queue: with one thread nobody else would run them.
TEST(api_descendants_waits, for_tasks_that_were_spawned_in_an_isolated_region) {
    bough::task_arena arena(1, 1, bough::task_arena::priority::normal, waiting::descendants);
    std::atomic<int> ran{0};
    arena.execute([&] {
        bough::task_group first, second;
        first.run([&] { ++ran; });
        bough::this_task_arena::isolate([&] { second.run([&] { ++ran; }); });
        second.wait();
        EXPECT_EQ(ran.load(), 1) << "the first group's task does not descend from the second";
        first.wait();
        EXPECT_EQ(ran.load(), 2);
    });
}

TEST(api_descendants_waits, any_runs_what_comes_first) {
    bough::task_arena arena(1, 1, bough::task_arena::priority::normal, waiting::any);
    std::atomic<int> ran{0};
    arena.execute([&] {
        bough::task_group first, second;
        second.run([&] { ++ran; });
        first.run([&] { ++ran; });
        second.wait();
        EXPECT_EQ(ran.load(), 2) << "the newest task first, whoever's";
        first.wait();
    });
}

TEST(api_descendants_waits, with_an_exception) {
    bough::task_arena arena(bough::task_arena::automatic, 1, bough::task_arena::priority::normal,
                            waiting::descendants);
    for (int round = 0; round < 20; ++round) {
        EXPECT_THROW(arena.execute([] {
            bough::parallel_for(0, 100, [](int i) {
                bough::parallel_for(0, 10, [&](int k) {
                    if (i == 50 && k == 5)
                        throw std::runtime_error("body");
                });
            });
        }),
                     std::runtime_error);
    }
}

TEST(api_descendants_waits, copies_of_an_arena_wait_alike) {
    bough::task_arena arena(1, 1, bough::task_arena::priority::normal, waiting::descendants);
    bough::task_arena copy(arena);
    std::atomic<int> ran{0};
    copy.execute([&] {
        bough::task_group first, second;
        second.run([&] { ++ran; });
        first.run([&] { ++ran; });
        second.wait();
        EXPECT_EQ(ran.load(), 1);
        first.wait();
    });
}

// The caller of a loop has run all its pieces, and a task of its own which one of them has left is what another waits
// for.
TEST(api_descendants_waits, a_caller_runs_tasks_that_its_loop_has_left_with_it) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    bough::task_arena arena(2, 1, bough::task_arena::priority::normal, waiting::descendants);
    std::unique_ptr<bough::task_group> left;
    std::atomic<bool> begun{false}, ran{false}, in_time{true};
    const auto comes = [](const std::atomic<bool>& flag) {
        return bough_test::comes_true([&] { return flag.load(); });
    };
    arena.execute([&] {
        bough::parallel_for(
            0, 2,
            [&](int i) {
                if (i == 1) {
                    begun = true;
                    in_time = comes(ran);
                    left->wait();
                    left.reset();
                } else if (comes(begun)) {
                    left = std::make_unique<bough::task_group>();
                    left->run([&] { ran = true; });
                }
            },
            bough::static_partitioner());
    });
    EXPECT_TRUE(in_time);
}

}  // namespace
