// One short moment each, aimed at in many rounds: a worker leaves, a caller falls asleep, a slot changes hands, just
// when it is needed. Each scenario sets what decides whether the moment can come, whatever the seed says.

#include <cstdlib>
#include <string>

#include <bough/detail/dispatch.h>
#include <bough/statistics.h>

#include "scenario.h"

namespace simulated {
namespace {

// The only worker stops watching as soon as it has nothing to do.
void a_watcher_leaves(random_numbers& random) {
    set("2", "0");
    for (int round = 0; round < 60; ++round) {
        busy_for(random.between(0, 4000));
        if (random.one_in(2)) {
            meet_in_a_loop(2);
            continue;
        }
        meeting both(2);
        bough::task_group group;
        group.run([&] { both.arrive_and_wait(); });
        both.arrive_and_wait();
        group.wait();
    }
}
const known a_watcher_leaves_is("a_watcher_leaves", a_watcher_leaves);

// One worker watches, and takes what is published, when the other one's patience ends.
void the_other_worker_leaves(random_numbers& random) {
    set("3", std::to_string(random.between(1, 30)).c_str());
    for (int round = 0; round < 30; ++round) {
        busy_for(random.between(0, 40'000));
        meet_in_a_loop(3);
    }
}
const known the_other_worker_leaves_is("the_other_worker_leaves", the_other_worker_leaves);

// The caller sleeps; one worker watches, the other one starts a loop that needs all three.
void a_sleeping_caller_is_needed(random_numbers& random) {
    set("3", "2");
    for (int round = 0; round < 12; ++round) {
        meeting all(3);
        counter begun;
        bough::task_group group;
        const int watches_after_ns = random.between(0, 20'000), needed_after_ns = random.between(0, 60'000);
        group.run([&] {
            begun.add();
            busy_for(watches_after_ns);
        });
        group.run([&] {
            begun.add();
            busy_for(needed_after_ns);
            bough::parallel_for(0, 3, [&](int) { all.arrive_and_wait(); });
        });
        begun.wait_for(2);  // so that both are the workers'
        group.wait();
    }
}
const known a_sleeping_caller_is_needed_is("a_sleeping_caller_is_needed", a_sleeping_caller_is_needed);

// The caller lies down while a worker publishes tasks and takes them back at once. The last task needs the caller.
void a_caller_lies_down_beside_short_tasks(random_numbers& random) {
    set("3", "2");
    for (int round = 0; round < 12; ++round) {
        counter begun, needed;
        bough::task_group group;
        const int short_tasks = random.between(0, 60), most_apart_ns = random.between(0, 1000);
        group.run([&] {
            begun.add();
            needed.wait_for(1);
        });
        group.run([&] {
            begun.add();
            if (must_poll())
                begun.wait_for(2);  // else a wait below may take the other task, which needs this one
            for (int left = short_tasks; left > 0; --left) {
                bough::task_group own;
                own.run([] {});
                own.wait();
                busy_for(random.between(0, most_apart_ns));
            }
            bough::task_group last;
            last.run([&] { needed.add(); });
            needed.wait_for(1);
            last.wait();
        });
        begun.wait_for(2);  // so that both are the workers'
        group.wait();
    }
}
const known a_caller_lies_down_is("a_caller_lies_down_beside_short_tasks",
                                  a_caller_lies_down_beside_short_tasks);

// A worker that has left still sits in its slot, and another one that is called finds none.
void a_slot_is_given_back(random_numbers& random) {
    set("4", "0");
    struct slow_to_go : bough::observer {
        std::atomic<int> most_ns{0};
        explicit slow_to_go(bough::task_arena& a) : observer(a) {}
        ~slow_to_go() override { observe(false); }
        void on_exit(bool is_worker) override {
            if (is_worker)
                busy_for(most_ns.load());
        }
    };
    bough::task_arena arena(2, 1);
    slow_to_go observer(arena);
    observer.observe();
    for (int round = 0; round < 25; ++round) {
        observer.most_ns = random.between(0, 40'000);
        busy_for(random.between(0, 10'000));
        arena.execute([] { meet_in_a_loop(2); });
    }
}
const known a_slot_is_given_back_is("a_slot_is_given_back", a_slot_is_given_back);

// Assignments that their receivers have not begun are taken back at once.
void hands_are_taken_back(random_numbers& random) {
    setenv("BOUGH_DISTRIBUTE", "tree", 1);
    const int threads = allowed_threads();
    for (int round = 0; round < 200; ++round) {
        visits seen(threads);
        bough::parallel_for(0, threads, [&](int i) { seen.hit(i); }, bough::static_partitioner{});
        seen.check_each(1);
        if (random.one_in(20))
            pause(random, 5);
    }
}
const known hands_are_taken_back_is("hands_are_taken_back", hands_are_taken_back);

// Everybody writes to one slot. A letter lies in its sender's queue too, so it would be read if it were lost; what is
// counted shows it: of each letter's two places one is found spent.
struct letter : bough::detail::task {
    std::atomic<int>* left = nullptr;
};
void open_letter(bough::detail::task& t, bool) {
    std::atomic<int>* const left = static_cast<letter&>(t).left;
    if (left->fetch_sub(1, std::memory_order_seq_cst) == 1)
        bough::detail::unpark_all(left);
}

long long letters_not_met_twice() {
    const bough::counts counted = bough::statistics_now().total;
    return static_cast<long long>(counted[bough::event::mailed] - counted[bough::event::proxy_found_spent]);
}

void letters_to_one_slot(random_numbers& random) {
    setenv("BOUGH_STATS", "1", 1);
    // No other letters: one to a worker that leaves meanwhile lies in its slot until a worker comes again.
    setenv("BOUGH_MAIL", "off", 1);
    const int threads = allowed_threads(), each = random.between(1, 8);
    const std::uint16_t slot = bough::detail::slot_index();
    for (int round = 0; round < 8; ++round) {
        std::atomic<int> left{threads * each};
        std::vector<letter> letters(static_cast<std::size_t>(threads * each));
        meeting all(threads);
        bough::parallel_for(0, threads, [&](int i) {
            all.arrive_and_wait();
            for (int k = 0; k < each; ++k) {
                letter& l = letters[static_cast<std::size_t>(i * each + k)];
                l.run = open_letter;
                l.left = &left;
                bough::detail::post_to(l, slot);
            }
        });
        bough::detail::work_until(
            {[](const void* subject) { return static_cast<const std::atomic<int>*>(subject)->load() == 0; },
             &left});
        check_equal(left.load(), 0, "letters left");
    }
    // Other threads may have letters in their queues still; this one looks into its mailbox when it waits.
    for (int looks = 0; letters_not_met_twice() != 0; ++looks) {
        check_equal(looks < 1000 ? 0 : letters_not_met_twice(), 0,
                    "letters that were not met in both places");
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        // The goal is reached when it is asked for the second time: the thread looks in between, and does not sleep, as
        // nothing would wake it.
        int asked = 0;
        bough::detail::work_until(
            {[](const void* subject) { return ++*static_cast<int*>(const_cast<void*>(subject)) > 1; },
             &asked});
    }
}
const known letters_to_one_slot_is("letters_to_one_slot", letters_to_one_slot);

}  // namespace
}  // namespace simulated
