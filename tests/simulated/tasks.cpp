// Trees of tasks: spawn and steal race for the last task of a queue, groups are waited for everywhere.

#include <bough/detail/dispatch.h>

#include "scenario.h"
#include "support/fib.h"

namespace simulated {
namespace {

void fib(random_numbers& random) {
    for (int round = 0; round < 2; ++round) {
        check_equal(bough_test::fib_by_group(9), 34, "fib by groups");
        pause(random, 10);
        check_equal(bough_test::fib_by_invoke(10), 55, "fib by parallel_invoke");
    }
}
const known fib_is("fib", fib);

// A queue that grows while thieves take from its other end; whoever waits, waits for all.
void bursts(random_numbers& random) {
    for (int round = 0; round < 12; ++round) {
        const int size = 1 << random.between(0, 7);
        visits seen(size);
        bough::task_group group;
        for (int i = 0; i < size; ++i) {
            group.run([&seen, i] { seen.hit(i); });
            if (random.one_in(30))
                pause(random, 3);
        }
        check(group.wait() == bough::complete, "a group was cancelled");
        seen.check_each(1);
    }
}
const known bursts_is("bursts", bursts);

// One task at a time: its owner takes it back while a thief reaches for it.
void last_task(random_numbers& random) {
    bough::task_group group;
    std::atomic<int> ran{0};
    constexpr int rounds = 60;
    for (int round = 0; round < rounds; ++round) {
        group.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
        if (random.one_in(4))
            pause(random, 1);
        group.wait();
        check_equal(ran.load(std::memory_order_relaxed), round + 1, "tasks that ran");
    }
}
const known last_task_is("last_task", last_task);

// A group that several threads fill and wait for.
void shared_group(random_numbers& random) {
    bough::task_group group;
    std::atomic<int> ran{0};
    constexpr int threads = 3, each = 20;
    const auto fill = [&](random_numbers mine) {
        for (int i = 0; i < each; ++i) {
            group.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
            if (mine.one_in(5))
                pause(mine, 5);
            if (mine.one_in(5))
                group.wait();
        }
        group.wait();
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
        others.emplace_back(fill, random_numbers(static_cast<std::uint64_t>(random.between(0, 1 << 30))));
    fill(random);
    for (std::thread& t : others)
        t.join();
    group.wait();
    check_equal(ran.load(), threads * each, "tasks that ran");
}
const known shared_group_is("shared_group", shared_group);

void cancelled_groups(random_numbers& random) {
    for (int round = 0; round < 25; ++round) {
        const int size = random.between(1, 30), at = random.between(0, size - 1);
        std::atomic<int> ran{0}, reached{0};
        bough::task_group group;
        for (int i = 0; i < size; ++i)
            group.run([&, i] {
                ran.fetch_add(1, std::memory_order_relaxed);
                if (i == at) {
                    reached.fetch_add(1, std::memory_order_relaxed);
                    group.cancel();
                }
            });
        check(group.wait() == bough::canceled, "a cancelled group says it is complete");
        check_equal(reached.load(), 1, "the task that cancels ran");
        check(ran.load() <= size, "more tasks ran than there are", ran.load(), size);
    }
}
const known cancelled_groups_is("cancelled_groups", cancelled_groups);

// A task that nobody counts, posted to a slot and to this thread's queue at once: it runs once.
struct letter : bough::detail::task {
    std::atomic<int>* left = nullptr;
    std::atomic<int> ran{0};
};
void open_letter(bough::detail::task& t, bool) {
    auto& mine = static_cast<letter&>(t);
    check_equal(mine.ran.fetch_add(1), 0, "times that a letter had been read");
    std::atomic<int>* const left = mine.left;
    if (left->fetch_sub(1, std::memory_order_seq_cst) == 1)
        bough::detail::unpark_all(left);
}

void mailed_tasks(random_numbers& random) {
    const int threads = allowed_threads();
    for (int round = 0; round < 20; ++round) {
        const int size = random.between(1, 12);
        std::atomic<int> left{size};
        std::vector<letter> letters(static_cast<std::size_t>(size));
        bough::detail::slot_index();
        for (letter& l : letters) {
            l.run = open_letter;
            l.left = &left;
            bough::detail::post_to(l, static_cast<std::uint16_t>(random.between(0, threads - 1)));
        }
        if (random.one_in(3))
            pause(random, 5);
        bough::detail::work_until(
            {[](const void* subject) { return static_cast<const std::atomic<int>*>(subject)->load() == 0; },
             &left});
        check_equal(left.load(), 0, "letters left");
    }
}
const known mailed_tasks_is("mailed_tasks", mailed_tasks);

// Regions that take nothing from outside, one per thread, and tasks around them.
void isolated(random_numbers& random) {
    for (int round = 0; round < 10; ++round) {
        std::atomic<int> ran{0};
        bough::task_group outer;
        const int tasks = random.between(2, 6);
        for (int i = 0; i < tasks; ++i)
            outer.run([&] {
                thread_local bool is_inside = false;
                check(!is_inside, "an isolated region took what is outside of it");
                is_inside = true;
                bough::this_task_arena::isolate([&] {
                    bough::task_group inner;
                    for (int k = 0; k < 3; ++k)
                        inner.run([&] { ran.fetch_add(1, std::memory_order_relaxed); });
                    bough::parallel_for(0, 3, [&](int) { ran.fetch_add(1, std::memory_order_relaxed); });
                    inner.wait();
                });
                is_inside = false;
            });
        outer.wait();
        check_equal(ran.load(), tasks * 6, "tasks in regions");
    }
}
const known isolated_is("isolated", isolated);

void feeder(random_numbers& random) {
    const int depth = random.between(4, 7);
    std::atomic<int> ran{0};
    const int roots[] = {depth, depth};
    bough::parallel_for_each(std::begin(roots), std::end(roots), [&](int left, bough::feeder<int>& more) {
        ran.fetch_add(1, std::memory_order_relaxed);
        if (left > 0) {
            more.add(left - 1);
            more.add(left - 1);
        }
    });
    check_equal(ran.load(), 2 * ((2 << depth) - 1), "items of a tree");
}
const known feeder_is("feeder", feeder);

}  // namespace
}  // namespace simulated
