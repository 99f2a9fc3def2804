#pragma once
// observer: is told when threads begin and end to take part in an arena's work.

#include <utility>

#include "config.h"
#include "exports/observation.h"

namespace bough {

// Derive a class, override the callbacks, and call observe(true). A thread that comes into the arena calls on_entry,
// and on_exit when it leaves. A thread that is in the arena already calls on_entry once, before it takes its next piece
// of other threads' work. Callbacks may run in several threads at once, and must not throw. A derived class calls
// observe(false) in its destructor. When observe(false) returns, no callback runs or will run, except for callbacks
// that called observe(false) themselves.
class BOUGH_EXPORT observer {
public:
    // Observes the arena that the thread is in which calls observe(true).
    observer() = default;
    // Observes arena a. observe(true) initializes the arena if need be. The arena must live until observe(false).
    explicit observer(task_arena& a) : chosen_(&a) {}
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() { observe(false); }

    virtual void on_entry(bool /*is_worker*/) {}
    virtual void on_exit(bool /*is_worker*/) {}

    // Begins or ends to observe; a repeated call does nothing. Two threads must not call it at the same time. If the
    // calling thread is in the arena, it calls on_entry at once. Throws std::bad_alloc, and what task_arena::initialize
    // throws.
    void observe(bool on = true) {
        if (on == is_observing())
            return;
        if (on)
            detail::begin_observation_of(chosen_, calls(), &record_);
        else
            detail::end_observation(std::exchange(record_, nullptr));
    }
    bool is_observing() const noexcept { return record_ != nullptr; }

private:
    detail::observer_calls calls() {
        return {[](void* self, bool is_worker) { static_cast<observer*>(self)->on_entry(is_worker); },
                [](void* self, bool is_worker) { static_cast<observer*>(self)->on_exit(is_worker); }, this};
    }

    task_arena* chosen_ = nullptr;
    detail::observation* record_ = nullptr;
};

}  // namespace bough
