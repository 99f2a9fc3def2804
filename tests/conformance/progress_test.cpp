// Work that needs another thread gets it, whatever that thread is doing; and what a thread computes with, executes and
// is cancelled by stays its own. Each case once failed on bough. A wait for another thread ends after a while, so that
// a failure is one, and no hang.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <cfenv>
#include <chrono>

#include "../support/patience.h"

using namespace conformance;
using bough_test::comes_true;

namespace {

using limit = tbb::global_control;
constexpr auto threads_allowed = limit::max_allowed_parallelism;

// A context that computes with another rounding mode.
std::unique_ptr<tbb::task_group_context> rounding_upward() {
    const int before = std::fegetround();
    std::fesetround(FE_UPWARD);
    auto context = std::make_unique<tbb::task_group_context>(tbb::task_group_context::isolated);
    context->capture_fp_settings();
    std::fesetround(before);
    return context;
}

}  // namespace

TEST(progress, an_enqueued_task_waits_for_the_next) {
    for (const std::size_t threads : {3, 4, 8}) {
        const limit allowed(threads_allowed, threads);
        tbb::task_arena arena(4, 1);
        std::atomic<bool> first{false}, second{false}, met{false}, done{false};
        arena.enqueue([&] {
            first = true;
            met = comes_true([&] { return second.load(); });
            done = true;
        });
        EXPECT_TRUE(comes_true([&] { return first.load(); }));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        arena.enqueue([&] { second = true; });
        EXPECT_TRUE(comes_true([&] { return done.load(); }));
        EXPECT_TRUE(met);
        EXPECT_TRUE(comes_true([&] { return second.load(); }));
    }
}

TEST(progress, an_observers_entry_waits_for_the_next_worker) {
    struct pairing : tbb::task_scheduler_observer {
        std::atomic<int> entered{0}, met{0};
        explicit pairing(tbb::task_arena& a) : task_scheduler_observer(a) {}
        void on_scheduler_entry(bool) override {
            ++entered;
            met += comes_true([&] { return entered >= 2; });
        }
    };
    const limit allowed(threads_allowed, 4);
    tbb::task_arena arena(4, 1);
    std::atomic<int> ran{0};
    arena.enqueue([&] { ++ran; });
    EXPECT_TRUE(comes_true([&] { return ran == 1; }));
    pairing observer(arena);
    observer.observe(true);
    arena.enqueue([&] { ++ran; });
    EXPECT_TRUE(comes_true([&] { return observer.entered >= 1; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    arena.enqueue([&] { ++ran; });
    EXPECT_TRUE(comes_true([&] { return ran == 3; }));
    EXPECT_TRUE(comes_true([&] { return observer.met >= 2; }));
    observer.observe(false);
}

TEST(progress, a_worker_that_is_slow_to_leave_the_only_slot) {
    struct slow : tbb::task_scheduler_observer {
        explicit slow(tbb::task_arena& a) : task_scheduler_observer(a) {}
        void on_scheduler_exit(bool) override { std::this_thread::sleep_for(std::chrono::microseconds(500)); }
    };
    const limit allowed(threads_allowed, 4);
    tbb::task_arena arena(1, 1);
    arena.initialize();
    slow observer(arena);
    observer.observe(true);
    std::atomic<int> ran{0};
    for (int i = 1; i <= 100; ++i) {
        arena.enqueue([&] { ++ran; });
        ASSERT_TRUE(comes_true([&] { return ran == i; })) << "lost after " << i;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    observer.observe(false);
}

TEST(progress, back_in_an_arena_of_one_slot_from_another) {
    const limit allowed(threads_allowed, 2);
    tbb::task_arena outer(1), inner(1), workers(2);
    std::atomic<int> inside{0};
    std::atomic<bool> back{false};
    // Whoever else there is waits until the one that visits is back.
    workers.execute([&] {
        tbb::parallel_for(
            0, 2,
            [&](int) {
                if (inside++ == 0)
                    outer.execute([&] { inner.execute([&] { outer.execute([&] { back = true; }); }); });
                else
                    EXPECT_TRUE(comes_true([&] { return back.load(); }));
            },
            tbb::simple_partitioner());
    });
    EXPECT_TRUE(back);
}

TEST(own_state, fp_settings_of_a_fresh_stack) {
    tbb::task_arena arena(1);
    arena.initialize();
    const auto upward = rounding_upward();
    tbb::task_group_context plain(tbb::task_group_context::isolated);
    tbb::task_group with(*upward), without(plain);
    std::atomic<tbb::task::suspend_point> point{nullptr};
    std::atomic<int> seen{-1};
    std::thread resumer([&] {
        EXPECT_TRUE(comes_true([&] { return seen != -1 && point.load() != nullptr; }));
        tbb::task::resume(point);
    });
    arena.execute([&] {
        without.run([&] { seen = std::fegetround(); });
        with.run([&] { tbb::task::suspend([&](tbb::task::suspend_point p) { point = p; }); });
        with.wait();
        without.wait();
    });
    resumer.join();
    EXPECT_EQ(seen, FE_TONEAREST);
}

TEST(own_state, fp_settings_of_the_pieces_of_a_loop) {
    const auto in_loop = [] {
        std::atomic<int> upward{0};
        tbb::parallel_for(0, 200, [&](int) {
            upward += std::fegetround() == FE_UPWARD;
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        });
        return upward.load();
    };
    EXPECT_EQ(in_loop(), 0);
    std::fesetround(FE_UPWARD);
    EXPECT_EQ(in_loop(), 0) << "a loop computes as the arena does";
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
    std::fesetround(FE_TONEAREST);
    const auto upward = rounding_upward();
    tbb::task_group group(*upward);
    tbb::task_arena other(2);
    other.initialize();  // here, so it computes as usual
    group.run_and_wait([&] {
        EXPECT_EQ(in_loop(), 200);
        EXPECT_EQ(other.execute(in_loop), 0) << "a visit to another arena";
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
    });
}

TEST(own_state, a_group_that_is_first_asked_for_after_the_loop_was_stopped) {
    const limit allowed(threads_allowed, 2);
    std::atomic<bool> began{false}, thrown{false}, ran{false};
    bool cancelling = false;
    EXPECT_EQ(number_thrown_by([&] {
                  tbb::task_arena(2).execute([&] {
                      tbb::parallel_for(
                          0, 2,
                          [&](int i) {
                              if (i == 1) {
                                  began = true;
                                  if (!comes_true([&] { return thrown.load(); }))
                                      return;
                                  cancelling =
                                      comes_true([] { return tbb::is_current_task_group_canceling(); });
                                  tbb::task_group nested;
                                  nested.run([&] { ran = true; });
                                  nested.wait();
                                  return;
                              }
                              EXPECT_TRUE(comes_true([&] { return began.load(); }));
                              thrown = true;
                              throw test_error(7);
                          },
                          tbb::simple_partitioner());
                  });
              }),
              7);
    EXPECT_TRUE(cancelling);
    EXPECT_FALSE(ran);
}
