// A process may end while workers are in the middle of bodies, from any thread, inside of any body; and what ends last,
// static and thread_local objects, may use bough. The workers may be stopped, and started again. No crash, no hang, the
// right exit status, and what was printed is there.

#include "all_uses.h"
#include "bough/detail/arena.h"
#include "stopped_at_work.h"
#include "watched_children.h"

namespace {

using bough_test::fail_child;

constexpr int answer = 42;  // exit status of children that end from within

// ---- workers in the middle of bodies ----

// Bodies that never end: in a loop, in tasks, and in enqueued ones that make more work. Detached, as in a program that
// does not know what its libraries do.
class never_ending {
public:
    // Returns when as many threads as there are, but for the caller, are inside.
    static void start() {
        static never_ending* const all = new never_ending;
        std::thread([] { bough::parallel_for(0, 1000, [](int i) { all->stay(i); }); }).detach();
        std::thread([] {
            bough::task_group tasks;
            for (int i = 0; i < 100; ++i)
                tasks.run([i] { all->stay(i); });
            tasks.wait();
        }).detach();
        bough_test::wait_for_at_least(all->inside_, 2 + bough_test::allowed_threads() - 1);
    }

private:
    [[noreturn]] void stay(int i) {
        thread_local bool counted = false;  // a wait in here may come here again
        if (!std::exchange(counted, true))
            ++inside_;
        for (;;) {
            if (i % 2 == 0)
                bough::parallel_for(0, 100, [](int) { bough_test::work_a_little(50); });
            bough::task_group more;
            more.run([] { bough_test::work_a_little(50); });
            more.wait();
        }
    }
    std::atomic<int> inside_{0};
};

int child_return_while_busy() {
    never_ending::start();
    return answer;
}
int child_exit_while_busy() {
    never_ending::start();
    std::exit(answer);
}
int child_quick_exit_while_busy() {
    std::at_quick_exit([] { bough_test::wrong_answers(); });
    never_ending::start();
    std::quick_exit(answer);
}
int child_exit_of_another_thread_while_busy() {
    never_ending::start();
    std::thread([] { std::exit(answer); }).join();
    return 1;
}

// ---- from inside ----

// In a worker's body, where there is one: all threads are in bodies then, and stay there. One of them ends the process:
// exit() is not for two at a time.
void exit_in_a_body(void (*end)()) {
    std::atomic<bool> ended{false};
    const auto caller = std::this_thread::get_id();
    bough_test::rendezvous all(bough_test::allowed_threads(), bough_test::rendezvous::sleeping);
    bough::parallel_for(0, bough_test::allowed_threads(), [&](int) {
        all.arrive_and_wait();
        if ((bough_test::allowed_threads() == 1 || std::this_thread::get_id() != caller) &&
            !ended.exchange(true))
            end();
        for (;;)
            std::this_thread::sleep_for(std::chrono::seconds(1));
    });
}
int child_exit_in_a_body() {
    exit_in_a_body([] { std::exit(answer); });
    return 1;
}
int child_quick_exit_in_a_body() {
    exit_in_a_body([] { std::quick_exit(answer); });
    return 1;
}
int child_exit_in_a_task() {
    bough::task_group tasks;
    for (int i = 0; i < 100; ++i)
        tasks.run([i] {
            bough_test::work_a_little();
            if (i == 50)
                std::exit(answer);
        });
    tasks.wait();
    return 1;
}
int child_exit_in_an_enqueued_task() {
    bough::task_arena arena(2);
    arena.enqueue([] { std::exit(answer); });
    for (;;)
        std::this_thread::sleep_for(std::chrono::seconds(1));
}

// ---- what ends last uses bough ----

void use_all_at_the_end() {
    if (bough_test::run_uses() != 0)
        _exit(2);
    std::cout << "used" << std::endl;
}
// All workers are in bodies that do not end.
struct user_without_workers {
    ~user_without_workers() {
        if (bough_test::run_uses([](const bough_test::use& u) { return !u.wants_worker; }) != 0)
            _exit(2);
        std::cout << "used" << std::endl;
    }
};
struct user_at_the_end {
    ~user_at_the_end() { use_all_at_the_end(); }
};

int child_static_object_made_before() {
    static const user_at_the_end last;
    return bough_test::wrong_answers() == 0 ? answer : 1;
}
int child_static_object_made_after() {
    if (bough_test::wrong_answers() != 0)
        return 1;
    static const user_at_the_end last;
    return answer;
}
int child_static_object_is_the_first_user() {
    static const user_at_the_end last;
    return answer;
}
int child_static_object_while_busy() {
    static const user_without_workers last;
    never_ending::start();
    return answer;
}
int child_static_object_after_an_exit_in_a_body() {
    static const user_without_workers last;
    exit_in_a_body([] { std::exit(answer); });
    return 1;
}
int child_thread_local_object_of_main() {
    thread_local const user_at_the_end before;
    static_cast<void>(&before);
    if (bough_test::wrong_answers() != 0)
        return 1;
    thread_local const user_at_the_end after;
    static_cast<void>(&after);
    return answer;
}
int child_thread_local_object_of_a_thread() {
    std::thread([] {
        thread_local const user_at_the_end before;
        static_cast<void>(&before);
        bough_test::wrong_answers();
    }).join();
    return answer;
}

// ---- groups that nobody waited for ----

int child_group_left_with_tasks() {
    auto* const tasks = new bough::task_group;
    for (int i = 0; i < 1000; ++i)
        tasks->run([] { bough_test::work_a_little(); });
    return answer;
}
int child_group_left_with_tasks_that_never_end() {
    auto* const tasks = new bough::task_group;
    static std::atomic<int> inside{0};
    for (int i = 0; i < 100; ++i)
        tasks->run([] {
            ++inside;
            for (;;)
                std::this_thread::yield();
        });
    bough_test::wait_for_at_least(inside, bough_test::allowed_threads() - 1);
    return answer;
}
int child_static_arena_with_enqueued_tasks() {
    static bough::task_arena arena(4);
    for (int i = 0; i < 100; ++i)
        arena.enqueue([] { bough_test::work_a_little(); });
    return answer;
}

// ---- stopped, and started again ----

int child_stopped_and_started_again() {
    for (int round = 0; round < 20; ++round) {
        if (bough_test::wrong_answers() != 0 || !bough_test::pool_is_usable())
            return fail_child("wrong answers in round " + std::to_string(round));
        while (!bough::detail::stop_workers())  // one may still be on its way out of the last loop
            std::this_thread::yield();
        while (bough_test::threads_of_process() > 1)  // detached: their last instructions are the system's
            std::this_thread::yield();
    }
    return answer;
}

// A thread that has used bough, and is outside of it, brings no worker back.
int child_stopped_beside_a_thread_outside() {
    std::atomic<int> begun{0}, ended{0}, wrong{0};
    std::thread outside([&] {
        for (int round = 1; round <= 5; ++round) {
            bough_test::wait_for(begun, round);
            wrong += bough_test::wrong_answers();
            ended = round;
        }
        bough_test::wait_for(begun, 6);
    });
    for (int round = 1; round <= 5; ++round) {
        begun = round;
        bough_test::wait_for(ended, round);
        while (!bough::detail::stop_workers())
            std::this_thread::yield();
        while (bough_test::threads_of_process() > 2)
            std::this_thread::yield();
    }
    begun = 6;
    outside.join();
    return wrong == 0 ? answer : fail_child("wrong answers");
}

// The request of an arena that its application thread worked off alone starts nobody when the workers are stopped.
int child_stopped_while_an_arena_waits_for_a_worker() {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
    bough::task_arena waits(2);
    const bool stopped = bough_test::stop_at_work([&] {
        waits.execute([] {
            bough::task_group tasks;
            tasks.run([] {});
            tasks.wait();
        });
    });
    if (!stopped)
        return fail_child("refused before their time, although all were at work for a moment only");
    while (bough_test::threads_of_process() > 1)
        std::this_thread::yield();
    return answer;
}

// Who is on its way out is waited for. All are before they are stopped, in an observer's function.
int child_stopped_while_workers_leave() {
    struct : bough::observer {
        void on_exit(bool is_worker) override {
            if (!is_worker || !have_met)  // it came and found nothing
                return;
            ++leaving;
            while (!may_leave)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        std::atomic<bool> have_met{false}, may_leave{false};
        std::atomic<int> leaving{0};
    } slow;
    slow.observe(true);
    const int threads = bough_test::allowed_threads();
    bough_test::rendezvous all(threads, bough_test::rendezvous::sleeping);
    bough::parallel_for(0, threads, [&](int) {
        all.arrive_and_wait();
        slow.have_met = true;  // so all see it that have been here
    });
    bough_test::wait_for(slow.leaving, threads - 1);
    std::thread ends_later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        slow.may_leave = true;
    });
    const bool right = bough_test::stop_workers_after_patience();
    ends_later.join();
    slow.observe(false);
    return right ? answer : fail_child("refused before their time, although all were leaving");
}

// A worker's thread_local objects end when it is stopped; they use bough as any thread may.
int child_thread_local_objects_of_workers() {
    static std::atomic<int> made{0}, ended{0}, wrong{0};
    struct at_end {
        at_end() { ++made; }
        ~at_end() {
            wrong += bough_test::wrong_answers();
            ++ended;
        }
    };
    for (int round = 1; round <= 5; ++round) {
        const int threads = bough_test::allowed_threads();
        const auto caller = std::this_thread::get_id();
        bough_test::rendezvous all(threads, bough_test::rendezvous::sleeping);
        bough::parallel_for(0, threads, [&](int) {
            if (std::this_thread::get_id() != caller) {
                thread_local const at_end object;
                static_cast<void>(&object);
            }
            all.arrive_and_wait();
        });
        while (!bough::detail::stop_workers())
            std::this_thread::yield();
        bough_test::wait_for(ended, round * (threads - 1));
    }
    return made == ended && wrong == 0 ? answer : fail_child("wrong answers in a thread_local object's end");
}

const std::map<std::string, bough_test::child_function> children = {
    {"return_while_busy", child_return_while_busy},
    {"exit_while_busy", child_exit_while_busy},
    {"quick_exit_while_busy", child_quick_exit_while_busy},
    {"exit_of_another_thread_while_busy", child_exit_of_another_thread_while_busy},
    {"exit_in_a_body", child_exit_in_a_body},
    {"quick_exit_in_a_body", child_quick_exit_in_a_body},
    {"exit_in_a_task", child_exit_in_a_task},
    {"exit_in_an_enqueued_task", child_exit_in_an_enqueued_task},
    {"static_object_made_before", child_static_object_made_before},
    {"static_object_made_after", child_static_object_made_after},
    {"static_object_is_the_first_user", child_static_object_is_the_first_user},
    {"static_object_while_busy", child_static_object_while_busy},
    {"static_object_after_an_exit_in_a_body", child_static_object_after_an_exit_in_a_body},
    {"thread_local_object_of_main", child_thread_local_object_of_main},
    {"thread_local_object_of_a_thread", child_thread_local_object_of_a_thread},
    {"group_left_with_tasks", child_group_left_with_tasks},
    {"group_left_with_tasks_that_never_end", child_group_left_with_tasks_that_never_end},
    {"static_arena_with_enqueued_tasks", child_static_arena_with_enqueued_tasks},
    {"stopped_and_started_again", child_stopped_and_started_again},
    {"stopped_beside_a_thread_outside", child_stopped_beside_a_thread_outside},
    {"stopped_while_an_arena_waits_for_a_worker", child_stopped_while_an_arena_waits_for_a_worker},
    {"stopped_while_workers_leave", child_stopped_while_workers_leave},
    {"thread_local_objects_of_workers", child_thread_local_objects_of_workers},
};

class endings : public ::testing::TestWithParam<std::string> {};

TEST_P(endings, are_clean) {
    const std::string name = GetParam();
    if (name.find("exit_in_a_body") != std::string::npos || name == "stopped_while_workers_leave" ||
        name == "thread_local_objects_of_workers") {
        BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    }
    if (name == "group_left_with_tasks_that_never_end") {
        BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
            "the thread waits outside of bough until workers run what it has spawned");
    }
    const bool uses = name.find("_object_") != std::string::npos;
    const std::size_t expected = !uses ? 0 : name == "thread_local_object_of_main" ? 2 : 1;
    for (const bough_test::settings& threads : bough_test::usual_threads()) {
        for (int round = 0; round < (bough_test::long_run() ? 100 : 2); ++round) {
            const auto o = bough_test::run_child(name, threads);
            const std::string where = threads.begin()->second + " threads: " + o.what();
            ASSERT_TRUE(WIFEXITED(o.status)) << where;
            ASSERT_EQ(WEXITSTATUS(o.status), answer) << where;
            ASSERT_EQ(o.err, "") << where;
            std::size_t used = 0;
            for (std::size_t at = 0; (at = o.out.find("used\n", at)) != std::string::npos; ++at)
                ++used;
            ASSERT_EQ(used, expected) << where;
        }
    }
}

std::vector<std::string> names() {
    std::vector<std::string> result;
    for (const auto& child : children)
        result.push_back(child.first);
    return result;
}

INSTANTIATE_TEST_SUITE_P(process, endings, ::testing::ValuesIn(names()),
                         [](const ::testing::TestParamInfo<std::string>& p) { return p.param; });

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(argc, argv, children);
}
