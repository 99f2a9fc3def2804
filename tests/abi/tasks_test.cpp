// The task entry points of libtbb, called as oneTBB's templates call them: with tasks of the test's own.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <stdexcept>
#include <thread>
#include <vector>

#include <oneapi/tbb/detail/_task.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "abi/library.h"

namespace {

namespace r1 = tbb::detail::r1;
namespace d1 = tbb::detail::d1;
using context = tbb::task_group_context;

// Calls its function with itself; counts down at its end, cancelled or not.
template <class Function>
struct function_task : d1::task {
    function_task(Function f, d1::wait_context& w) : function(f), unfinished(w) {}
    d1::task* execute(d1::execution_data& data) override {
        function(*this, data);
        unfinished.release();
        return nullptr;
    }
    d1::task* cancel(d1::execution_data&) override {
        cancelled = true;
        unfinished.release();
        return nullptr;
    }
    Function function;
    d1::wait_context& unfinished;
    bool cancelled = false;
};

struct tasks : testing::Test {
    context ctx;
    d1::wait_context unfinished{0};

    void wait() { r1::wait(unfinished, ctx); }
};

TEST_F(tasks, spawned_run_once_before_wait_returns) {
    constexpr int count = 200;
    std::vector<int> runs(count);
    const auto body = [&runs](int i) {
        return [&runs, i](d1::task&, d1::execution_data&) { ++runs[static_cast<std::size_t>(i)]; };
    };
    using one = function_task<decltype(body(0))>;
    std::vector<one> all;
    all.reserve(count);
    for (int i = 0; i < count; ++i)
        all.emplace_back(body(i), unfinished);
    unfinished.reserve(count);
    for (one& t : all)
        r1::spawn(t, ctx);
    wait();
    EXPECT_EQ(runs, std::vector<int>(count, 1));
}

TEST_F(tasks, of_a_context_see_it_and_themselves) {
    d1::task* seen_task = nullptr;
    context *seen_context = nullptr, *from_data = nullptr;
    function_task t(
        [&](d1::task&, d1::execution_data& data) {
            seen_task = r1::current_task_ptr();
            seen_context = r1::current_context();
            from_data = data.context;
        },
        unfinished);
    EXPECT_EQ(r1::current_task_ptr(), nullptr);
    EXPECT_EQ(r1::current_context(), nullptr);
    unfinished.reserve();
    r1::execute_and_wait(t, ctx, unfinished, ctx);
    EXPECT_EQ(seen_task, &t);
    EXPECT_EQ(seen_context, &ctx);
    EXPECT_EQ(from_data, &ctx);
    EXPECT_EQ(r1::current_task_ptr(), nullptr);
}

TEST_F(tasks, know_their_slot) {
    tbb::task_arena arena(2);
    int index = -1;
    d1::slot_id from_data = d1::no_slot, original = d1::no_slot;
    function_task t(
        [&](d1::task&, d1::execution_data& data) {
            index = tbb::this_task_arena::current_thread_index();
            from_data = r1::execution_slot(&data);
            original = data.original_slot;
        },
        unfinished);
    unfinished.reserve();
    int callers = -1;
    arena.execute([&] {
        callers = tbb::this_task_arena::current_thread_index();
        r1::execute_and_wait(t, ctx, unfinished, ctx);
    });
    EXPECT_GE(index, 0);
    EXPECT_EQ(static_cast<int>(from_data), index);
    EXPECT_EQ(static_cast<int>(original), callers);
}

// A slot is a wish: nobody else being there, the task still runs, and is told what was wished.
TEST_F(tasks, sent_to_a_slot_run) {
    tbb::task_arena arena(2);
    for (const d1::slot_id slot : {d1::slot_id(0), d1::slot_id(1), d1::any_slot, d1::no_slot}) {
        std::atomic<int> ran{0};
        function_task t([&](d1::task&, d1::execution_data&) { ran.fetch_add(1); }, unfinished);
        unfinished.reserve();
        arena.execute([&] {
            r1::spawn(t, ctx, slot);
            wait();
        });
        EXPECT_EQ(ran.load(), 1) << slot;
    }
}

TEST_F(tasks, of_a_cancelled_context_are_cancelled) {
    bool ran = false;
    function_task t([&](d1::task&, d1::execution_data&) { ran = true; }, unfinished);
    ASSERT_TRUE(r1::cancel_group_execution(ctx));
    unfinished.reserve();
    r1::spawn(t, ctx);
    wait();
    EXPECT_TRUE(t.cancelled);
    EXPECT_FALSE(ran);
}

TEST_F(tasks, that_throw_reach_the_waiter) {
    const auto body = [](d1::task&, d1::execution_data&) { throw std::runtime_error("from a task"); };
    struct throwing : function_task<decltype(body)> {
        using function_task::function_task;
        d1::task* execute(d1::execution_data& data) override {
            try {
                function(*this, data);
            } catch (...) {
                unfinished.release();
                throw;
            }
            return nullptr;
        }
        d1::task* cancel(d1::execution_data&) override { return nullptr; }
    } t(body, unfinished);
    unfinished.reserve();
    EXPECT_THROW(r1::execute_and_wait(t, ctx, unfinished, ctx), std::runtime_error);
    EXPECT_TRUE(r1::is_group_execution_cancelled(ctx));
    r1::reset(ctx);
    EXPECT_FALSE(r1::is_group_execution_cancelled(ctx));
}

// What a group counts by: a count taken through the thread's own vertex keeps the group's waiter.
TEST_F(tasks, counted_by_a_threads_vertex) {
    d1::wait_context_vertex top;
    std::atomic<bool> ran{false};
    struct counted : d1::task {
        d1::wait_tree_vertex_interface* vertex = nullptr;
        std::atomic<bool>& ran;
        explicit counted(std::atomic<bool>& r) : ran(r) {}
        d1::task* execute(d1::execution_data&) override {
            ran.store(true);
            vertex->release();
            return nullptr;
        }
        d1::task* cancel(d1::execution_data& data) override { return execute(data); }
    } t(ran);
    tbb::task_arena(2).execute([&] {
        t.vertex = r1::get_thread_reference_vertex(&top);
        ASSERT_NE(t.vertex, nullptr);
        t.vertex->reserve();
        r1::spawn(t, ctx);
        r1::wait(top.get_context(), ctx);
        EXPECT_TRUE(ran.load());
    });
}

struct open_arena : tbb::task_arena {
    using tbb::task_arena::task_arena;
    r1::arena* native() { return my_arena.load(); }
};

TEST_F(tasks, submitted_to_an_arena_run_there) {
    open_arena arena(3);
    arena.initialize();
    for (const std::uintptr_t as_critical : {0u, 1u}) {
        std::atomic<int> limit{0};
        function_task t(
            [&](d1::task&, d1::execution_data&) { limit.store(tbb::this_task_arena::max_concurrency()); },
            unfinished);
        unfinished.reserve();
        r1::submit(t, ctx, arena.native(), as_critical);
        arena.execute([&] { wait(); });
        EXPECT_EQ(limit.load(), 3);
    }
}

// An object that lies in a stream, or runs, may be submitted again, from several threads: it runs as often.
TEST_F(tasks, submitted_again_before_they_ran_run_as_often) {
    open_arena arena(3);
    arena.initialize();
    constexpr int times = 100;
    for (const std::uintptr_t as_critical : {0u, 1u}) {
        std::atomic<int> runs{0};
        function_task t([&](d1::task&, d1::execution_data&) { ++runs; }, unfinished);
        function_task other([&](d1::task&, d1::execution_data&) { ++runs; }, unfinished);
        const auto submit = [&] {
            for (int i = 0; i < times; ++i) {
                r1::submit(t, ctx, arena.native(), as_critical);
                r1::submit(other, ctx, arena.native(), as_critical);
            }
        };
        unfinished.reserve(4 * times);
        std::thread second(submit);
        submit();
        second.join();
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
        arena.execute([&] {  // no wait, which would not end
            while (runs != 4 * times && std::chrono::steady_clock::now() < end) {
                d1::wait_context here{1};
                function_task own([](d1::task&, d1::execution_data&) {}, here);
                r1::spawn(own, ctx);
                r1::wait(here, ctx);
            }
        });
        ASSERT_EQ(runs.load(), 4 * times) << "as critical ones: " << as_critical;
        wait();
    }
}

// They do not interrupt each other, however many there are: else they nest until the stack is used.
TEST_F(tasks, critical_ones_with_loops_in_them_do_not_nest) {
    open_arena arena(4);
    arena.initialize();
    constexpr int count = 20000;
    std::atomic<int> runs{0}, failures{0};
    const auto body = [&](d1::task&, d1::execution_data&) {
        try {
            tbb::parallel_for(0, 16, [](int) {});
        } catch (...) {
            ++failures;
        }
        ++runs;
    };
    std::deque<function_task<decltype(body)>> all;
    for (int i = 0; i < count; ++i)
        all.emplace_back(body, unfinished);
    unfinished.reserve(count);
    for (auto& t : all)
        r1::submit(t, ctx, arena.native(), 1);
    arena.execute([&] { wait(); });
    EXPECT_EQ(failures, 0);
    EXPECT_EQ(runs, count);
}

// With nothing else to do a wait inside a critical task takes another one, which may be what it waits for.
TEST_F(tasks, a_critical_one_may_wait_for_another) {
    if (is_onetbb())
        GTEST_SKIP() << "with one thread it waits for ever";
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
    open_arena arena(2);
    arena.initialize();
    d1::wait_context inner_unfinished{1};
    function_task inner([](d1::task&, d1::execution_data&) {}, inner_unfinished);
    function_task outer(
        [&](d1::task&, d1::execution_data&) {
            r1::submit(inner, ctx, arena.native(), 1);
            r1::wait(inner_unfinished, ctx);
        },
        unfinished);
    unfinished.reserve();
    r1::submit(outer, ctx, arena.native(), 1);
    arena.execute([&] { wait(); });
}

// By the worker that came for what was enqueued: nobody else does, and nobody waits.
TEST_F(tasks, critical_ones_of_an_enqueued_one_run_whatever_the_limit) {
    for (const std::size_t threads : {1u, 4u})
        for (const int slots : {1, 3}) {
            const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
            open_arena arena(slots);
            arena.initialize();
            std::atomic<bool> ran{false};
            function_task critical([&](d1::task&, d1::execution_data&) { ran = true; }, unfinished);
            unfinished.reserve();
            arena.enqueue([&] { r1::submit(critical, ctx, arena.native(), 1); });
            const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
            while (!ran && std::chrono::steady_clock::now() < end)
                std::this_thread::yield();
            EXPECT_TRUE(ran) << "nobody ran it; " << threads << " threads, an arena of " << slots;
            arena.execute([&] { wait(); });
        }
}

TEST_F(tasks, enqueued_run_without_a_wait) {
    open_arena arena(2);
    arena.initialize();
    for (const bool with_context : {false, true}) {
        std::atomic<bool> done{false};
        std::atomic<context*> seen{nullptr};
        function_task t(
            [&](d1::task&, d1::execution_data& data) {
                seen.store(data.context);
                done.store(true);
            },
            unfinished);
        unfinished.reserve();
        if (with_context)
            r1::enqueue(t, ctx, &arena);
        else
            r1::enqueue(t, &arena);
        while (!done.load())
            std::this_thread::yield();
        EXPECT_EQ(seen.load() == &ctx, with_context);
        arena.execute([&] { wait(); });
    }
}

}  // namespace
