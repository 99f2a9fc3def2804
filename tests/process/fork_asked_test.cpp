// A thread forks while another thread has its request for work, which is possible on the balancer of channels
// (src/balance/README.md). In the child nobody has that request: the thread must be able to ask again.

#include <bough/poll.h>

#include "fork_support.h"
#include "watched_children.h"

namespace {

template <class Condition>
void poll_until(Condition&& condition) {
    while (!condition()) {
        bough::poll();
        std::this_thread::yield();
    }
}

// The body goes on when another thread has run what it spawned; of two threads only this one can.
bool can_get_work() {
    const bough::global_control two_threads(bough::global_control::max_allowed_parallelism, 2);
    std::atomic<bool> has_begun{false}, has_run{false};
    bough::task_group group;
    group.run([&] {
        has_begun = true;
        group.run([&] { has_run = true; });
        poll_until([&] { return has_run.load(); });
    });
    poll_until([&] { return has_begun.load(); });
    group.wait();
    return has_run;
}

// A worker has many tasks, and does not answer until the fork is done. The caller waits for another worker's task
// meanwhile, and so asks the first one. (That other worker begins first: it would ask the first one, too.)
int fork_while_asking() {
    std::atomic<bool> is_holding{false}, has_forked{false}, is_sleeping{false};
    bough::task_group held, slept;
    slept.run([&] {
        is_sleeping = true;
        while (!is_holding)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    poll_until([&] { return is_sleeping.load(); });
    held.run([&] {
        for (int i = 0; i < 32; ++i)
            held.run([] {});
        is_holding = true;
        while (!has_forked)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
    poll_until([&] { return is_holding.load(); });
    slept.wait();
    const bough_test::outcome child = bough_test::in_child([] { return can_get_work() ? 0 : 1; });
    has_forked = true;
    held.wait();
    if (child.succeeded())
        return 0;
    std::cout << "the child: " << child.what() << std::endl;
    return 1;
}

TEST(fork_asked, a_child_can_ask_for_work_if_its_thread_had_asked_before) {
    const auto outcome = bough_test::run_child("asked", {{"BOUGH_NUM_THREADS", "3"}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(argc, argv, {{"asked", fork_while_asking}});
}
