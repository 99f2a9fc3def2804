#pragma once
// Hears when threads begin and end to take part in an arena's work.

#include "config.h"
#include "exports/observation.h"

namespace bough {

class task_arena;

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
    void observe(bool on = true);
    bool is_observing() const noexcept { return record_ != nullptr; }

private:
    task_arena* chosen_ = nullptr;
    detail::observation* record_ = nullptr;
};

}  // namespace bough
