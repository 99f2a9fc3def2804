// tbb::task_arena::execute, this_task_arena::isolate and the thread's place in an arena.
#include "support.h"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <cfenv>

using namespace conformance;
using tbb::task_arena;
namespace here = tbb::this_task_arena;

namespace {

// Counts its living objects, and cannot be made from nothing.
struct counted {
    counted(int v, int& alive) : value(v), alive_(&alive) { ++*alive_; }
    counted(counted&& other) noexcept : value(other.value), alive_(other.alive_) { ++*alive_; }
    counted(const counted&) = delete;
    ~counted() { --*alive_; }
    int value;
    int* alive_;
};

// execute and isolate have the same contract for what they call and what they return.
template <typename Call>
void expect_passes_values(const Call& call) {
    EXPECT_EQ(call([] { return 42; }), 42);
    EXPECT_EQ(*call([] { return std::make_unique<int>(7); }), 7);
    EXPECT_EQ(call([] { return std::string(1000, 'x'); }).size(), 1000u);
    int alive = 0;
    EXPECT_EQ(call([&] { return counted(3, alive); }).value, 3);
    EXPECT_EQ(alive, 0);
    int target = 0;
    *call([&] { return &target; }) = 5;
    EXPECT_EQ(target, 5);
    call([&] { return std::ref(target); }).get() = 6;
    EXPECT_EQ(target, 6);
    const auto nothing = [] {};
    static_assert(std::is_void_v<decltype(call(nothing))>);
    auto mutable_function = [n = 0]() mutable { return ++n; };
    EXPECT_EQ(call(mutable_function), 1);
    EXPECT_EQ(call(mutable_function), 2) << "the function is not copied";
    const auto const_function = [p = std::make_unique<int>(8)] { return *p; };
    EXPECT_EQ(call(const_function), 8);
}

template <typename Call>
void expect_passes_exceptions(const Call& call) {
    EXPECT_EQ(number_thrown_by([&] { call([] { throw test_error(1); }); }), 1);
    EXPECT_EQ(number_thrown_by([&] { call([]() -> int { throw test_error(2); }); }), 2);
    EXPECT_EQ(
        number_thrown_by([&] { call([] { tbb::parallel_for(0, 100, [](int) { throw test_error(3); }); }); }),
        3);
    EXPECT_THROW(call([] { throw 4; }), int);
    EXPECT_EQ(call([] { return 5; }), 5);
}

TEST(task_arena_execute, values_and_exceptions) {
    for (int slots : {1, 2, 8}) {
        task_arena arena(slots);
        const auto call = [&](auto&& f) { return arena.execute(std::forward<decltype(f)>(f)); };
        expect_passes_values(call);
        expect_passes_exceptions(call);
    }
}

TEST(isolate, values_and_exceptions) {
    for_widths([] {
        const auto call = [](auto&& f) { return here::isolate(std::forward<decltype(f)>(f)); };
        expect_passes_values(call);
        expect_passes_exceptions(call);
    });
}

TEST(task_arena_execute, in_the_calling_thread_where_there_is_a_slot) {
    for (int slots : {1, 2, 8}) {
        task_arena arena(slots);
        for (int i = 0; i < 100; ++i)
            EXPECT_EQ(arena.execute([] { return std::this_thread::get_id(); }), std::this_thread::get_id());
    }
}

TEST(task_arena_execute, nested_in_the_same_arena) {
    task_arena arena(2);
    arena.execute([&] {
        const int index = here::current_thread_index();
        const auto thread = std::this_thread::get_id();
        arena.execute([&] {
            EXPECT_EQ(here::current_thread_index(), index);
            EXPECT_EQ(std::this_thread::get_id(), thread);
        });
    });
}

TEST(task_arena_execute, nested_in_other_arenas_and_back) {
    task_arena a(2), b(3), c(4);
    a.execute([&] {
        EXPECT_EQ(here::max_concurrency(), 2);
        b.execute([&] {
            EXPECT_EQ(here::max_concurrency(), 3);
            c.execute([&] { EXPECT_EQ(here::max_concurrency(), 4); });
            EXPECT_EQ(number_thrown_by([&] { c.execute([] { throw test_error(1); }); }), 1);
            EXPECT_EQ(here::max_concurrency(), 3);
        });
        EXPECT_EQ(here::max_concurrency(), 2);
    });
}

TEST(task_arena_execute, from_inside_loops) {
    for_widths([] {
        task_arena inner(2);
        std::atomic<int> count{0};
        tbb::parallel_for(0, 50, [&](int) {
            const int outside = here::current_thread_index();
            inner.execute([&] {
                EXPECT_EQ(here::max_concurrency(), 2);
                tbb::parallel_for(0, 10, [&](int) { ++count; });
            });
            EXPECT_EQ(here::current_thread_index(), outside);
        });
        EXPECT_EQ(count, 500);
    });
}

TEST(task_arena_execute, more_threads_than_slots) {
    for (int slots : {1, 2, 3}) {
        task_arena arena(slots);
        occupancy threads;
        std::atomic<int> count{0};
        run_threads(8, [&](int) {
            for (int i = 0; i < 50; ++i) {
                arena.execute([&] {
                    threads.enter();
                    EXPECT_LE(here::max_concurrency(), std::max(slots, 2));
                    ++count;
                    threads.leave();
                });
            }
        });
        EXPECT_EQ(count, 400);
        // Work that could not be done in the calling thread is enqueued; for that even one slot may get a worker.
        EXPECT_LE(threads.most(), std::max(slots, 2));
    }
}

TEST(task_arena_execute, more_threads_than_slots_each_gets_its_own_result) {
    for (int slots : {1, 2}) {
        task_arena arena(slots);
        run_threads(8, [&](int thread) {
            for (int i = 0; i < 50; ++i) {
                EXPECT_EQ(*arena.execute([&] { return std::make_unique<int>(thread * 100 + i); }),
                          thread * 100 + i);
                EXPECT_EQ(
                    number_thrown_by([&] { arena.execute([&] { throw test_error(thread * 100 + i); }); }),
                    thread * 100 + i);
            }
        });
    }
}

TEST(task_arena_execute, whoever_has_the_only_slot_may_wait_for_a_visitor) {
    task_arena arena(1);
    std::atomic<bool> entered{false}, ran{false};
    std::thread visitor([&] {
        while (!entered)
            std::this_thread::yield();
        arena.execute([&] { ran = true; });
    });
    arena.execute([&] {
        entered = true;
        for (int ms = 0; ms < 30000 && !ran; ++ms)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_TRUE(ran);
    });
    visitor.join();
}

TEST(task_arena_execute, more_threads_than_slots_with_loops) {
    for (int slots : {1, 2}) {
        task_arena arena(slots);
        std::atomic<int> count{0};
        run_threads(6, [&](int) {
            for (int i = 0; i < 10; ++i)
                arena.execute([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); });
        });
        EXPECT_EQ(count, 6000);
    }
}

TEST(current_thread_index, outside_of_every_arena) {
    std::thread([] { EXPECT_EQ(here::current_thread_index(), task_arena::not_initialized); }).join();
}

TEST(current_thread_index, names_a_slot) {
    for (int slots : {1, 2, 5}) {
        tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
        task_arena arena(slots);
        arena.execute([&] {
            tbb::parallel_for(0, 300, [&](int) {
                EXPECT_GE(here::current_thread_index(), 0);
                EXPECT_LT(here::current_thread_index(), slots);
            });
        });
    }
}

TEST(current_thread_index, is_one_threads_at_a_time) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    task_arena arena(6, 2);
    std::atomic<bool> taken[6] = {};
    run_threads(3, [&](int) {
        for (int round = 0; round < 20; ++round) {
            arena.execute([&] {
                tbb::parallel_for(0, 100, [&](int) {
                    auto& mine = taken[here::current_thread_index()];
                    EXPECT_FALSE(mine.exchange(true));
                    mine = false;
                });
            });
        }
    });
}

TEST(current_thread_index, does_not_change_inside_a_body) {
    for_widths([] {
        tbb::parallel_for(0, 50, [](int) {
            const int index = here::current_thread_index();
            tbb::parallel_for(0, 50, [](int) {});
            EXPECT_EQ(here::current_thread_index(), index);
        });
    });
}

TEST(this_task_arena, max_concurrency_of_a_plain_thread) {
    std::thread([] { EXPECT_EQ(here::max_concurrency(), tbb::info::default_concurrency()); }).join();
}

TEST(isolate, a_waiting_thread_takes_no_outer_iterations) {
    for_widths([] {
        static thread_local bool isolated;
        std::atomic<int> count{0};
        tbb::parallel_for(0, 100, [&](int) {
            EXPECT_FALSE(isolated);
            isolated = true;
            here::isolate([&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); });
            isolated = false;
        });
        EXPECT_EQ(count, 10000);
    });
}

TEST(isolate, a_waiting_thread_takes_no_outer_tasks_of_a_group) {
    for_widths([] {
        static thread_local bool isolated;
        tbb::task_group outer, inner;
        std::atomic<int> ran{0};
        tbb::task_handle last = inner.defer([&] { ++ran; });
        for (int i = 0; i < 20; ++i) {
            outer.run([&] {
                EXPECT_FALSE(isolated);
                ++ran;
            });
        }
        // While another thread dawdles, this one finds nothing in its queue but the outer tasks.
        std::thread other([&] {
            for (int i = 0; i < 20; ++i)
                std::this_thread::yield();
            inner.run_and_wait(std::move(last));
        });
        isolated = true;
        here::isolate([&] { EXPECT_EQ(inner.wait(), tbb::complete); });
        isolated = false;
        other.join();
        EXPECT_EQ(outer.wait(), tbb::complete);
        EXPECT_EQ(ran, 21);
    });
}

// ---- floating-point settings: those that the thread had when it initialized the arena ----

class rounding {
public:
    explicit rounding(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
    ~rounding() { std::fesetround(before_); }

private:
    int before_;
};

constexpr int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO, FE_TONEAREST};

std::unique_ptr<task_arena> arena_made_with(int mode) {
    const rounding change(mode);
    auto arena = std::make_unique<task_arena>(4);
    arena->initialize();
    return arena;
}

void expect_rounding(int mode) {
    EXPECT_EQ(std::fegetround(), mode);
    tbb::parallel_for(0, 20, [mode](int) { EXPECT_EQ(std::fegetround(), mode); }, tbb::simple_partitioner());
    EXPECT_EQ(std::fegetround(), mode);
}

TEST(arena_fp_settings, reach_what_is_executed_and_enqueued) {
    for (int arenas : modes) {
        const auto arena = arena_made_with(arenas);
        for (int threads : modes) {
            const rounding change(threads);
            arena->execute([=] { expect_rounding(arenas); });
            EXPECT_EQ(std::fegetround(), threads) << "the caller keeps its own";
            EXPECT_EQ(number_thrown_by([&] { arena->execute([] { throw test_error(1); }); }), 1);
            EXPECT_EQ(std::fegetround(), threads);
        }
        std::atomic<int> seen{-1};
        arena->enqueue([&] { seen = std::fegetround(); });
        spin_until([&] { return seen != -1; });
        EXPECT_EQ(seen, arenas);
    }
}

TEST(arena_fp_settings, are_captured_anew_by_each_initialization) {
    task_arena arena(2);
    for (int mode : modes) {
        {
            const rounding change(mode);
            arena.execute([=] { expect_rounding(mode); });  // initializes it
        }
        const rounding change(FE_UPWARD);
        arena.execute([=] { expect_rounding(mode); });
        arena.terminate();
    }
}

TEST(arena_fp_settings, of_the_innermost_arena_win) {
    const auto up = arena_made_with(FE_UPWARD), down = arena_made_with(FE_DOWNWARD);
    tbb::task_group_context to_zero(tbb::task_group_context::isolated);
    {
        const rounding change(FE_TOWARDZERO);
        to_zero.capture_fp_settings();
    }
    const auto visit_both = [&] {
        up->execute([&] {
            expect_rounding(FE_UPWARD);
            down->execute([&] {
                expect_rounding(FE_DOWNWARD);
                up->execute([] { expect_rounding(FE_UPWARD); });
                EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
            });
            EXPECT_EQ(std::fegetround(), FE_UPWARD);
        });
    };
    visit_both();
    tbb::parallel_for(
        0, 4,
        [&](int) {
            visit_both();
            EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
        },
        to_zero);
    up->execute([&] {
        tbb::parallel_for(
            0, 4,
            [&](int) {
                EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
                up->execute([] { expect_rounding(FE_UPWARD); });
                EXPECT_EQ(std::fegetround(), FE_TOWARDZERO);
            },
            to_zero);
    });
}

// The arena is full: its own threads run the function.
TEST(arena_fp_settings, reach_what_another_thread_executes) {
    const rounding made(FE_UPWARD);
    task_arena full(1);
    full.initialize();
    const rounding threads(FE_DOWNWARD);
    full.execute([&] {
        std::thread([&] { full.execute([] { EXPECT_EQ(std::fegetround(), FE_UPWARD); }); }).join();
        EXPECT_EQ(std::fegetround(), FE_UPWARD);
    });
    EXPECT_EQ(std::fegetround(), FE_DOWNWARD);
}

TEST(isolate, nested) {
    for_widths([] {
        std::atomic<int> count{0};
        here::isolate([&] {
            tbb::parallel_for(
                0, 20, [&](int) { here::isolate([&] { tbb::parallel_for(0, 20, [&](int) { ++count; }); }); });
        });
        EXPECT_EQ(count, 400);
    });
}

TEST(isolate, keeps_the_arena_and_the_slot) {
    task_arena arena(3);
    arena.execute([] {
        const int index = here::current_thread_index();
        here::isolate([index] {
            EXPECT_EQ(here::current_thread_index(), index);
            EXPECT_EQ(here::max_concurrency(), 3);
        });
    });
}

}  // namespace
