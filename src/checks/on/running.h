#pragma once
// What the calling thread is inside of, kept for reports: work that the library runs, and calls of it that may run
// work. The twin of checks/off/running.h; src/checks/README.md.

#include <cstdint>

#include "bough/detail/cancel_node.h"
#include "bough/detail/loop_job.h"
#include "bough/detail/task.h"

namespace bough::checks {

// Frames lie on the stack, in a list, innermost first.
class frame {
public:
    frame(bool call, const char* called, const void* code, const detail::cancel_node* n) noexcept;
    ~frame();
    frame(const frame&) = delete;
    frame& operator=(const frame&) = delete;

    static const frame* innermost() noexcept;

    const bool is_call;                     // else it is work
    const char* const name;                 // what it is, for a reader
    const void* const place;                // of work the function, of a call where it is
    const detail::cancel_node* const node;  // what work belongs to, what a call waits for; null: not known
    const std::uint64_t number;             // no other frame of the process has it
    const frame* const outer;
};

// Where a function that is being called was called: before the address that it returns to.
inline const void* call_before(const void* return_address) noexcept {
    return static_cast<const char*>(return_address) - 1;
}

// While user code runs as this task, or as the body of this loop.
class running : frame {
public:
    explicit running(const detail::task& t) noexcept
        : frame(false, "a task", reinterpret_cast<const void*>(t.run), t.group ? &t.group->node : nullptr) {}
    explicit running(const detail::loop_job& job) noexcept
        : frame(false, "the body of a loop", reinterpret_cast<const void*>(job.run), &job.node) {}
};

// In a function that users call, while it may run something else. The last argument is what is evaluated there: the
// address that this function returns to.
class inside_call : frame {
public:
    explicit inside_call(const char* called, const detail::cancel_node* waited_for = nullptr,
                         const void* back = __builtin_return_address(0)) noexcept
        : frame(true, called, call_before(back), waited_for) {}
};

// Around a change to another stack: frames stay with theirs.
class keep_frames {
public:
    keep_frames() noexcept;
    // Maybe in another thread.
    ~keep_frames();
    keep_frames(const keep_frames&) = delete;
    keep_frames& operator=(const keep_frames&) = delete;

private:
    const frame* const kept_;
};
// At the bottom of a new stack.
void begin_frames() noexcept;

}  // namespace bough::checks
