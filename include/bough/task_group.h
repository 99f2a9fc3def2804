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

// A set of tasks for which a thread waits together. Any thread, and any task of the group, may call run and cancel; one
// thread at a time may call wait. A group belongs to the loop or task in which it was made, is cancelled with it, and
// must not outlive it.
class task_group {
public:
    // Bound to the loop or task in which it is made.
    task_group() : task_group(detail::here(), nullptr) {}
    explicit task_group(task_group_context& context) : task_group(detail::here(), &context) {}
    task_group(const task_group&) = delete;
    task_group& operator=(const task_group&) = delete;

    // If tasks are left, cancels the group and waits for them. Then throws missing_wait, unless an exception is on its
    // way already.
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

    // Any thread runs f() once, before wait() returns. If the group is cancelled before, f() never runs. O(1). wait()
    // throws what f throws. Throws std::bad_alloc, and what copying f throws; then no task was added.
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

    // Makes a task that runs f() once the handle has been given to run(), or to an arena's enqueue(). The group counts
    // the task from now on, so its waits and its destructor wait for the task (task_handle.h). O(1). Throws
    // std::bad_alloc, and what copying f throws; then no task was added.
    template <class F>
    task_handle defer(F&& f) {
        detail::task& fresh = detail::function_task<std::decay_t<F>>::make(std::forward<F>(f), state_);
        detail::count_deferred(state_);
        return task_handle(fresh);
    }

    // As run() of the deferred function. The handle is empty afterwards. Throws std::invalid_argument if the handle is
    // empty or of another group, and std::bad_alloc; then the handle is unchanged.
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

    // run(h), then wait(). Throws what these throw.
    task_group_status run_and_wait(task_handle&& h) {
        run(std::move(h));
        return wait();
    }

    // Runs f in the calling thread, as a task of the group, and waits. Throws what wait() throws. Throws std::bad_alloc
    // if there is no memory for the thread's slot; then f has not run, and the call has not waited.
    template <class F>
    task_group_status run_and_wait(const F& f) {
        detail::invoke_task<F> here(f, state_);
        detail::run_here(here);
        return wait();
    }

    // Returns when all tasks are done: `canceled` if some may not have run. Throws the first exception of a task, after
    // the other tasks were cancelled. That is nesting_too_deep if too little stack was left to run a task. The group
    // can be used again afterwards; if its context was cancelled, only after the context's reset(). What another thread
    // adds or cancels while a wait ends belongs to that wait or to the next one. So each first exception comes out of
    // one of them.
    task_group_status wait() {
        detail::wait(state_);
        std::exception_ptr error;
        const bool was_stopped = state_.end_wait(error);
        if (error)
            detail::raise_again(std::move(error));
        return was_stopped ? canceled : complete;
    }

    // Cancels the group: tasks that have not begun will not run.
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

// Is the calling thread's innermost loop or task of a group cancelled, or any loop or task around that? False outside
// of both. O(depth of nesting) while anything is cancelled, else O(1).
inline bool is_current_task_group_canceling() noexcept {
    const detail::cancel_node* const scope = detail::here().scope;
    return scope && scope->is_stopped();
}

}  // namespace bough
