#pragma once
// For runtimes that are built on bough (compat): free tasks, waits for any condition, and arenas by pointer. A free
// task has no group, so no group counts it. Its `run` is called once, as run(task, false), does everything, and must
// not throw. `run` calls check_nesting() before it calls code that may recurse.

#include <cstdint>

#include "../exports/dispatch.h"
#include "../exports/tasks.h"
#include "../exports/this_thread.h"
#include "parking.h"
#include "slot_view.h"
#include "task.h"

namespace bough::detail {

// When a task runs that is posted in an arena.
enum class lane : std::uint8_t {
    enqueued,  // in the order of posting, in threads that are inside nothing else
    critical   // before everything else
};

// What work_until() waits for.
struct goal {
    bool (*is_reached)(const void* subject);
    const void* subject;
};

// The arena in which the calling thread sits. A thread outside of every arena takes a default arena now. Throws
// std::bad_alloc.
inline arena& arena_here() {
    slot_index();
    return *current_arena();
}

// While this lives the calling thread is in the isolated region `tag`; with tag 0 in a new region of its own.
class isolated_region {
public:
    explicit isolated_region(std::uintptr_t tag = 0) : outer_(enter_isolation(tag)) {}
    ~isolated_region() { exchange_isolation(outer_); }
    isolated_region(const isolated_region&) = delete;
    isolated_region& operator=(const isolated_region&) = delete;

private:
    std::uintptr_t outer_;
};

}  // namespace bough::detail
