// Tasks that are suspended while their thread has slots in several arenas, some of them twice.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include <bough/bough.h>
#include <bough/detail/dispatch.h>
#include <bough/detail/parking.h>

#include "unit/blocking_bodies.h"
#include "unit/settings_here.h"

namespace {

using bough::suspend_point;
using bough::task_arena;

constexpr std::chrono::milliseconds time_to_fall_asleep{50};

template <class Condition>
void spin_until(const Condition& condition) {
    while (!condition())
        std::this_thread::yield();
}

template <class F>
void execute(bough::detail::arena& a, F&& f) {
    bough::detail::execute_in(a,
                              {[](void* data) { (*static_cast<std::remove_reference_t<F>*>(data))(); }, &f});
}

// A wait in an arena that the thread came back to may not give its slot there away: the thread sits in it further up.
TEST(suspended_visits, a_slot_that_is_in_use_further_up_is_kept) {
    // Nobody steals; for an abandoned slot a worker comes all the same.
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 1);
    std::thread([] {
        bough::detail::slot_index();
        bough::detail::arena& own = *bough::detail::current_arena();
        bough::detail::keep_arena(own);
        task_arena between(1);
        suspend_point first{}, second{};
        std::atomic<void*> elsewhere{nullptr};
        std::atomic<bool> go{false};
        bough::task_group left;
        between.execute([&] {
            execute(own, [&] {
                left.run([&] {
                    bough::suspend([&](suspend_point p) {
                        second = p;
                        bough::resume(first);
                    });
                    elsewhere = bough::detail::current_view();
                    spin_until([&] { return go.load(); });
                });
                bough::task_group group;
                group.run([&] { bough::suspend([&](suspend_point p) { first = p; }); });
                group.wait();
            });
        });
        void* const here = bough::detail::current_view();
        bough::resume(second);
        spin_until([&] { return elsewhere != nullptr; });
        EXPECT_NE(here, elsewhere.load());
        go = true;
        left.wait();
        bough::detail::drop_arena(&own);
    }).join();
}

// The task holds a visit to an arena whose queue has an owner: that is whoever goes on with the task.
TEST(suspended_visits, a_visit_changes_threads_with_the_stack_that_it_is_on) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("a body waits for a task that it has spawned");
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    for (int round = 0; round < 3; ++round) {
        task_arena a(1);
        auto b = std::make_unique<task_arena>(1);
        task_arena later(2);
        suspend_point first{}, second{};
        bough::task_group left;
        a.execute([&] {
            left.run([&] {
                b->execute([&] {
                    a.execute([&] {
                        bough::suspend([&](suspend_point p) {
                            second = p;
                            bough::resume(first);
                        });
                    });
                });
            });
            bough::task_group group;
            group.run([&] { bough::suspend([&](suspend_point p) { first = p; }); });
            group.wait();
        });
        bough::resume(second);
        left.wait();
        b.reset();
        // With split-signal its signals would find b's queue.
        later.execute([] {
            std::atomic<bool> ran{false};
            bough::task_group group;
            group.run([&] { ran = true; });
            spin_until([&] { return ran.load(); });
            group.wait();
        });
    }
}

class waits_at_entry : public bough::observer {
public:
    waits_at_entry(task_arena& a, bough::task_group& g) : observer(a), group_(g) {}
    void on_entry(bool is_worker) override {
        if (!is_worker)
            return;
        state = 1;
        group_.wait();
        state = 2;
    }
    std::atomic<int> state{0};

private:
    bough::task_group& group_;
};

// The worker sits over another stack while a callback of an observer waits: it is told, or looks.
TEST(suspended_visits, a_callback_that_waits_over_stacks_goes_on) {
    if (bough_test::waits_for_descendants())
        GTEST_SKIP() << "the wait for one group would not run the task of another";
    task_arena a(1, 0), c(1);
    bough::task_group group;
    std::atomic<suspend_point> first{}, second{};
    std::atomic<int> ended{0};
    const auto pause = [&](std::atomic<suspend_point>& point) {
        bough::suspend([&](suspend_point p) { point = p; });
        ++ended;
    };
    a.enqueue([&] { pause(first); });
    spin_until([&] { return first != nullptr; });
    a.enqueue([&] { pause(second); });
    spin_until([&] { return second != nullptr; });
    c.execute([&] {
        bough::task_group taken_last;
        taken_last.run([] {});
        group.run([] {});  // lies in c's queue until the wait below
        waits_at_entry watch(a, group);
        watch.observe(true);
        bough::resume(first);
        spin_until([&] { return watch.state == 1; });
        bough::resume(second);
        spin_until([&] { return ended == 2; });
        std::this_thread::sleep_for(time_to_fall_asleep);
        taken_last.wait();
        spin_until([&] { return watch.state == 2; });
        watch.observe(false);
    });
}

// The only worker sleeps in a wait over a suspended stack, and what it waits for waits for what is enqueued then.
TEST(suspended_visits, another_worker_comes_for_one_that_waits_over_stacks) {
    if (bough_test::waits_for_descendants())
        GTEST_SKIP() << "the wait for one group would not run the task of another";
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    task_arena a(4);
    bough::task_group waited_for;
    std::atomic<suspend_point> point{};
    std::atomic<bool> serves{false}, taken{false}, waits{false}, ran{false}, over{false};
    a.enqueue([&] {
        serves = true;
        spin_until([&] { return taken.load(); });
        bough::task_group group;
        group.run([&] {
            waits = true;
            waited_for.wait();
        });
        group.run([&] { bough::suspend([&](suspend_point p) { point = p; }); });
        group.wait();
        over = true;
    });
    spin_until([&] { return serves.load(); });
    a.execute([&] {
        bough::task_group taken_last;
        taken_last.run([] {});
        waited_for.run([&] {
            taken = true;
            spin_until([&] { return waits.load(); });
            std::this_thread::sleep_for(time_to_fall_asleep);
            a.enqueue([&] { ran = true; });
            spin_until([&] { return ran.load(); });
        });
        taken_last.wait();
    });
    bough::resume(point);
    spin_until([&] { return over.load(); });
}

// It waits over a suspended stack in an arena that it visits, until somebody resumes that.
struct worker_asleep_elsewhere {
    worker_asleep_elsewhere() {
        home.enqueue([this] {
            visited.execute([this] {
                bough::task_group group;
                group.run([this] { bough::suspend([this](suspend_point p) { point = p; }); });
                group.wait();
            });
            over = true;
        });
        spin_until([this] { return point.load() != nullptr; });
        std::this_thread::sleep_for(time_to_fall_asleep);
    }
    task_arena home{4}, visited{4};
    std::atomic<suspend_point> point{};
    std::atomic<bool> over{false};
};

// What resumes the task is enqueued where its worker comes from, not where it sleeps.
TEST(suspended_visits, another_worker_comes_for_one_that_waits_over_stacks_elsewhere) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    worker_asleep_elsewhere worker;
    worker.home.enqueue([&] { bough::resume(worker.point); });
    spin_until([&] { return worker.over.load(); });
}

class waits_at_exit : public bough::observer {
public:
    waits_at_exit(task_arena& a, bough::task_group& g) : observer(a), group_(g) {}
    void on_exit(bool is_worker) override {
        int nobody_yet = 0;
        if (!is_worker || !state.compare_exchange_strong(nobody_yet, 1))
            return;
        group_.wait();
        state = 2;
    }
    std::atomic<int> state{0};

private:
    bough::task_group& group_;
};

// One that waits over stacks while it leaves counts as inside no more, and is not discounted again.
TEST(suspended_visits, another_worker_comes_for_one_that_waits_while_it_leaves) {
    if (bough_test::waits_for_descendants())
        GTEST_SKIP() << "the wait for one group would not run the task of another";
    if (bough_test::spins_forever())
        GTEST_SKIP() << "no worker leaves";
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    task_arena a(4), alone(1);
    bough::task_group group;
    std::atomic<bool> begun{false}, ran{false};
    std::thread application([&] {
        alone.execute([&] {
            bough::task_group taken_last;
            taken_last.run([] {});
            group.run([&] {
                begun = true;
                spin_until([&] { return ran.load(); });
            });
            taken_last.wait();
        });
    });
    spin_until([&] { return begun.load(); });
    waits_at_exit watch(a, group);
    watch.observe(true);
    a.enqueue([&] { bough::suspend([](suspend_point p) { bough::resume(p); }); });
    spin_until([&] { return watch.state != 0; });
    std::this_thread::sleep_for(time_to_fall_asleep);
    a.enqueue([&] { ran = true; });
    spin_until([&] { return watch.state == 2; });
    watch.observe(false);
    application.join();
}

// Leaves a's first slot, an application thread's, to a worker, with a stack suspended there.
void abandon_a_slot(task_arena& a, bough::task_group& left, suspend_point& suspended) {
    const bough::global_control nobody_steals(bough::global_control::max_allowed_parallelism, 1);
    suspend_point first{};
    a.execute([&] {
        left.run([&] {
            bough::suspend([&](suspend_point p) {
                suspended = p;
                bough::resume(first);
            });
        });
        bough::task_group group;
        group.run([&] { bough::suspend([&](suspend_point p) { first = p; }); });
        group.wait();
    });
}

void wait_for(const std::atomic<bool>& flag) {
    bough::detail::work_until(
        {[](const void* f) { return static_cast<const std::atomic<bool>*>(f)->load(); }, &flag});
}
void set(std::atomic<bool>& flag) {
    flag = true;
    bough::detail::unpark_all(&flag);
}

// The worker that waits there has taken no slot of a worker's.
TEST(suspended_visits, another_worker_comes_beside_one_in_an_abandoned_slot) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 3);
    for (const int applications : {1, 2}) {
        task_arena a(2, applications);
        bough::task_group left;
        suspend_point suspended{};
        abandon_a_slot(a, left, suspended);
        std::this_thread::sleep_for(time_to_fall_asleep);
        std::atomic<bool> begun{false}, flag{false}, over{false};
        a.enqueue([&] {
            begun = true;
            wait_for(flag);
            over = true;
        });
        spin_until([&] { return begun.load(); });
        std::this_thread::sleep_for(time_to_fall_asleep);
        a.enqueue([&] { set(flag); });
        spin_until([&] { return over.load(); });
        bough::resume(suspended);
        left.wait();
    }
}

// The same when the one that watches goes to work: it sees that a slot is free.
TEST(suspended_visits, a_third_worker_comes_beside_one_in_an_abandoned_slot) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 4);
    for (const bool waits : {false, true}) {
        task_arena a(3, 1);
        bough::task_group left;
        suspend_point suspended{};
        abandon_a_slot(a, left, suspended);
        std::this_thread::sleep_for(time_to_fall_asleep);
        std::atomic<bool> first{false}, second{false}, third{false};
        std::atomic<int> ended{0};
        a.enqueue([&] {
            first = true;
            if (waits)
                wait_for(third);
            else
                spin_until([&] { return third.load(); });
            ++ended;
        });
        spin_until([&] { return first.load(); });
        std::this_thread::sleep_for(time_to_fall_asleep);
        a.enqueue([&] {
            second = true;
            spin_until([&] { return third.load(); });
            ++ended;
        });
        spin_until([&] { return second.load(); });
        std::this_thread::sleep_for(time_to_fall_asleep);
        a.enqueue([&] { set(third); });
        spin_until([&] { return ended == 2; });
        bough::resume(suspended);
        left.wait();
    }
}

void resume_when_there(const std::atomic<suspend_point>& point) {
    spin_until([&] { return point.load() != nullptr; });
    bough::resume(point);
}

// The thread's slot is abandoned when it leaves the arena.
void leave_a_task_suspended(task_arena& a, bough::task_group& suspended, std::atomic<suspend_point>& point,
                            const std::atomic<bool>& may_leave) {
    a.execute([&] {
        std::atomic<suspend_point> outer{nullptr};
        bough::task_group first;
        suspended.run([&] {
            bough::suspend([&](suspend_point p) {
                point = p;
                resume_when_there(outer);
            });
        });
        first.run([&] {
            bough::suspend([&](suspend_point p) { outer = p; });
            spin_until([&] { return may_leave.load(); });
            std::this_thread::sleep_for(time_to_fall_asleep);
        });
        first.wait();
    });
}

// The slot is abandoned in the arena that the worker serves in. It sleeps in one that it visits.
TEST(suspended_visits, another_worker_comes_for_one_that_sleeps_elsewhere) {
    if (bough_test::waits_for_descendants())
        GTEST_SKIP() << "the wait for one group would not run the task of another";
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    task_arena a(2), visited(2);
    std::atomic<suspend_point> point{nullptr};
    std::atomic<bool> has_begun{false}, waits{false}, over{false};
    bough::task_group suspended;
    a.enqueue([&] {
        has_begun = true;
        spin_until([&] { return point.load() != nullptr; });
        visited.execute([&] {
            waits = true;
            suspended.wait();
        });
        over = true;
    });
    spin_until([&] { return has_begun.load(); });
    leave_a_task_suspended(a, suspended, point, waits);
    bough::resume(point);
    spin_until([&] { return over.load(); });
}

// The worker abandons a slot in an arena that it visited, and waits further out for what is suspended there.
TEST(suspended_visits, another_worker_comes_for_a_slot_that_a_worker_abandoned) {
    if (bough_test::waits_for_descendants())
        GTEST_SKIP() << "the wait for one group would not run the task of another";
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    task_arena a(1, 0), visited(2);
    std::atomic<bool> at_once{true}, over{false};
    a.enqueue([&] {
        std::atomic<suspend_point> point{nullptr};
        bough::task_group suspended;
        leave_a_task_suspended(visited, suspended, point, at_once);
        bough::resume(point);
        suspended.wait();
        over = true;
    });
    spin_until([&] { return over.load(); });
}

// Under a limit of one thread another one stands in for an application thread that sleeps, not for a worker.
TEST(suspended_visits, nobody_stands_in_for_a_worker) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 1);
    worker_asleep_elsewhere worker;
    const auto here = std::this_thread::get_id();
    std::atomic<int> elsewhere{0};
    bough::task_group group;
    for (int i = 0; i < 8; ++i)
        group.run([&] { elsewhere += std::this_thread::get_id() != here; });
    std::this_thread::sleep_for(time_to_fall_asleep);
    EXPECT_EQ(elsewhere, 0);
    bough::resume(worker.point);
    spin_until([&] { return worker.over.load(); });
    group.wait();
}

}  // namespace
