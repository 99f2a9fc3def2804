#pragma once
// task_handle: a task of a group that has been made and not yet started, with oneTBB's meanings.

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>

#include "config.h"
#include "detail/raise.h"
#include "detail/task.h"

namespace bough {

// Owns a task that task_group::defer() has made, or nothing. A call of run() or run_and_wait() of the task's group, or
// of enqueue() of any arena, starts the task and empties the handle. From defer() on the group's waits wait for the
// task, until it has run, or until its handle has been destroyed. So a thread that keeps a handle while it waits for
// the group waits for ever, unless another thread takes the handle. One thread at a time may use a handle.
class task_handle {
public:
    task_handle() noexcept = default;  // empty
    task_handle(task_handle&&) noexcept = default;
    // Gives up the task that this handle owned.
    task_handle& operator=(task_handle&&) noexcept = default;
    // Gives up the task, if the handle owns one: destroys the function, which never ran, and then counts the task off
    // in its group. O(1), and a wake-up.
    ~task_handle() = default;

    explicit operator bool() const noexcept { return task_ != nullptr; }
    friend bool operator==(const task_handle& h, std::nullptr_t) noexcept { return !h; }
    friend bool operator==(std::nullptr_t, const task_handle& h) noexcept { return !h; }
    friend bool operator!=(const task_handle& h, std::nullptr_t) noexcept { return !!h; }
    friend bool operator!=(std::nullptr_t, const task_handle& h) noexcept { return !!h; }

    // ---- for the library ----

    explicit task_handle(detail::task& t) noexcept : task_(&t) {}
    // Throws std::invalid_argument, which names the call, if the handle is empty, or if its task is of another group
    // than `group` (null: any group is allowed).
    void check(const char* call, const detail::task_group_state* group) const {
        if (!task_)
            refuse(call, "is empty");
        if (group && task_->group != group)
            refuse(call, "is of another group");
    }
    // The caller owns the task from now on. The handle becomes empty before the task is started, as the task may
    // destroy the handle.
    detail::task& release() noexcept { return *task_.release(); }
    void take_back(detail::task& t) noexcept { task_.reset(&t); }

private:
    [[noreturn]] BOUGH_COLD static void refuse(const char* call, const char* what) {
        detail::raise(std::invalid_argument(
            std::string("bough::") + call + ": the task_handle " + what +
            "; allowed is one that defer() has returned, once, in its own group" + " or in any arena"));
    }

    struct give_up {
        void operator()(detail::task* t) const noexcept { detail::give_up(*t); }
    };
    std::unique_ptr<detail::task, give_up> task_;
};

}  // namespace bough
