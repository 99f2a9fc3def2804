// The only worker sleeps over a function that is suspended, or there is none, and the system refuses another one: who
// sleeps asks again, and while a worker only asks, what others enqueue is run by them.

#include <atomic>
#include <chrono>
#include <iostream>
#include <string>
#include <thread>

#include "refused_threads.h"
#include "stopped_at_work.h"
#include "watched_children.h"

namespace {

using bough_test::asked;
using bough_test::child_argument;
using bough_test::expect_at_most_one_line;
using bough_test::plan;
using bough_test::refusals;
using bough_test::refused;

template <class T>
void wait_until_set(const std::atomic<T>& flag) {
    while (!flag)
        std::this_thread::yield();
}

class suspended_function {
public:
    suspended_function() {
        arena_.enqueue([this] {
            bough::suspend([this](bough::suspend_point p) { point_ = p; });
            is_over_ = true;
        });
        wait_until_set(point_);
    }
    ~suspended_function() {
        bough::resume(point_);
        wait_until_set(is_over_);
    }

private:
    bough::task_arena arena_{1, 0};
    std::atomic<bough::suspend_point> point_{nullptr};
    std::atomic<bool> is_over_{false};
};

// While the worker still looks for work; if it sleeps already this thread runs it.
void enqueue_elsewhere() {
    const suspended_function suspended;
    bough::task_arena elsewhere(2);
    std::atomic<bool> ran{false};
    elsewhere.enqueue([&] { ran = true; });
    wait_until_set(ran);
}

void spawn_elsewhere() {
    const suspended_function suspended;
    bough::task_arena elsewhere(2);
    bough::task_group g;
    elsewhere.execute([&] { g.run([] {}); });
    g.wait();
}

// A worker that has come may be faster than this thread.
void resume_when_there(const std::atomic<bough::suspend_point>& point) {
    wait_until_set(point);
    bough::resume(point);
}

// The thread cannot stay with a task that is suspended in its slot; it goes on only in a worker.
void abandon_a_slot() {
    std::atomic<bough::suspend_point> outer{nullptr}, inner{nullptr};
    bough::task_group first, second;
    second.run([&] {
        bough::suspend([&](bough::suspend_point p) {
            inner = p;
            resume_when_there(outer);
        });
    });
    first.run([&] { bough::suspend([&](bough::suspend_point p) { outer = p; }); });
    first.wait();
    bough::resume(inner);
    second.wait();
}

// While the worker waits in this thread's arena. Another one had been refused before, when it was needed for a moment.
void leave_a_slot_to_who_waits() {
    {
        const suspended_function suspended;
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // the worker sleeps, most likely
        bough::task_arena(2).enqueue([] {});
    }
    std::atomic<bough::suspend_point> outer{nullptr}, inner{nullptr};
    std::atomic<bool> worker_has_it{false}, is_suspended{false}, worker_waits{false};
    bough::task_group workers, first, second;
    workers.run([&] {
        worker_has_it = true;
        wait_until_set(is_suspended);
        worker_waits = true;
        second.wait();
    });
    wait_until_set(worker_has_it);
    second.run([&] {
        bough::suspend([&](bough::suspend_point p) {
            inner = p;
            is_suspended = true;
            resume_when_there(outer);
        });
    });
    first.run([&] {
        bough::suspend([&](bough::suspend_point p) { outer = p; });
        wait_until_set(worker_waits);
        std::this_thread::sleep_for(std::chrono::milliseconds(30));  // it sleeps, most likely
    });
    first.wait();
    bough::resume(inner);
    workers.wait();
}

// A thread naps while a stack of its slot was left in a wait loop. What it waits for ends when that stack goes on.
void nap_over_a_stack_that_waits() {
    bough::task_arena elsewhere(2);
    bough::task_group tasks, spawned_elsewhere, in_another_thread;
    std::atomic<bough::suspend_point> point{nullptr};
    std::atomic<bool> has_begun{false}, may_end{false};
    std::thread other([&] {
        bough::task_group its;
        its.run([] {});
        in_another_thread.run([&] {  // taken first
            has_begun = true;
            wait_until_set(may_end);
        });
        its.wait();
    });
    wait_until_set(has_begun);
    elsewhere.execute([&] { spawned_elsewhere.run([] {}); });
    tasks.run([&] {  // taken second
        resume_when_there(point);
        in_another_thread.wait();
    });
    tasks.run([&] {  // taken first
        bough::suspend([&](bough::suspend_point p) { point = p; });
        spawned_elsewhere.wait();
        may_end = true;
    });
    tasks.wait();
    other.join();
}

void abandon_a_slot_to_a_sleeper() {
    const suspended_function suspended;
    abandon_a_slot();
}

void abandon_a_slot_after_a_stop() {
    const suspended_function suspended;
    bough::detail::stop_workers();  // in vain
    abandon_a_slot();
}

struct need {
    const char* name;
    plan refused;
    void (*use)();
};
const need needs[] = {{"enqueued", {1, 2, 3}, enqueue_elsewhere},
                      {"spawned", {1, 2, 3}, spawn_elsewhere},
                      {"left", {1, 2, 3}, abandon_a_slot_to_a_sleeper},
                      {"left_alone", {1, 1, 2}, abandon_a_slot},
                      {"left_to_who_waits", {1, 2, 2}, leave_a_slot_to_who_waits},
                      {"stopped", {1, 2, 3}, abandon_a_slot_after_a_stop},
                      {"naps", {1, 1, 1}, nap_over_a_stack_that_waits}};

// The system refuses one or two threads, and then no more: who sleeps asks again.
int child_asks_again() {
    for (const need& n : needs) {
        if (n.name != child_argument())
            continue;
        refusals = n.refused;
        while (refused <= refusals.until - refusals.from)
            n.use();
        bough_test::report_refusals();
        return 0;
    }
    return 126;
}

// All but one are refused. What had been enqueued before the worker went to sleep waits for it; what comes later is run
// by whoever enqueues, also when the worker asks.
int child_asks_in_vain() {
    refusals = {1, 2};
    bough::task_arena elsewhere(2);
    std::atomic<bool> first_ran{false};
    {
        const suspended_function suspended;
        elsewhere.enqueue([&] { first_ran = true; });
        while (asked < 4)  // it sleeps
            std::this_thread::yield();
        const int before = asked;
        std::atomic<int> ran{0};
        for (int posted = 1; posted < 1000 || asked < before + 6; ++posted) {
            bough::task_arena(2).enqueue([&] { ++ran; });
            if (ran != posted)
                return bough_test::fail_child("enqueued while the worker sleeps, and not run");
        }
    }
    wait_until_set(first_ran);
    bough_test::report_refusals();
    return 0;
}

TEST(threads_refused_asleep, who_sleeps_asks_again) {
    for (const need& n : needs) {
        // There the thread waits outside of bough until the worker runs what it has spawned.
        if (n.use == leave_a_slot_to_who_waits && bough_test::bodies_must_not_block())
            continue;
        for (const char* spin : {"100", "5000", "forever"})
            expect_at_most_one_line(
                bough_test::run_child("asks_again:" + std::string(n.name),
                                      {{"BOUGH_NUM_THREADS", "2"}, {"BOUGH_SPIN_US", spin}}),
                std::string(n.name) + ", spin " + spin);
    }
}

TEST(threads_refused_asleep, what_is_enqueued_while_the_only_worker_sleeps_is_run) {
    for (const char* spin : {"100", "5000", "forever"})
        expect_at_most_one_line(
            bough_test::run_child("asks_in_vain", {{"BOUGH_NUM_THREADS", "2"}, {"BOUGH_SPIN_US", spin}}),
            spin);
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(
        argc, argv, {{"asks_again", child_asks_again}, {"asks_in_vain", child_asks_in_vain}});
}
