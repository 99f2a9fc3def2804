// fork(): the child has a full pool and right answers, whatever ran when it was forked; what it cannot have, tasks of
// its parent's threads, ends it with one line.

#include "fork_support.h"
#include "support/no_huge_pages.h"

namespace {

using bough_test::expect_one_line;
using bough_test::in_child;
using bough_test::rendezvous;

// 0 if loops, tasks, and a pool of as many threads as ever are there.
int use_everything() {
    if (bough_test::wrong_answers() != 0)
        return 2;
    if (!bough_test::pool_is_usable())
        return 3;
    bough::task_arena arena(2);
    std::atomic<int> ran{0};
    arena.execute([&] {
        bough::task_group tasks;
        for (int i = 0; i < 100; ++i)
            tasks.run([&] { ++ran; });
        tasks.wait();
    });
    if (ran != 100)
        return 4;
    arena.enqueue([&] { ++ran; });
    while (ran != 101)
        std::this_thread::yield();
    return 0;
}

TEST(fork, before_the_first_use) {
    EXPECT_TRUE(in_child(use_everything).succeeded());
}

TEST(fork, from_the_main_thread_after_loops) {
    EXPECT_EQ(bough_test::wrong_answers(), 0);
    for (int k = 0; k < 20; ++k) {
        const auto child = in_child(use_everything);
        ASSERT_TRUE(child.succeeded()) << child.what();
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(fork, from_another_thread) {
    std::thread([] {
        EXPECT_EQ(bough_test::wrong_answers(), 0);
        const auto child = in_child(use_everything);
        EXPECT_TRUE(child.succeeded()) << child.what();
    }).join();
    // One that has not used bough itself.
    std::thread([] {
        const auto child = in_child(use_everything);
        EXPECT_TRUE(child.succeeded()) << child.what();
    }).join();
}

TEST(fork, of_a_child) {
    EXPECT_EQ(bough_test::wrong_answers(), 0);
    const auto child = in_child([] {
        if (const int failed = use_everything())
            return failed;
        return in_child(use_everything).succeeded() ? 0 : 5;
    });
    EXPECT_TRUE(child.succeeded()) << child.what();
}

// Two threads in loops and tasks while a third forks; the parent goes on, and does not grow.
class load {
public:
    load() {
        for (int t = 0; t < 2; ++t)
            threads_.emplace_back([this] {
                bough::task_arena arena(3);
                while (!stop_.load()) {
                    wrong_ += bough_test::wrong_answers();
                    arena.execute([&] { wrong_ += bough_test::wrong_answers(); });
                    ++rounds_;
                }
            });
        while (rounds_.load() == 0)
            std::this_thread::yield();
    }
    ~load() { stop(); }
    int stop() {
        stop_ = true;
        for (auto& t : threads_)
            t.join();
        threads_.clear();
        return wrong_.load();
    }

private:
    std::atomic<bool> stop_{false};
    std::atomic<int> wrong_{0}, rounds_{0};
    std::vector<std::thread> threads_;
};

TEST(fork, under_load) {
    bough::task_arena shared(3);
    load others;
    bough_test::budget rounds(1000, 4000);
    std::size_t before = 0;
    while (rounds.next()) {
        const auto child = in_child([&] {
            int sum = 0;
            shared.execute([&] {
                sum = bough::parallel_reduce(
                    bough::blocked_range<int>(0, 1000), 0,
                    [](const bough::blocked_range<int>& r, int s) { return s + static_cast<int>(r.size()); },
                    std::plus<int>());
            });
            return sum == 1000 && bough_test::pool_is_usable() ? 0 : 2;
        });
        ASSERT_TRUE(child.succeeded()) << "fork " << rounds.done() << ": " << child.what();
        if (rounds.done() == 20)
            before = bough_test::resident_bytes();
    }
    if (before != 0 && !bough_test::sanitized) {
        EXPECT_LT(bough_test::resident_bytes(), before + (std::size_t{16} << 20));
    }
    EXPECT_EQ(others.stop(), 0);
    EXPECT_TRUE(bough_test::pool_is_usable());
    std::cout << rounds.done() << " forks\n";
}

// Forks in unit `which` of a loop whose other units are under way elsewhere, if there is anybody.
template <class F>
bough_test::outcome fork_in_body(int which, F&& f) {
    const int n = std::min(bough_test::allowed_threads(), 4);
    rendezvous all(n, rendezvous::sleeping);
    bough_test::outcome result;
    bough::parallel_for(0, n, [&](int i) {
        all.arrive_and_wait();
        if (i == std::min(which, n - 1))
            result = in_child(f);
    });
    EXPECT_TRUE(all.met());
    return result;
}

TEST(fork, inside_a_body_loops_go_on) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    for (int which = 0; which < 4; ++which) {
        const auto child = fork_in_body(which, [] {
            if (bough_test::wrong_answers() != 0)
                return 2;
            return bough_test::pool_is_usable() ? 0 : 3;
        });
        EXPECT_TRUE(child.succeeded()) << "unit " << which << ": " << child.what();
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

void overwrite_the_stack() {
    volatile char room[256 * 1024];
    for (std::size_t k = 0; k < sizeof room; ++k)
        room[k] = static_cast<char>(0xa5);
}

// What the body belongs to lies on the stack of a thread that only the parent has, and new threads of the child get
// that.
TEST(fork, inside_a_body_of_a_loop_on_a_stack_that_goes_to_others) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    for (int which = 0; which < 4; ++which) {
        bough_test::outcome child;
        std::thread([&] {
            child = fork_in_body(which, [] {
                std::vector<std::thread> all;
                for (int t = 0; t < 4; ++t)
                    all.emplace_back(overwrite_the_stack);
                for (std::thread& t : all)
                    t.join();
                if (bough_test::wrong_answers() != 0)
                    return 2;
                return bough_test::pool_is_usable() ? 0 : 3;
            });
        }).join();
        EXPECT_TRUE(child.succeeded()) << "unit " << which << ": " << child.what();
    }
}

// A worker of the child sleeps over a suspended task, which the child's thread resumes later: nobody is lonely.
TEST(fork, tasks_of_a_child_that_suspend) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
        "the thread waits outside of bough until a worker runs what it has spawned");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    const auto child = in_child([] {
        std::atomic<bough::suspend_point> point{nullptr};
        bough::task_group tasks;
        tasks.run([&] { bough::suspend([&](bough::suspend_point p) { point = p; }); });
        while (!point)
            std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        bough::resume(point);
        tasks.wait();
        return use_everything();
    });
    EXPECT_TRUE(child.succeeded()) << child.what();
}

// A worker of the child sleeps over a suspended task in another arena, where it alone can run what its thread waits
// for.
TEST(fork, tasks_for_a_worker_of_a_child_over_a_suspended_one) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    const auto child = in_child([] {
        bough::task_arena other(2);
        std::atomic<bough::suspend_point> point{nullptr};
        other.enqueue([&] { bough::suspend([&](bough::suspend_point p) { point = p; }); });
        while (!point)
            std::this_thread::yield();
        int wrong = 0;
        for (int k = 0; k < 20; ++k) {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            bough::task_group tasks;
            std::atomic<int> ran{0};
            other.execute([&] { tasks.run([&] { ++ran; }); });
            tasks.wait();
            wrong += ran != 1;
        }
        bough::resume(point);
        return wrong == 0 ? use_everything() : 2;
    });
    EXPECT_TRUE(child.succeeded()) << child.what();
}

// All threads but the calling one have something to do, until the end.
class busy_workers {
public:
    busy_workers() {
        const int others = bough_test::allowed_threads() - 1;
        for (int k = 0; k < others; ++k)
            blocking_.run([this] {
                ++busy_;
                while (!is_over_)
                    std::this_thread::yield();
            });
        while (busy_ != others)
            std::this_thread::yield();
    }
    void end() {
        is_over_ = true;
        blocking_.wait();
    }

private:
    std::atomic<int> busy_{0};
    std::atomic<bool> is_over_{false};
    bough::task_group blocking_;
};

// Tasks that lay in the thread's queue when it forked, where it may not or cannot take them while it waits: workers do.
TEST(fork, waiting_inside_something_for_tasks_from_before) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
        "the thread waits outside of bough until a worker runs what it has spawned");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    for (const bool isolated : {false, true}) {
        busy_workers others;  // the parent's are kept from the task
        bough::task_group tasks;
        std::atomic<int> ran{0};
        tasks.run([&] { ++ran; });
        const auto child = in_child([&] {
            bough::task_arena inner(2);
            if (isolated)
                bough::this_task_arena::isolate([&] { tasks.wait(); });
            else
                inner.execute([&] { tasks.wait(); });
            return ran == 1 ? 0 : 2;
        });
        others.end();
        tasks.wait();
        EXPECT_TRUE(child.succeeded()) << child.what();
    }
}

// A worker that is busy does not stand for the one that is due to tasks from before.
TEST(fork, waiting_beside_a_busy_worker_for_tasks_from_before) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
        "the thread waits outside of bough until a worker runs what it has spawned");
    if (bough_test::allowed_threads() < 3)
        GTEST_SKIP() << "needs three threads";
    busy_workers others;
    bough::task_group tasks;
    std::atomic<int> ran{0};
    tasks.run([&] { ++ran; });
    const auto child = in_child([&] {
        bough::task_arena elsewhere(2);
        elsewhere.enqueue([&] {
            while (ran != 1)
                std::this_thread::yield();
        });
        bough::this_task_arena::isolate([&] { tasks.wait(); });
        return ran == 1 ? 0 : 2;
    });
    others.end();
    tasks.wait();
    EXPECT_TRUE(child.succeeded()) << child.what();
}

// Only a worker that stands in for the child's one thread can run the task.
TEST(fork, tasks_in_another_arena_under_a_limit_of_one) {
    const auto child = in_child([] {
        const bough::global_control one(bough::global_control::max_allowed_parallelism, 1);
        bough::task_arena other(2);
        bough::task_group tasks;
        std::atomic<int> ran{0};
        other.execute([&] { tasks.run([&] { ++ran; }); });
        tasks.wait();
        return ran == 1 ? 0 : 2;
    });
    EXPECT_TRUE(child.succeeded()) << child.what();
}

// A worker forks in a task, over another one that is suspended. The child's thread sleeps over one of its own, too;
// what is enqueued meanwhile is served.
TEST(fork, in_a_worker_over_suspended_tasks) {
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "needs two threads";
    const auto run_in_child = [] {
        std::atomic<bough::suspend_point> point{nullptr};
        std::atomic<bool> served{false};
        std::thread other([&] {
            while (!point)
                std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            bough::task_arena elsewhere(2);
            elsewhere.enqueue([&] { served = true; });
            while (!served)
                std::this_thread::yield();
            bough::resume(point);
        });
        bough::task_group tasks;
        tasks.run([&] { bough::suspend([&](bough::suspend_point p) { point = p; }); });
        tasks.wait();
        other.join();
        return use_everything();
    };
    std::atomic<bool> is_over{false};
    bough_test::outcome child;
    bough::task_arena arena(2);
    arena.enqueue([&] {
        std::atomic<bough::suspend_point> point{nullptr};
        bough::task_group tasks;
        tasks.run([&] {  // the second: the newest is run first
            while (!point)
                std::this_thread::yield();
            child = in_child(run_in_child);
            bough::resume(point);
        });
        tasks.run([&] { bough::suspend([&](bough::suspend_point p) { point = p; }); });
        tasks.wait();
        is_over = true;
    });
    while (!is_over)
        std::this_thread::yield();
    EXPECT_TRUE(child.succeeded()) << child.what();
}

TEST(fork, inside_a_task_and_an_arena) {
    bough::task_arena arena(2);
    bough::task_group tasks;
    bough_test::outcome child;
    tasks.run([&] { arena.execute([&] { child = in_child(use_everything); }); });
    tasks.wait();
    EXPECT_TRUE(child.succeeded()) << child.what();
}

// The innermost call came back to a slot further up: the child keeps the slots in between, too.
TEST(fork, inside_a_call_that_came_back) {
    bough::task_arena full(1), between(4, 0);
    const auto child = in_child([&] {
        int wrong = 0;
        full.execute([&] {
            between.execute([&] {
                full.execute([&] {
                    const pid_t grandchild = fork();
                    int status = 0;
                    if (grandchild != 0 && (waitpid(grandchild, &status, 0) < 0 || status != 0))
                        wrong = 5;
                });
                wrong += bough_test::wrong_answers();
            });
            for (int i = 0; i < 20; ++i)
                between.execute([&] { wrong += bough_test::wrong_answers(); });
        });
        return wrong != 0 ? 2 : use_everything();
    });
    EXPECT_TRUE(child.succeeded()) << child.what();
}

// Says that it is inside of a worker's on_entry, and stays there.
class slow_observer : public bough::observer {
public:
    using observer::observer;
    void on_entry(bool is_worker) override {
        if (!is_worker)
            return;
        ++inside_;
        while (!may_go_on_)
            std::this_thread::yield();
    }
    bool is_inside() const { return inside_ != 0; }
    void go_on() { may_go_on_ = true; }

private:
    std::atomic<int> inside_{0};
    std::atomic<bool> may_go_on_{false};
};

TEST(fork, while_a_worker_is_in_an_observer) {
    bough::task_arena arena(2);
    slow_observer seen(arena);
    seen.observe();
    arena.enqueue([] {});
    while (!seen.is_inside())
        std::this_thread::yield();
    const auto child = in_child([&] {
        seen.observe(false);
        return use_everything();
    });
    EXPECT_TRUE(child.succeeded()) << child.what();
    seen.go_on();
    seen.observe(false);
}

TEST(fork, tasks_that_wait_in_the_forking_threads_queue_run_in_both) {
    std::atomic<int> ran{0};
    bough::task_group tasks;
    for (int i = 0; i < 10; ++i)
        tasks.run([&] { ++ran; });
    const auto child = in_child([&] {
        // Those that others had taken are lost to the child; then it ends with a line instead.
        tasks.wait();
        return ran == 10 ? 0 : 2;
    });
    tasks.wait();
    EXPECT_EQ(ran, 10);
    if (!child.succeeded())
        expect_one_line(child, "waits for tasks that other threads");
}

TEST(fork, waiting_for_a_task_of_another_thread_ends_with_one_line) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
        "the thread waits outside of bough until a worker runs what it has spawned");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread: no other has a task";
    std::atomic<bool> began{false}, end{false};
    bough::task_group tasks;
    tasks.run([&] {
        began = true;
        while (!end.load())
            std::this_thread::yield();
    });
    while (!began.load())
        std::this_thread::yield();
    const auto child = in_child([&] {
        tasks.wait();
        return 0;
    });
    end = true;
    tasks.wait();
    expect_one_line(child, "waits for tasks that other threads");
}

TEST(fork, exec_from_a_body) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const auto child = fork_in_body(1, [] {
        char program[] = "/bin/true";
        char* const argv[] = {program, nullptr};
        execv(program, argv);
        return 9;
    });
    EXPECT_TRUE(child.succeeded()) << child.what();
}

}  // namespace
