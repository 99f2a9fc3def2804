#pragma once
// task_group with oneTBB's meanings.

#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "config.h"
#include "context.h"
#include "detail/function_task.h"
#include "detail/invoke_task.h"
#include "detail/raise.h"
#include "detail/slot_view.h"
#include "detail/task.h"

namespace bough {

enum task_group_status { not_complete, complete, canceled };

class missing_wait : public std::runtime_error {
public:
    missing_wait() : std::runtime_error("bough::task_group: destroyed with tasks that nobody waited for") {}
};

// A set of tasks that are waited for together. run and cancel may be called from any thread and from tasks of the
// group, wait by one thread at a time. A group belongs to the loop or task in which it was made, is cancelled with it,
// and must not outlive it.
class task_group {
public:
    // Bound to the scope that it is made in.
    task_group() : task_group(detail::here(), nullptr) {}
    explicit task_group(task_group_context& context) : task_group(detail::here(), &context) {}
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
            detail::raise(missing_wait());
    }

    // f() runs once, by any thread, before wait() returns; or never, when the group is cancelled before. O(1). What f
    // throws comes out of wait(). Throws std::bad_alloc, and what copying f throws; no task was added then.
    template <class F>
    void run(F&& f) {
        using task = detail::function_task<std::decay_t<F>>;
        task& fresh = task::make(std::forward<F>(f), state_);
        try {
            detail::spawn(fresh);
        } catch (...) {  // no seat for this thread
            task::destroy(fresh);
            throw;
        }
    }

    // Runs f here, as a task of the group, and waits. Throws what wait() does; and std::bad_alloc, before f runs and
    // without waiting, when there is no memory for the thread's seat.
    template <class F>
    task_group_status run_and_wait(const F& f) {
        detail::invoke_task<F> here(f, state_);
        detail::run_here(here);
        return wait();
    }

    // Returns when all tasks are done, canceled if some may not have run. Throws the first exception of a task, after
    // the rest was cancelled; nesting_too_deep where one was to run with too little stack left. The group can be used
    // again afterwards; one whose context was cancelled, when that was reset. What another thread adds or cancels while
    // a wait ends belongs to that wait or to the next: each first exception comes out of one of them.
    task_group_status wait() {
        detail::wait(state_);
        std::exception_ptr error;
        const bool was_stopped = state_.end_wait(error);
        if (error)
            detail::raise_again(std::move(error));
        return was_stopped ? canceled : complete;
    }

    // Tasks that have not begun will not run.
    void cancel() {
        state_.cancel();
        if (context_)
            context_->cancel_group_execution();
    }

private:
    task_group(const detail::slot_view& here, task_group_context* context) : context_(context) {
        if (context)
            context->bind(state_.node, here.scope);
        else
            state_.node.put_below(here.scope);
        state_.fp_settings = here.fp_settings;
    }

    detail::task_group_state state_;
    task_group_context* context_ = nullptr;
};

}  // namespace bough
