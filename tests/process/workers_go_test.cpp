// A worker goes although there is more to do where it is: when a limit is lowered, when an arena of higher priority
// waits, and after its turn when another arena does.
#include <bough/bough.h>

#include <functional>
#include <optional>

#include "watched_children.h"

namespace {

using bough::global_control;
using bough_test::census;
using bough_test::child_argument;
using bough_test::fail_child;
using priority = bough::task_arena::priority;

void wait_until(const std::function<bool()>& is_so) {  // the child's watchdog bounds it
    while (!is_so())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Functions that enqueue themselves again until they are told to stop.
class chains {
public:
    chains(bough::task_arena& a, int count, std::function<void()> body)
        : arena_(a), left_(count), body_(std::move(body)) {
        for (int i = 0; i < count; ++i)
            arena_.enqueue([this] { go_on(); });
    }
    ~chains() {
        stop_ = true;
        wait_until([this] { return left_ == 0; });
    }

private:
    void go_on() {
        body_();
        if (stop_)
            --left_;
        else
            arena_.enqueue([this] { go_on(); });
    }

    bough::task_arena& arena_;
    std::atomic<bool> stop_{false};
    std::atomic<int> left_;
    std::function<void()> body_;
};

// Each worker may have been about to begin a function when the limit came: what it begins after that one counts.
int child_lower_limit_for_enqueued() {
    census before, after;
    std::atomic<int> begun_after{0};
    std::atomic<bool> lowered{false};
    bough::task_arena arena(4, 0);
    const chains all(arena, 8, [&] {
        static thread_local bool knows = false;
        if (!lowered) {
            const census::inside here(before);
            bough_test::work_a_little(20000);
        } else if (std::exchange(knows, true)) {
            const census::inside here(after);
            bough_test::work_a_little(20000);
            ++begun_after;
        }
    });
    wait_until([&] { return before.most_at_once() == 3; });
    const global_control limit(global_control::max_allowed_parallelism,
                               static_cast<std::size_t>(std::stoi(child_argument())));
    lowered = true;
    wait_until([&] { return begun_after >= 500; });
    return after.most_at_once() == 1 ? 0 : fail_child("more than one worker beyond the lower limit");
}

// A worker that the limit leaves elsewhere waits for what is enqueued behind a function that ends under it.
int last_where_something_is_enqueued(bool is_more_important_elsewhere) {
    std::atomic<bool> waits{false}, begun{false}, lowered{false}, behind{false}, done{false};
    std::atomic<bool> important_ran{!is_more_important_elsewhere};
    bough::task_arena here(3, 0), elsewhere(3, 0), important(3, 0, priority::high);
    elsewhere.enqueue([&] {
        waits = true;
        wait_until([&] { return behind.load(); });
        done = true;
    });
    here.enqueue([&] {
        begun = true;
        wait_until([&] { return lowered.load(); });
    });
    wait_until([&] { return waits && begun; });
    here.enqueue([&] { behind = true; });
    if (is_more_important_elsewhere)
        important.enqueue([&] { important_ran = true; });
    const global_control limit(global_control::max_allowed_parallelism,
                               static_cast<std::size_t>(std::stoi(child_argument())));
    lowered = true;
    wait_until([&] { return done && important_ran; });
    return 0;
}

// Several leave at once, and somebody elsewhere waits for each thing that is enqueued.
int child_several_last() {
    bough::task_arena here(5, 0), elsewhere(5, 0);
    for (int round = 0; round < 300; ++round) {
        const global_control threads(global_control::max_allowed_parallelism, 5);
        std::atomic<int> begun{0}, ran{0};
        std::atomic<bool> lowered{false}, waits{false}, done{false};
        elsewhere.enqueue([&] {
            waits = true;
            wait_until([&] { return ran == 3; });
            done = true;
        });
        for (int i = 0; i < 3; ++i) {
            here.enqueue([&] {
                ++begun;
                while (!lowered) {
                }
            });
        }
        wait_until([&] { return waits && begun == 3; });
        for (int i = 0; i < 3; ++i)
            here.enqueue([&] { ++ran; });
        const global_control limit(global_control::max_allowed_parallelism, 2);
        lowered = true;
        wait_until([&] { return done.load(); });
    }
    return 0;
}

// A helper whose interval ends under the limit takes no other one, though the caller has much left: what the helper
// runs is contiguous. (The caller never sleeps: a worker would stand in for it.)
int child_lower_limit_for_a_loop() {
    const auto caller = std::this_thread::get_id();
    std::atomic<int> taken_after{0};
    std::atomic<bool> is_helped{false}, lowered{false};
    std::optional<global_control> limit;
    bough::parallel_for(
        0, 2000,
        [&](int i) {
            if (std::this_thread::get_id() == caller) {
                if (!limit && is_helped) {
                    limit.emplace(global_control::max_allowed_parallelism, 1);
                    lowered = true;
                }
                bough_test::work_a_little(50000);
                return;
            }
            static thread_local int last = -1;
            is_helped = true;
            if (last != -1 && i != last + 1)
                ++taken_after;
            last = i;
            while (!lowered) {
            }
        },
        bough::simple_partitioner{});
    std::cout << (lowered ? "lowered" : "nobody came") << ", taken after: " << taken_after << std::endl;
    return taken_after == 0 ? 0 : fail_child("a helper took more");
}

struct two_arenas {
    two_arenas(int concurrency, unsigned reserved, bool is_one_higher)
        : busy(concurrency, reserved, is_one_higher ? priority::low : priority::normal),
          waiting(concurrency, reserved, is_one_higher ? priority::high : priority::normal) {}

    // However often.
    void enqueue_in_the_waiting_one() {
        for (int round = 0; round < 20; ++round) {
            std::atomic<bool> ran{false};
            waiting.enqueue([&] { ran = true; });
            wait_until([&] { return ran.load(); });
        }
    }

    bough::task_arena busy, waiting;
};

int more_is_enqueued(bool is_one_higher) {
    two_arenas arenas(4, 0, is_one_higher);
    const chains all(arenas.busy, 4, [] { bough_test::work_a_little(20000); });
    arenas.enqueue_in_the_waiting_one();
    return 0;
}

int more_to_steal(bool is_one_higher) {
    two_arenas arenas(4, 1, is_one_higher);
    std::atomic<bool> stop{false};
    std::thread spawner([&] {
        arenas.busy.execute([&] {
            bough::task_group group;
            std::atomic<int> ahead{0};
            while (!stop) {
                if (ahead >= 200) {
                    std::this_thread::yield();
                    continue;
                }
                ++ahead;
                group.run([&] {
                    bough_test::work_a_little(20000);
                    --ahead;
                });
            }
            group.wait();
        });
    });
    arenas.enqueue_in_the_waiting_one();
    stop = true;
    spawner.join();
    return 0;
}

// ---- the table ----

const bough_test::settings two{{"BOUGH_NUM_THREADS", "2"}}, three{{"BOUGH_NUM_THREADS", "3"}},
    four{{"BOUGH_NUM_THREADS", "4"}};

TEST(workers_go, when_the_limit_is_lower_though_more_is_enqueued) {
    bough_test::expect_children_succeed({"lower_limit_for_enqueued:1", "lower_limit_for_enqueued:2"}, {four});
}

TEST(workers_go, but_not_the_last_one_where_something_is_enqueued) {
    bough_test::expect_children_succeed({"last_where_something_is_enqueued:1",
                                         "last_where_something_is_enqueued:2",
                                         "last_beside_higher_priority:1", "last_beside_higher_priority:2"},
                                        {three});
    bough_test::expect_children_succeed({"several_last"}, {{{"BOUGH_NUM_THREADS", "5"}}});
}

TEST(workers_go, when_the_limit_is_lower_though_their_loop_goes_on) {
    bough_test::expect_children_succeed({"lower_limit_for_a_loop"},
                                        {{{"BOUGH_NUM_THREADS", "4"}, {"BOUGH_SPIN_US", "forever"}}});
}

TEST(workers_go, to_higher_priority_though_more_is_enqueued) {
    bough_test::expect_children_succeed({"more_is_enqueued"}, {two, three});
}

TEST(workers_go, to_higher_priority_though_there_is_more_to_steal) {
    bough_test::expect_children_succeed({"more_to_steal"}, {two, four});
}

TEST(workers_go, after_a_turn_to_an_arena_that_waits) {
    bough_test::expect_children_succeed({"more_is_enqueued_in_turns", "more_to_steal_in_turns"},
                                        {two, three});
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(
        argc, argv,
        {{"lower_limit_for_enqueued", child_lower_limit_for_enqueued},
         {"last_where_something_is_enqueued", [] { return last_where_something_is_enqueued(false); }},
         {"last_beside_higher_priority", [] { return last_where_something_is_enqueued(true); }},
         {"several_last", child_several_last},
         {"lower_limit_for_a_loop", child_lower_limit_for_a_loop},
         {"more_is_enqueued", [] { return more_is_enqueued(true); }},
         {"more_to_steal", [] { return more_to_steal(true); }},
         {"more_is_enqueued_in_turns", [] { return more_is_enqueued(false); }},
         {"more_to_steal_in_turns", [] { return more_to_steal(false); }}});
}
