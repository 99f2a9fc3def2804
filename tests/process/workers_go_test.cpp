// A worker goes where it is due although there is more to do where it is: when a limit is lowered, when an arena of
// higher or of the same priority waits. To each slot that was left behind one comes, whatever the others wait for.
#include <bough/bough.h>

#include <array>
#include <functional>
#include <future>
#include <optional>

#include "watched_children.h"

namespace {

using bough::global_control;
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

class crowd {
public:
    class inside {
    public:
        explicit inside(crowd& c) : crowd_(c) {
            const int here = ++crowd_.now_;
            int seen = crowd_.most_;
            while (here > seen && !crowd_.most_.compare_exchange_weak(seen, here)) {
            }
        }
        ~inside() { --crowd_.now_; }
        inside(const inside&) = delete;
        inside& operator=(const inside&) = delete;

    private:
        crowd& crowd_;
    };
    int most() const { return most_; }

private:
    std::atomic<int> now_{0}, most_{0};
};

// Each worker may have been about to begin a function when the limit came: what it begins after that one counts.
int child_lower_limit_for_enqueued() {
    crowd before, after;
    std::atomic<int> begun_after{0};
    std::atomic<bool> lowered{false};
    bough::task_arena arena(4, 0);
    const chains all(arena, 8, [&] {
        static thread_local bool knows = false;
        if (!lowered) {
            const crowd::inside here(before);
            bough_test::work_a_little(20000);
        } else if (std::exchange(knows, true)) {
            const crowd::inside here(after);
            bough_test::work_a_little(20000);
            ++begun_after;
        }
    });
    wait_until([&] { return before.most() == 3; });
    const global_control limit(global_control::max_allowed_parallelism,
                               static_cast<std::size_t>(std::stoi(child_argument())));
    lowered = true;
    wait_until([&] { return begun_after >= 500; });
    return after.most() == 1 ? 0 : fail_child("more than one worker beyond the lower limit");
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

// The argument: the priority of the one that waits, beside the other's.
struct two_arenas {
    two_arenas(int concurrency, unsigned masters)
        : busy(concurrency, masters, is_same() ? priority::normal : priority::low),
          waiting(concurrency, masters, is_same() ? priority::normal : priority::high) {}

    // However often.
    void enqueue_in_the_waiting_one() {
        for (int round = 0; round < 20; ++round) {
            std::atomic<bool> ran{false};
            waiting.enqueue([&] { ran = true; });
            wait_until([&] { return ran.load(); });
        }
    }

    bough::task_arena busy, waiting;

private:
    static bool is_same() { return child_argument() == "same"; }
};

int child_more_is_enqueued() {
    two_arenas arenas(4, 0);
    const chains all(arenas.busy, 4, [] { bough_test::work_a_little(20000); });
    arenas.enqueue_in_the_waiting_one();
    return 0;
}

int child_more_to_steal() {
    two_arenas arenas(4, 1);
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

// Two groups in one slot: the second one's task is suspended when the wait for the first returns, so the slot is left
// behind. `afterwards` runs there when the task is resumed, `between` in the thread before it waits for it. Again, if a
// worker has taken the task before: that one would be waiting in `afterwards` itself.
void leave_a_slot_behind(
    const std::function<void()>& afterwards, const std::function<void()>& between = [] {}) {
    const auto caller = std::this_thread::get_id();
    const auto resumed_after = [](std::thread& by, int ms) {
        bough::suspend([&by, ms](bough::suspend_point p) {
            by = std::thread([p, ms] {
                std::this_thread::sleep_for(std::chrono::milliseconds(ms));
                bough::resume(p);
            });
        });
    };
    for (std::atomic<bool> is_own{false}; !is_own;) {
        std::array<std::thread, 2> resumers;
        bough::task_group first, second;
        second.run([&] {
            const bool began_here = std::this_thread::get_id() == caller;
            is_own = began_here;
            resumed_after(resumers[0], 20);
            if (began_here)
                afterwards();
        });
        first.run([&] { resumed_after(resumers[1], 5); });
        first.wait();
        if (is_own)
            between();
        second.wait();
        for (std::thread& t : resumers)
            t.join();
    }
}

// A function that waits, in a worker, for what is told.
class waiting_function {
public:
    explicit waiting_function(bough::task_arena& a) {
        a.enqueue([this] {
            state_ = 1;
            told_.get_future().wait();
            state_ = 2;
        });
        wait_until([this] { return state_ == 1; });
    }
    ~waiting_function() {
        wait_until([this] { return has_ended(); });
    }
    void tell() { told_.set_value(); }
    bool has_ended() const { return state_ == 2; }

private:
    std::promise<void> told_;
    std::atomic<int> state_{0};
};

// The thread waits for what runs there, in the group's wait or in its own way.
int child_left_behind_beside_enqueued() {
    bough::task_arena arena(2, 1);
    const chains all(arena, 2, [] { bough_test::work_a_little(20000); });
    leave_a_slot_behind([] {});
    std::atomic<bool> ran{false};
    leave_a_slot_behind([&] { ran = true; }, [&] { wait_until([&] { return ran.load(); }); });
    return 0;
}

// The only worker allowed waits for what is suspended in the slot.
int child_left_behind_beside_who_waits() {
    bough::task_arena arena(2, 1);
    {
        waiting_function f(arena);
        leave_a_slot_behind([&] { f.tell(); });
    }
    waiting_function f(arena);
    leave_a_slot_behind([&] { f.tell(); }, [&] { wait_until([&] { return f.has_ended(); }); });
    return 0;
}

// What is suspended in the slot waits for the last of the functions that the only worker allowed runs.
int child_left_behind_waits_for_a_backlog() {
    constexpr int functions = 300;
    bough::task_arena arena(4, 0);
    std::promise<void> last;
    std::atomic<int> ran{0};
    for (int i = 0; i < functions; ++i)
        arena.enqueue([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (++ran == functions)
                last.set_value();
        });
    leave_a_slot_behind([&] { last.get_future().wait(); });
    return 0;
}

// The only worker allowed, and what is suspended in one slot, wait for what is suspended in another.
int child_left_behind_twice() {
    bough::task_arena arena(2, 1);
    waiting_function f(arena);
    std::promise<void> told;
    std::atomic<bool> waits{false};
    std::thread other([&] {
        leave_a_slot_behind([&] {
            waits = true;
            told.get_future().wait();
        });
    });
    wait_until([&] { return waits.load(); });
    leave_a_slot_behind([&] {
        told.set_value();
        f.tell();
    });
    other.join();
    return 0;
}

// ---- the table ----

const bough_test::settings one{{"BOUGH_NUM_THREADS", "1"}}, two{{"BOUGH_NUM_THREADS", "2"}},
    three{{"BOUGH_NUM_THREADS", "3"}}, four{{"BOUGH_NUM_THREADS", "4"}};

TEST(workers_go, when_the_limit_is_lower_though_more_is_enqueued) {
    bough_test::expect_children_succeed({"lower_limit_for_enqueued:1", "lower_limit_for_enqueued:2"}, {four});
}

TEST(workers_go, when_the_limit_is_lower_though_their_loop_goes_on) {
    bough_test::expect_children_succeed({"lower_limit_for_a_loop"},
                                        {{{"BOUGH_NUM_THREADS", "4"}, {"BOUGH_SPIN_US", "forever"}}});
}

TEST(workers_go, to_another_arena_though_more_is_enqueued) {
    bough_test::expect_children_succeed({"more_is_enqueued:same", "more_is_enqueued:higher"},
                                        {one, two, three});
}

TEST(workers_go, to_another_arena_though_there_is_more_to_steal) {
    bough_test::expect_children_succeed({"more_to_steal:same", "more_to_steal:higher"}, {two, four});
}

TEST(workers_go, to_a_slot_that_was_left_behind) {
    bough_test::expect_children_succeed({"left_behind_beside_enqueued", "left_behind_beside_who_waits",
                                         "left_behind_waits_for_a_backlog", "left_behind_twice"},
                                        {one, two, three});
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(
        argc, argv,
        {{"lower_limit_for_enqueued", child_lower_limit_for_enqueued},
         {"lower_limit_for_a_loop", child_lower_limit_for_a_loop},
         {"more_is_enqueued", child_more_is_enqueued},
         {"more_to_steal", child_more_to_steal},
         {"left_behind_beside_enqueued", child_left_behind_beside_enqueued},
         {"left_behind_beside_who_waits", child_left_behind_beside_who_waits},
         {"left_behind_waits_for_a_backlog", child_left_behind_waits_for_a_backlog},
         {"left_behind_twice", child_left_behind_twice}});
}
