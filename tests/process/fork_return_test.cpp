// A child of fork() that returns from the body it was forked in: that body's join is the parent's, so it ends with one
// line.

#include "fork_support.h"

namespace {

using bough_test::expect_one_line;
using bough_test::in_child;
using bough_test::patience_s;
using bough_test::rendezvous;

// inside(fork_here): the child returns from the body that calls fork_here().
template <class Inside>
bough_test::outcome return_from(Inside&& inside) {
    return in_child([&] {  // a process of its own, which then returns in its child
        pid_t child = -1;
        const pid_t parent = getpid();
        inside([&] {
            if (getpid() != parent)
                return;
            child = fork();
            if (child == 0)
                alarm(patience_s);
        });
        if (getpid() != parent) {  // ended without any join: its next loop must say so
            bough::parallel_for(0, 10000, [](int) { bough_test::work_a_little(1); });
            _exit(0);
        }
        int status = 0;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFSIGNALED(status))
            raise(WTERMSIG(status));
        return WEXITSTATUS(status);
    });
}

TEST(fork_return, from_a_loops_body_ends_with_one_line) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    for (const int which : {0, 1}) {
        const auto child = return_from([which](auto&& fork_here) {
            const int n = std::min(bough_test::allowed_threads(), 2);
            rendezvous all(n, rendezvous::sleeping);
            bough::parallel_for(0, n, [&](int i) {
                all.arrive_and_wait();
                if (i == std::min(which, n - 1))
                    fork_here();
            });
        });
        expect_one_line(child, "was forked inside a parallel body");
    }
}

// Also from that of a thread which has handed parts of its own out.
TEST(fork_return, from_any_body_ends_so) {
    const auto whole = in_child([] {
        const pid_t parent = getpid();
        std::atomic<int> others{0};
        bough::parallel_for(0, 64, [&](int) {
            bough_test::work_a_little(10);
            if (getpid() != parent)
                return;
            const pid_t child = fork();
            if (child == 0) {
                alarm(patience_s);
                return;
            }
            int status = 0;
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
            }
            if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
                others = status == 0 ? -1 : status;
        });
        if (getpid() != parent) {  // ended without any join: its next loop must say so
            bough::parallel_for(0, 10000, [](int) { bough_test::work_a_little(1); });
            _exit(0);
        }
        if (others != 0)
            std::fprintf(stderr, "status %d\n", others.load());
        return others == 0 ? 0 : 1;
    });
    EXPECT_TRUE(whole.succeeded()) << whole.what();
}

// A worker's own stack waits for nothing but the one that forks; it must not go on when that returns.
TEST(fork_return, from_a_stack_beside_others_ends_with_one_line) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    const auto child = return_from([](auto&& fork_here) {
        std::atomic<bough::suspend_point> first{nullptr}, second{nullptr};
        std::atomic<int> ended{0};
        const auto wait_for = [](const auto& reached) {
            while (!reached())
                std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the worker sleeps
        };
        bough::task_arena arena(2);
        arena.enqueue([&] {
            bough::suspend([&](bough::suspend_point p) { first = p; });
            ++ended;
        });
        wait_for([&] { return first.load() != nullptr; });
        arena.enqueue([&] {
            bough::suspend([&](bough::suspend_point p) { second = p; });
            fork_here();
            ++ended;
        });
        wait_for([&] { return second.load() != nullptr; });
        bough::resume(first);
        wait_for([&] { return ended == 1; });
        bough::resume(second);
        wait_for([&] { return ended == 2; });
    });
    expect_one_line(child, "was forked inside a parallel body");
}

TEST(fork_return, from_a_short_loop_ends_with_one_line) {
    const auto child = return_from([](auto&& fork_here) {
        for (int k = 0; k < 1000; ++k)
            bough::parallel_for(0, 8, [&](int i) {
                if (k == 999 && i == 3)
                    fork_here();
            });
    });
    expect_one_line(child, "was forked inside a parallel body");
}

TEST(fork_return, from_a_task_ends_with_one_line) {
    const auto task = return_from([](auto&& fork_here) {
        bough::task_group tasks;
        tasks.run([&] { fork_here(); });
        tasks.wait();
    });
    expect_one_line(task, "was forked inside a parallel body");
    const auto invoked =
        return_from([](auto&& fork_here) { bough::parallel_invoke([&] { fork_here(); }, [] {}); });
    expect_one_line(invoked, "was forked inside a parallel body");
}

}  // namespace
