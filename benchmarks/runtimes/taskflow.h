#pragma once
// Taskflow: a task group per fork where it has them (from 4.0 on), else asynchronous tasks that the worker counts.

#include <atomic>
#include <memory>
#include <string>

#include <taskflow/taskflow.hpp>

#include "common/runtime.h"

namespace bench {

// run and wait of the two ways. Both must be used by a worker of the executor.
template <class Executor>
class taskflow_group {
public:
    explicit taskflow_group(Executor& executor) : executor_(executor) {}

    template <class F>
    void run(const F& f) {
        // relaxed: only the worker that waits counts up, and it reads its own.
        left_.fetch_add(1, std::memory_order_relaxed);
        executor_.silent_async([f, this] {
            f();
            // release: pairs with the acquire in wait; what f wrote is visible there.
            left_.fetch_sub(1, std::memory_order_release);
        });
    }
    void wait() {
        executor_.corun_until([this] { return left_.load(std::memory_order_acquire) == 0; });
    }

private:
    Executor& executor_;
    std::atomic<index> left_{0};
};

template <class Executor>
    requires requires(Executor& executor) { executor.task_group().corun(); }
class taskflow_group<Executor> {
public:
    explicit taskflow_group(Executor& executor) : group_(executor.task_group()) {}

    template <class F>
    void run(const F& f) {
        group_.silent_async(f);
    }
    void wait() { group_.corun(); }

private:
    decltype(std::declval<Executor&>().task_group()) group_;
};

struct taskflow {
    static constexpr const char* name = "taskflow";
    static constexpr bool starts_all = false;
    static std::string version() { return std::string("Taskflow ") + tf::version(); }

    template <class F>
    static void enter(unsigned threads, const F& f) {
        executor_ = std::make_unique<tf::Executor>(threads);
        f();
        executor_.reset();
    }

    template <class F>
    static void fork_root(const F& f) {
        executor_->async(f).wait();
    }

    template <class F, class G>
    static void fork(const F& f, const G& g) {
        taskflow_group<tf::Executor> group(*executor_);
        group.run(f);
        g();
        group.wait();
    }

    template <class F>
    static void fork_each(index first, index last, const F& f) {
        taskflow_group<tf::Executor> group(*executor_);
        for (; first + 1 < last; ++first)
            group.run([first, &f] { f(first); });
        f(first);
        group.wait();
    }

private:
    static inline std::unique_ptr<tf::Executor> executor_;
};

}  // namespace bench
