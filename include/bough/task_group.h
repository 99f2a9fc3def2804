#pragma once
// task_group with oneTBB's meanings.

#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "config.h"
#include "context.h"
#include "detail/invoke_task.h"
#include "detail/task.h"

namespace bough {

enum task_group_status { not_complete, complete, canceled };

class missing_wait : public std::runtime_error {
public:
    missing_wait() : std::runtime_error("bough::task_group: destroyed with tasks that nobody waited for") {}
};

// A set of tasks that are waited for together. run and cancel may be called from any thread and from tasks of the group,
// wait by one thread at a time. A group belongs to the loop or task in which it was made, is cancelled with it, and must
// not outlive it.
class task_group {
public:
    // Bound to the scope that it is made in.
    task_group() {
        state_.node.parent = detail::here().scope;
        state_.fp_settings = detail::here().fp_settings;
    }
    explicit task_group(task_group_context& context) : context_(&context) {
        context.bind(state_.node, detail::here().scope);
        state_.fp_settings = detail::here().fp_settings;
    }
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    // Cancels and waits; throws missing_wait when tasks were left and no exception is on its way.
    ~task_group() noexcept(false) {
        struct unbinder {
            task_group& group;
            ~unbinder() {
                if (group.context_)
                    group.context_->unbind(group.state_.node);
            }
        } const unbind{*this};
        if (state_.is_done())
            return;
        const bool unwinding = std::uncaught_exceptions() > 0;
        cancel();
        detail::wait(state_);
        if (!unwinding)
            throw missing_wait();
    }

    // f() runs once, by any thread, before wait() returns; or never, when the group is cancelled before. O(1).
    template <class F>
    void run(F&& f) {
        auto fresh = std::make_unique<function_task<std::decay_t<F>>>(std::forward<F>(f), state_);
        detail::spawn(*fresh);
        static_cast<void>(fresh.release());  // it frees itself, and may have done so
    }

    // Runs f here, as a task of the group, and waits.
    template <class F>
    task_group_status run_and_wait(const F& f) {
        detail::invoke_task<F> here(f, state_);
        detail::run_here(here);
        return wait();
    }

    // Returns when all tasks are done, canceled if some may not have run. Rethrows the first exception of a task.
    // The group can be used again afterwards.
    task_group_status wait() {
        detail::wait(state_);
        const bool was_stopped = state_.node.is_stopped();
        std::exception_ptr error = std::exchange(state_.error, nullptr);
        state_.failed.store(false, std::memory_order_relaxed);
        state_.node.stopped.store(0, std::memory_order_relaxed);
        if (error)
            std::rethrow_exception(error);
        return was_stopped ? canceled : complete;
    }

    // Tasks that have not begun will not run.
    void cancel() {
        state_.node.stop();
        if (context_)
            context_->cancel_group_execution();
    }

private:
    template <class F>
    struct function_task : detail::task {
        template <class G>
        function_task(G&& g, detail::task_group_state& state) : f(std::forward<G>(g)) {
            group = &state;
            run = [](detail::task& t, bool cancelled) {
                const std::unique_ptr<function_task> self(&static_cast<function_task&>(t));
                if (!cancelled)
                    self->f();
            };
        }
        F f;
    };

    detail::task_group_state state_;
    task_group_context* context_ = nullptr;
};

}  // namespace bough
