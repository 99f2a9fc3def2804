// Recursion without an end through oneTBB's own classes: an error as of any body.

#include <tbb/tbb.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <bough/bough.h>
#include <gtest/gtest.h>

#include "support/small_stack.h"
#include "unit/blocking_bodies.h"

namespace {

void group_for_ever() {
    tbb::task_group g;
    g.run([] { group_for_ever(); });
    g.wait();
}

void pipeline_for_ever() {
    int made = 0;
    const auto make = [&](tbb::flow_control& control) {
        if (made == 2)
            control.stop();
        return made++;
    };
    tbb::parallel_pipeline(
        2, tbb::make_filter<void, int>(tbb::filter_mode::serial_in_order, make) &
               tbb::make_filter<int, void>(tbb::filter_mode::parallel, [](int) { pipeline_for_ever(); }));
}

void arena_for_ever() {
    tbb::task_arena arena(2);
    arena.execute([] { arena_for_ever(); });
}

template <void (*recursion)()>
void ends_in_an_error() {
    bough_test::on_small_stack([] {
        EXPECT_THROW(recursion(), bough::nesting_too_deep);
        std::atomic<int> sum{0};
        tbb::parallel_for(0, 100, [&](int i) { sum += i; });
        EXPECT_EQ(sum, 4950);
    });
}

// The waiting thread steals tasks that wait for the same, up to half of its small stack. All would need twice the
// stack, and the calls of each need an eighth.
constexpr int thieves_tasks = 256;
std::atomic<int> stolen, ran;
std::thread::id spawner;

[[gnu::noinline]] void call_deeply(int levels) {
    [[maybe_unused]] volatile char frame[8192];
    frame[0] = 1;
    frame[8191] = 1;
    if (levels != 0)
        tbb::parallel_for(0, 1, [=](int) { call_deeply(levels - 1); });
    frame[1] = 2;  // no tail call
}

[[gnu::noinline]] void wait_deeply(tbb::task_group& late) {
    [[maybe_unused]] volatile char frame[4096];
    frame[0] = 1;
    frame[4095] = 1;
    late.wait();
    frame[1] = 2;  // no tail call
}

void spawn_and_wait_until_stolen(tbb::task_group& late, tbb::task_group& tasks) {
    spawner = std::this_thread::get_id();
    for (int i = 0; i < thieves_tasks; ++i)
        tasks.run([&late] {
            ++ran;
            if (std::this_thread::get_id() == spawner)
                return;
            ++stolen;
            call_deeply(8);
            wait_deeply(late);
        });
    int before = -1;
    for (int quiet = 0; stolen != thieves_tasks && quiet < 20; ++quiet) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (const int now = stolen; now != before) {
            before = now;
            quiet = 0;
        }
    }
}

TEST(deep, stealing_ends_at_half_of_the_stack) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the owner waits until its tasks are stolen");
    if (tbb::this_task_arena::max_concurrency() < 2)
        GTEST_SKIP() << "needs two threads";
    bough_test::on_small_stack([] {
        stolen = ran = 0;
        tbb::task_group late, tasks;
        std::atomic<bool> begun{false};
        late.run([&] {
            begun = true;
            spawn_and_wait_until_stolen(late, tasks);
        });
        while (!begun)
            std::this_thread::yield();
        EXPECT_NO_THROW(late.wait());
        EXPECT_NO_THROW(tasks.wait());
        EXPECT_EQ(ran.load(), thieves_tasks);
    });
}

TEST(deep, task_group) {
    ends_in_an_error<group_for_ever>();
}
TEST(deep, parallel_pipeline) {
    ends_in_an_error<pipeline_for_ever>();
}
TEST(deep, task_arena) {
    ends_in_an_error<arena_for_ever>();
}

}  // namespace
