// Entry points of arenas, observers, controls, resumable tasks, and the version: those that templates call, and those
// that only programs built with other headers call.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <thread>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_rw_mutex.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>
#include <oneapi/tbb/version.h>

#include "abi/library.h"

// Not declared by the pinned headers; older ones call it.
namespace tbb::detail::r1 {
void construct(d1::queuing_rw_mutex&);
}

namespace {

namespace r1 = tbb::detail::r1;
namespace d1 = tbb::detail::d1;
using control = tbb::global_control;

struct open_arena : tbb::task_arena {
    using tbb::task_arena::task_arena;
    r1::arena* native() { return my_arena.load(); }
};

TEST(arenas, attach_shares_the_arena_of_the_thread) {
    open_arena outer(3);
    outer.execute([&] {
        open_arena attached{tbb::attach()};
        EXPECT_TRUE(attached.is_active());
        EXPECT_EQ(attached.native(), outer.native());
        EXPECT_EQ(attached.max_concurrency(), 3);
    });
    std::thread([] {
        open_arena nowhere;
        EXPECT_FALSE(r1::attach(nowhere));
        EXPECT_EQ(nowhere.native(), nullptr);
    }).join();
}

TEST(arenas, wait_until_their_work_is_done) {
    tbb::task_arena arena(2);
    std::atomic<int> done{0};
    for (int i = 0; i < 100; ++i)
        arena.enqueue([&done] { done.fetch_add(1); });
    r1::wait(arena);
    EXPECT_EQ(done.load(), 100);
}

TEST(arenas, execution_slot_is_that_of_the_thread_in_the_arena) {
    tbb::task_arena arena(2), other(2);
    arena.initialize();
    EXPECT_EQ(r1::execution_slot(arena), d1::slot_id(-1));
    arena.execute([&] {
        EXPECT_EQ(static_cast<int>(r1::execution_slot(arena)), tbb::this_task_arena::current_thread_index());
        other.initialize();
        EXPECT_EQ(r1::execution_slot(other), d1::slot_id(-1));
    });
}

// While the isolated region waits, the thread takes no task from outside.
TEST(arenas, isolated_regions_take_nothing_else) {
    for (const std::intptr_t tag : {std::intptr_t{0}, std::intptr_t{77}}) {
        tbb::task_arena arena(1);
        arena.execute([&] {
            tbb::task_group outside;
            bool ran = false, ran_inside = false;
            outside.run([&] { ran = true; });
            const auto region = [&] {
                tbb::parallel_for(0, 8, [](int) {});
                ran_inside = ran;
                return true;
            };
            d1::delegated_function<decltype(region)> d(region);
            r1::isolate_within_arena(d, tag);
            outside.wait();
            EXPECT_FALSE(ran_inside);
            EXPECT_TRUE(ran);
        });
    }
}

// A first region leaves a task in an outer group. The second begins in the same frame, and what oneTBB takes as its tag
// has the same address: it does not run that task while it waits.
TEST(arenas, isolated_regions_are_never_the_same) {
    if (is_onetbb())
        GTEST_SKIP() << "oneTBB takes an address";
    tbb::task_arena arena(1);
    arena.execute([&] {
        tbb::task_group outer;
        tbb::task_group_context none(tbb::task_group_context::isolated);
        std::atomic<bool> ran{false};
        bool is_first = true, ran_inside = false;
        const auto region = [&] {
            if (is_first) {
                outer.run([&] { ran = true; });
                return true;
            }
            d1::wait_context until(1);
            std::thread other([&] {
                std::this_thread::sleep_for(
                    std::chrono::milliseconds(5));  // for the thread to take it, if it would
                until.release();
            });
            r1::wait(until, none);
            other.join();
            ran_inside = ran;
            return true;
        };
        d1::delegated_function<decltype(region)> d(region);
        r1::isolate_within_arena(d, 0);
        is_first = false;
        r1::isolate_within_arena(d, 0);
        outer.wait();
        EXPECT_FALSE(ran_inside);
        EXPECT_TRUE(ran);
    });
}

TEST(arenas, phases_begin_and_end) {
    tbb::task_arena arena(2);
    arena.initialize();
    for (const std::uintptr_t flags : {0u, 1u}) {
        r1::enter_parallel_phase(&arena, 0);
        std::atomic<int> done{0};
        arena.execute([&] { tbb::parallel_for(0, 50, [&](int) { done.fetch_add(1); }); });
        r1::exit_parallel_phase(&arena, flags);
        EXPECT_EQ(done.load(), 50);
    }
    r1::enter_parallel_phase(nullptr, 0);  // the thread's own arena
    r1::exit_parallel_phase(nullptr, 0);
}

// Inside one, too, a wait for the arena's work ends, though workers stay longer then.
TEST(arenas_death_test, a_wait_inside_a_phase_ends) {
    const auto check = [] {
        setenv("BOUGH_SPIN_US", "forever", 1);
        setenv("BOUGH_NUM_THREADS", "3", 1);
        tbb::task_arena arena(3);
        arena.initialize();
        r1::enter_parallel_phase(&arena, 0);
        std::atomic<int> there{0};
        for (int k = 0; k < 2; ++k)
            arena.enqueue([&there] {  // by two workers
                there.fetch_add(1);
                while (there.load() < 2)
                    std::this_thread::yield();
            });
        while (there.load() < 2)
            std::this_thread::yield();
        r1::wait(arena);
        r1::exit_parallel_phase(&arena, 0);
        return true;
    };
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(std::exit(check() ? 0 : 1), testing::ExitedWithCode(0), "");
}

// Workers that spin for ever leave all the same when the phase's end asks for it; oneTBB's leave anyway.
TEST(arenas_death_test, a_phase_that_ends_fast_sends_workers_away) {
    struct counter : tbb::task_scheduler_observer {
        std::atomic<int> came{0}, inside{0};
        explicit counter(tbb::task_arena& a) : task_scheduler_observer(a) {}
        void on_scheduler_entry(bool is_worker) override {
            came.fetch_add(is_worker);
            inside.fetch_add(is_worker);
        }
        void on_scheduler_exit(bool is_worker) override { inside.fetch_sub(is_worker); }
    };
    const auto comes = [](const auto& condition) {
        for (int ms = 0; ms < 30'000 && !condition(); ++ms)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return condition();
    };
    const auto check = [&] {
        setenv("BOUGH_SPIN_US", "forever", 1);
        setenv("BOUGH_NUM_THREADS", "2", 1);
        tbb::task_arena arena(2);
        counter workers(arena);
        workers.observe(true);
        r1::enter_parallel_phase(&arena, 0);
        arena.execute([&] {
            tbb::task_group both;
            std::atomic<int> there{0};
            both.run([&] { there.fetch_add(1); });
            comes([&] { return there.load() == 1; });
            both.wait();
        });
        const bool came = comes([&] { return workers.came.load() != 0; });
        r1::exit_parallel_phase(&arena, 1);
        const bool went = comes([&] { return workers.inside.load() == 0; });
        workers.observe(false);
        return came && went;
    };
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(std::exit(check() ? 0 : 1), testing::ExitedWithCode(0), "");
}

TEST(observers, see_their_arena) {
    struct counter : tbb::task_scheduler_observer {
        std::atomic<int> entries{0}, exits{0};
        explicit counter(tbb::task_arena& a) : task_scheduler_observer(a) {}
        void on_scheduler_entry(bool) override { entries.fetch_add(1); }
        void on_scheduler_exit(bool) override { exits.fetch_add(1); }
    };
    tbb::task_arena arena(1);
    counter c(arena);
    r1::observe(c, true);
    EXPECT_TRUE(c.is_observing());
    arena.execute([] {});
    r1::observe(c, false);
    EXPECT_FALSE(c.is_observing());
    EXPECT_EQ(c.entries.load(), 1);
    EXPECT_EQ(c.exits.load(), 1);
    arena.execute([] {});
    EXPECT_EQ(c.entries.load(), 1);
}

TEST(controls, hold_while_they_live) {
    const std::size_t before = r1::global_control_active_value(control::max_allowed_parallelism);
    {
        const control limit(control::max_allowed_parallelism, 1);
        EXPECT_EQ(r1::global_control_active_value(control::max_allowed_parallelism), 1u);
    }
    EXPECT_EQ(r1::global_control_active_value(control::max_allowed_parallelism), before);
    EXPECT_EQ(r1::global_control_active_value(control::terminate_on_exception), 0u);
    const control ends(control::terminate_on_exception, 1);
    EXPECT_EQ(r1::global_control_active_value(control::terminate_on_exception), 1u);
}

TEST(controls, a_handle_is_got_and_finalized) {
    tbb::parallel_for(0, 100, [](int) {});
    tbb::task_scheduler_handle handle;
    r1::get(handle);
    EXPECT_TRUE(static_cast<bool>(handle));
    EXPECT_TRUE(r1::finalize(handle, d1::release_nothrowing));
    tbb::task_scheduler_handle last{tbb::attach()};
    EXPECT_TRUE(tbb::finalize(last, std::nothrow));
    EXPECT_FALSE(static_cast<bool>(last));
    std::atomic<int> done{0};
    tbb::parallel_for(0, 100, [&](int) { done.fetch_add(1); });  // anew
    EXPECT_EQ(done.load(), 100);
}

TEST(contexts, capture_settings) {
    tbb::task_group_context c;
    EXPECT_EQ(c.traits() & tbb::task_group_context::fp_settings, 0u);
    r1::capture_fp_settings(c);
    EXPECT_NE(c.traits() & tbb::task_group_context::fp_settings, 0u);
}

TEST(resumable, suspend_waits_for_resume) {
    std::thread waker;
    std::atomic<bool> resumed{false};
    tbb::task_arena(2).execute([&] {
        tbb::task::suspend([&](tbb::task::suspend_point point) {
            waker = std::thread([&, point] {
                std::this_thread::sleep_for(std::chrono::milliseconds(2));
                resumed.store(true);
                tbb::task::resume(point);
            });
        });
        EXPECT_TRUE(resumed.load());
    });
    waker.join();
}

TEST(resumable, threads_have_a_suspend_point) {
    tbb::task_arena(1).execute([] {
        r1::suspend_point_type* const mine = r1::current_suspend_point();
        EXPECT_NE(mine, nullptr);
        EXPECT_EQ(r1::current_suspend_point(), mine);
    });
}

TEST(version, is_that_of_the_headers) {
    EXPECT_EQ(TBB_runtime_interface_version(), TBB_INTERFACE_VERSION);
    EXPECT_STREQ(TBB_runtime_version(), TBB_VERSION_STRING);
}

TEST(queuing_rw_mutex_of_older_headers, is_constructed) {
    tbb::queuing_rw_mutex m;
    r1::construct(m);
    tbb::queuing_rw_mutex::scoped_lock lock;
    EXPECT_TRUE(lock.try_acquire(m, true));
}

}  // namespace
