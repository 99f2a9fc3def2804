// Recursion without an end: a clear error on every way into the library, and everything works afterwards.

#include <gtest/gtest.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <bough/bough.h>

#include "support/sanitized.h"
#include "support/small_stack.h"
#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

using bough_test::on_small_stack;
using bough_test::on_stack;

namespace {

void expect_usable() {
    std::atomic<int> sum{0};
    bough::parallel_for(0, 100, [&](int i) { sum += i; });
    EXPECT_EQ(sum.load(), 4950);
}

void invoke_for_ever() {
    bough::parallel_invoke([] { invoke_for_ever(); }, [] {});
}

void loop_for_ever() {
    bough::parallel_for(0, 2, [](int i) {
        if (i == 0)
            loop_for_ever();
    });
}

void group_for_ever() {
    bough::task_group g;
    g.run([] { group_for_ever(); });
    g.wait();
}

void arena_for_ever() {
    bough::task_arena arena(2);
    arena.execute([] { arena_for_ever(); });
}

void pipeline_for_ever() {
    int made = 0;
    const auto make = [&](bough::flow_control& control) {
        if (made == 2)
            control.stop();
        return made++;
    };
    bough::parallel_pipeline(
        2, bough::make_filter<void, int>(bough::filter_mode::serial_in_order, make) &
               bough::make_filter<int, void>(bough::filter_mode::parallel, [](int) { pipeline_for_ever(); }));
}

// With a function of the user's that takes so much of the stack at each level.
template <std::size_t Bytes, class Recurse>
[[gnu::noinline]] void in_frame(Recurse recurse) {
    [[maybe_unused]] volatile char frame[Bytes];
    for (std::size_t i = 0; i < Bytes; i += 1024)
        frame[i] = 1;
    recurse();
    frame[0] = 2;  // no tail call
}

template <std::size_t Bytes>
void framed_loops() {
    in_frame<Bytes>([] {
        bough::parallel_for(0, 2, [](int i) {
            if (i == 0)
                framed_loops<Bytes>();
        });
    });
}
template <std::size_t Bytes>
void framed_invokes() {
    in_frame<Bytes>([] { bough::parallel_invoke(framed_invokes<Bytes>, [] {}); });
}
template <std::size_t Bytes>
void framed_groups() {
    in_frame<Bytes>([] {
        bough::task_group g;
        g.run([] { framed_groups<Bytes>(); });
        g.wait();
    });
}
template <std::size_t Bytes>
void framed_arenas() {
    in_frame<Bytes>([] {
        bough::task_arena arena(2);
        arena.execute([] { framed_arenas<Bytes>(); });
    });
}

// A worker that steals one of the tasks goes on to the end of its own stack: more frames than the thread sanitizer has
// room for.
class alone_if_sanitized {
public:
    alone_if_sanitized() {
        if (bough_test::sanitized)
            limit_.emplace(bough::global_control::max_allowed_parallelism, 1);
    }

private:
    std::optional<bough::global_control> limit_;
};

TEST(deep, recursion_of_parallel_invoke_ends_in_an_error) {
    on_small_stack([] {
        EXPECT_THROW(invoke_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_of_loops_ends_in_an_error) {
    on_small_stack([] {
        EXPECT_THROW(loop_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_of_groups_ends_in_an_error) {
    on_small_stack([] {
        const alone_if_sanitized no_worker;
        EXPECT_THROW(group_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_through_arenas_ends_in_an_error) {
    on_small_stack([] {
        EXPECT_THROW(arena_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

TEST(deep, recursion_of_pipelines_ends_in_an_error) {
    on_small_stack([] {
        const alone_if_sanitized no_worker;
        EXPECT_THROW(pipeline_for_ever(), bough::nesting_too_deep);
        expect_usable();
    });
}

// README.md: a thirty-second of the stack at each level, of the smallest one and of the usual one.
template <std::size_t Stack>
void end_with_frames_as_promised() {
    constexpr std::size_t frame = Stack / 32 - 128;  // with what in_frame itself needs
    EXPECT_THROW(framed_loops<frame>(), bough::nesting_too_deep);
    EXPECT_THROW(framed_invokes<frame>(), bough::nesting_too_deep);
    EXPECT_THROW(framed_groups<frame>(), bough::nesting_too_deep);
    EXPECT_THROW(framed_arenas<frame>(), bough::nesting_too_deep);
    expect_usable();
}

TEST(deep, recursion_of_large_functions_ends_in_an_error) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "under a sanitizer frames are larger, and unwinding 8 MiB of them takes minutes";
    const bough::global_control one_stack(bough::global_control::max_allowed_parallelism, 1);
    if (sysconf(_SC_THREAD_STACK_MIN) <= 64 << 10)  // Arm's threads have 128 KiB at the least
        on_stack(std::size_t{64} << 10, end_with_frames_as_promised<std::size_t{64} << 10>);
    on_stack(std::size_t{128} << 10, end_with_frames_as_promised<std::size_t{128} << 10>);
    on_stack(std::size_t{512} << 10, end_with_frames_as_promised<std::size_t{512} << 10>);
    on_stack(std::size_t{8} << 20, end_with_frames_as_promised<std::size_t{8} << 20>);
}

TEST(deep, the_error_says_what_to_do) {
    on_small_stack([] {
        try {
            invoke_for_ever();
            FAIL() << "no error";
        } catch (const std::runtime_error& e) {
            EXPECT_NE(std::string(e.what()).find("larger stack"), std::string::npos) << e.what();
        }
    });
}

// At the end of its stack a thread waits for a task of a worker, which has spawned another one: that is not the
// waiter's to fail.
TEST(deep, a_waiter_without_a_stack_leaves_others_tasks_alone) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the spawner waits until its task runs");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    static std::atomic<int> ran;
    static bough::task_group* waited_for;
    ran = 0;
    struct digger {
        static void dig() {
            try {
                bough::parallel_invoke([] { dig(); }, [] {});
            } catch (const bough::nesting_too_deep&) {
                if (bough::task_group* group = std::exchange(waited_for, nullptr))
                    group->wait();
            }
        }
    };
    on_small_stack([] {
        std::atomic<bool> spawned{false};
        bough::task_group group;
        group.run([&] {
            bough::task_group inner;
            inner.run([] { ++ran; });
            spawned = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            EXPECT_NO_THROW(inner.wait());
        });
        while (!spawned)
            std::this_thread::yield();
        waited_for = &group;
        digger::dig();
        EXPECT_EQ(waited_for, nullptr);
        EXPECT_EQ(ran.load(), 1);
    });
}

// One thread, with a small stack, waits for something that the other brings about, and takes that one's work meanwhile.
// Each piece waits for the same thing, and takes another piece. All of them would need twice the stack, and each needs
// an eighth of it for its own calls.
struct thief {
    static constexpr int pieces = 128;
    static constexpr std::size_t frame = std::size_t{8} << 10;

    std::thread::id owner;
    std::atomic<int> taken{0}, ran{0};
    std::atomic<bool> may_go_on{false};

    void wait() {
        bough::detail::work_until(
            {[](const void* p) { return static_cast<const std::atomic<bool>*>(p)->load(); }, &may_go_on});
    }
    void piece() {
        ++ran;
        if (std::this_thread::get_id() == owner)
            return;
        ++taken;
        own_calls(8);
        in_frame<frame>([this] { wait(); });
    }
    static void own_calls(int levels) {
        if (levels != 0)
            in_frame<frame>([=] { bough::parallel_for(0, 1, [=](int) { own_calls(levels - 1); }); });
    }
    // In the owner, which has published the pieces. It goes on when the other takes no more, for a while.
    void let_them_be_taken() {
        constexpr int quiet_rounds = 20;
        int before = -1;
        for (int quiet = 0; taken != pieces && quiet < quiet_rounds; ++quiet) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (const int now = taken; now != before) {
                before = now;
                quiet = 0;
            }
        }
        may_go_on = true;
        bough::detail::unpark_all(&may_go_on);
    }
};

template <class Publish>
void steal_deeply(Publish publish) {
    thief t;
    std::atomic<bool> begun{false};
    bough::task_group group;
    group.run([&] {
        t.owner = std::this_thread::get_id();
        begun = true;
        publish(t);
    });
    while (!begun)
        std::this_thread::yield();
    t.wait();
    EXPECT_NO_THROW(group.wait());
    EXPECT_EQ(t.ran.load(), thief::pieces);
    expect_usable();
}

#define SKIP_WITHOUT_A_THIEF()                                                                               \
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the owner waits until its tasks are stolen");                       \
    if (bough_test::allowed_threads() < 2 || bough_test::sanitized)                                          \
    GTEST_SKIP() << "needs two threads, and frames of the usual size"

TEST(deep, stealing_tasks_ends_at_half_of_the_stack) {
    SKIP_WITHOUT_A_THIEF();
    on_small_stack([] {
        steal_deeply([](thief& t) {
            bough::task_group inner;
            for (int i = 0; i < thief::pieces; ++i)
                inner.run([&t] { t.piece(); });
            t.let_them_be_taken();
            inner.wait();
        });
    });
}

TEST(deep, stealing_pieces_of_loops_ends_at_half_of_the_stack) {
    SKIP_WITHOUT_A_THIEF();
    on_small_stack([] {
        steal_deeply([](thief& t) {
            std::atomic<bool> is_first{true};
            bough::parallel_for(
                0, thief::pieces,
                [&](int) {
                    if (std::this_thread::get_id() == t.owner && is_first.exchange(false))
                        t.let_them_be_taken();
                    t.piece();
                },
                bough::simple_partitioner());
        });
    });
}

TEST(deep, the_main_thread_has_a_stack_too) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "under a sanitizer unwinding 8 MiB of frames takes minutes, and all memory";
    EXPECT_THROW(invoke_for_ever(), bough::nesting_too_deep);
    expect_usable();
}

// A million tasks, each made by the one before it: none is inside another.
TEST(deep, a_chain_of_a_million_tasks_needs_no_stack) {
    struct chain {
        bough::task_group group;
        std::atomic<int> left{1'000'000};
        void next() {
            if (left.fetch_sub(1) > 1)
                group.run([this] { next(); });
        }
    } c;
    c.group.run([&] { c.next(); });
    c.group.wait();
    EXPECT_EQ(c.left.load(), 0);
}

// A coroutine's stack lies below the thread's, whose end says nothing about it.
ucontext_t resumer, coroutine;
int levels_reached = 0;

void nest(int level) {
    levels_reached = std::max(levels_reached, level);
    if (level < 30)
        bough::parallel_invoke([=] { nest(level + 1); }, [] {});
}

TEST(api_deep, stacks_of_the_programs_own_are_not_taken_for_used_up) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "sanitizers have to be told of stacks that are changed";
    EXPECT_NO_THROW(nest(0));  // the thread's own stack is known by now
    std::vector<char> stack(std::size_t{1} << 20);
    levels_reached = 0;
    ASSERT_EQ(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = stack.data();
    coroutine.uc_stack.ss_size = stack.size();
    coroutine.uc_link = &resumer;
    makecontext(
        &coroutine,
        [] {
            try {
                nest(0);
            } catch (const bough::nesting_too_deep&) {
                levels_reached = -1;
            }
        },
        0);
    ASSERT_EQ(swapcontext(&resumer, &coroutine), 0);
    EXPECT_EQ(levels_reached, 30);
}

}  // namespace
