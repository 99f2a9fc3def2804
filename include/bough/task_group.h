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
#include "task_handle.h"

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
        using function = detail::function_task<std::decay_t<F>>;
        function& fresh = function::make(std::forward<F>(f), state_);
        try {
            detail::spawn(fresh);
        } catch (...) {  // no slot for this thread
            function::destroy(fresh);
            throw;
        }
    }

    // A task that runs f() when the handle is given to run(), or to an arena's enqueue(). The group counts it from now
    // on, so waits wait for it, and the destructor too: task_handle.h. O(1). Throws std::bad_alloc, and what copying f
    // throws; no task was added then.
    template <class F>
    task_handle defer(F&& f) {
        detail::task& fresh = detail::function_task<std::decay_t<F>>::make(std::forward<F>(f), state_);
        detail::count_deferred(state_);
        return task_handle(fresh);
    }

    // As run() of the function that was deferred; the handle is empty then. Throws std::invalid_argument when the
    // handle is empty or another group's, and std::bad_alloc; the handle is as it was then.
    void run(task_handle&& h) {
        h.check("task_group::run", &state_);
        detail::task& t = h.release();
        try {
            detail::spawn_deferred(t);
        } catch (...) {  // no slot for this thread
            h.take_back(t);
            throw;
        }
    }

    // run(h), and wait(). Throws what these do.
    task_group_status run_and_wait(task_handle&& h) {
        run(std::move(h));
        return wait();
    }

    // Runs f here, as a task of the group, and waits. Throws what wait() does; and std::bad_alloc, before f runs and
    // without waiting, when there is no memory for the thread's slot.
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

// Is what the calling thread is in the middle of cancelled: the innermost task of a group, or loop, or what that is
// inside of? False outside of both. O(depth of nesting) while anything is cancelled, else O(1).
inline bool is_current_task_group_canceling() noexcept {
    const detail::cancel_node* const scope = detail::here().scope;
    return scope && scope->is_stopped();
}

}  // namespace bough
