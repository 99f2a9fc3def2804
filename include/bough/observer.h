#pragma once
// Hears when threads begin and end to take part in an arena's work.

#include <utility>

#include "config.h"
#include "exports/observation.h"

namespace bough {

// Derive, override, call observe(true). on_entry is called in every thread that comes into the arena, and in one that
// is there already before it takes its next piece of others' work, once; on_exit when it leaves. Calls may come from
// several threads at once and must not throw. A derived class calls observe(false) in its destructor: when that returns
// no callback runs or will run, but those that it was itself called from.
class BOUGH_EXPORT observer {
public:
    // Of the arena that the thread which calls observe(true) is in then.
    observer() = default;
    // The arena is initialized if need be, and must live until observe(false).
    explicit observer(task_arena& a) : chosen_(&a) {}
    observer(const observer&) = delete;
    observer& operator=(const observer&) = delete;
    virtual ~observer() { observe(false); }

    virtual void on_entry(bool /*is_worker*/) {}
    virtual void on_exit(bool /*is_worker*/) {}

    // Begins or ends to observe; a repeated call does nothing. Not to be called by two threads at a time. In the
    // arena's own threads on_entry is called at once for the caller. Throws std::bad_alloc, and what
    // task_arena::initialize does.
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
