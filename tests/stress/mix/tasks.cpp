// parallel_invoke, task groups, and tasks that suspend.

#include <bough/parallel_invoke.h>
#include <bough/resumable.h>
#include <bough/task_arena.h>
#include <bough/task_group.h>

#include <thread>
#include <utility>
#include <vector>

#include "stress/mix/arenas.h"
#include "stress/mix/operations.h"
#include "stress/mix/trial.h"

namespace mix {
namespace {

template <std::size_t... I>
void invoke_all(trial& t, bough::task_group_context& context, std::index_sequence<I...>) {
    bough::parallel_invoke([&t] { t.visit(I); }..., context);
}

int fibonacci(int n, bool by_groups) {
    if (n < 2)
        return n;
    int a = 0, b = 0;
    const auto left = [&] { a = fibonacci(n - 1, by_groups); };
    const auto right = [&] { b = fibonacci(n - 2, !by_groups); };
    if (by_groups) {
        bough::task_group group;
        group.run(left);
        group.run_and_wait(right);
    } else {
        bough::parallel_invoke(left, right);
    }
    return a + b;
}

// Task i runs its children in a tree, then itself.
struct tree_of_tasks {
    trial& t;
    bough::task_group& group;
    std::size_t width;

    void run(std::size_t i) const {
        for (std::size_t child = i * width + 1; child <= (i + 1) * width && child < t.size(); ++child)
            group.run([this, child] { run(child); });
        t.visit(i);
    }
};

}  // namespace

void invoke(scope& s) {
    const std::size_t n = s.roll.between(2, 6);
    trial t(s, n);
    t.run([&](auto& context) {
        switch (n) {
        case 2:
            return invoke_all(t, context, std::make_index_sequence<2>());
        case 3:
            return invoke_all(t, context, std::make_index_sequence<3>());
        case 4:
            return invoke_all(t, context, std::make_index_sequence<4>());
        case 5:
            return invoke_all(t, context, std::make_index_sequence<5>());
        default:
            return invoke_all(t, context, std::make_index_sequence<6>());
        }
    });
}

void fork_tree(scope& s) {
    constexpr int fibonaccis[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144};
    const int n = static_cast<int>(s.roll.below(std::size(fibonaccis)));
    const int sum = fibonacci(n, s.roll.one_in(2));
    require(s, s.may_stop || sum == fibonaccis[n], "wrong Fibonacci number");
}

void group_of_tasks(scope& s) {
    trial t(s, some(s.roll));
    const std::size_t width = s.roll.between(0, 4);  // 0: no tree
    t.run([&](auto& context) {
        bough::task_group group(context);
        if (s.roll.one_in(2))
            t.cancel_by(&group);
        const tree_of_tasks tree{t, group, width};
        if (width != 0 && t.size() != 0)
            group.run([&] { tree.run(0); });
        for (std::size_t i = 0; width == 0 && i < t.size(); ++i)
            group.run([&t, i] { t.visit(i); });
        std::size_t here = 0;
        const auto status = s.roll.one_in(2) ? group.wait() : group.run_and_wait([&] { here = 1; });
        require(s, !t.is_whole() || status == bough::complete, "a group that nobody cancelled is cancelled");
        if (!t.is_whole())
            return;
        group.run([&] { here = 2; });  // once more
        require(s, group.wait() == bough::complete && here == 2, "a group cannot be used again");
    });
}

// Its destructor cancels what has not begun, and waits for the rest.
void abandoned_group(scope& s) {
    const std::size_t n = some(s.roll);
    std::atomic<std::size_t> begun{0}, ended{0};
    try {
        bough::task_group group;
        for (std::size_t i = 0; i < n; ++i)
            group.run([&] {
                begun.fetch_add(1, std::memory_order_relaxed);
                work_a_little(200);
                ended.fetch_add(1, std::memory_order_relaxed);
            });
        if (s.roll.one_in(2))
            throw thrown{s.key};
    } catch (const bough::missing_wait&) {
        require(s, n != 0, "nothing was left, and the group says so");
        done.exceptions.fetch_add(1, std::memory_order_relaxed);
    } catch (const thrown&) {
        done.exceptions.fetch_add(1, std::memory_order_relaxed);
    }
    require(s, begun.load() == ended.load() && ended.load() <= n, "a task outlived its group");
}

// It is gone when its tasks are waited for. Only where a worker is free sooner or later: who waits inside of something
// else may be the last one, and does not look into the arena of a thread that is gone.
void tasks_of_another_thread(scope& s) {
    if (!s.is_outermost)
        return group_of_tasks(s);
    trial t(s, s.roll.between(1, 40));
    t.run([&](auto& context) {
        bough::task_group group(context);
        const std::size_t own = s.roll.below(t.size());
        const auto run = [&](std::size_t first, std::size_t last) {
            for (std::size_t i = first; i < last; ++i)
                group.run([&t, i] { t.visit(i); });
        };
        std::thread other([&] { run(own, t.size()); });
        run(0, own);
        other.join();
        group.wait();
    });
}

namespace {

// Tasks that suspend, and whoever resumes them: a task, a thread of the program, an enqueued function, or the one that
// suspends.
class sleepers {
public:
    sleepers(scope& s, std::size_t n) : scope_(s), arena_(shared_arena(s.roll.below(3))), threads_(n) {}
    ~sleepers() {
        // What suspend() calls may go on after the task does, and uses this object.
        while (called_.load(std::memory_order_acquire) != suspended_.load(std::memory_order_relaxed))
            std::this_thread::yield();
        for (std::thread& thread : threads_)
            if (thread.joinable())
                thread.join();
    }
    sleepers(const sleepers&) = delete;
    sleepers& operator=(const sleepers&) = delete;

    // Of the calling task, the `which`th.
    void suspend(std::size_t which) {
        suspended_.fetch_add(1, std::memory_order_relaxed);
        bough::suspend([this, which](bough::suspend_point p) {
            have_resumed(which, p);
            called_.fetch_add(1, std::memory_order_release);
        });
        done.suspensions.fetch_add(1, std::memory_order_relaxed);
    }
    void wait() { helpers_.wait(); }

private:
    void have_resumed(std::size_t which, bough::suspend_point p) {
        const auto resume = [p] { bough::resume(p); };
        switch (mixed(scope_.key, ~which) % 4) {
        case 0:
            if (scope_.takes_anything)
                return helpers_.run(resume);
            resume();
            return;
        case 1:
            threads_[which] = std::thread(resume);
            return;
        case 2:
            // Inside of something else the waiting thread may be the last one, and such functions are not for it.
            if (scope_.is_outermost)
                return arena_.enqueue(resume);
            [[fallthrough]];
        default:
            resume();
        }
    }

    scope& scope_;
    bough::task_arena& arena_;
    std::vector<std::thread> threads_;
    std::atomic<std::size_t> suspended_{0}, called_{0};
    bough::task_group_context not_cancelled_{bough::task_group_context::isolated};
    bough::task_group helpers_{not_cancelled_};
};

}  // namespace

void suspended_tasks(scope& s) {
    trial t(s, s.roll.between(1, 6));
    sleepers all(s, t.size());
    t.run([&](auto& context) {
        bough::task_group group(context);
        for (std::size_t i = 0; i < t.size(); ++i)
            group.run([&, i] {
                all.suspend(i);
                t.visit(i);
            });
        try {
            group.wait();
        } catch (...) {
            all.wait();
            throw;
        }
        all.wait();
    });
}

}  // namespace mix
