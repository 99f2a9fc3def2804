#pragma once
// For runtimes that stand on bough (compat): tasks that nobody counts, waits for any condition, and arenas by pointer.
// A free task has no group: its `run` is called once, as run(task, false), does everything, and must not throw. It
// calls check_nesting() before it calls what may recurse.

#include <cstdint>

#include "../exports/dispatch.h"
#include "../exports/tasks.h"
#include "../exports/this_thread.h"
#include "parking.h"
#include "slot_view.h"
#include "task.h"

namespace bough::detail {

// Of what is posted in an arena.
enum class lane : std::uint8_t {
    enqueued,  // in the order in which they came, by threads that are inside nothing else
    critical   // before everything else
};

// What work_until() waits for.
struct goal {
    bool (*is_reached)(const void* subject);
    const void* subject;
};

// The arena that the calling thread sits in, or the default one that it takes now. Throws std::bad_alloc.
inline arena& arena_here() {
    slot_index();
    return *current_arena();
}

// Between its construction and its end the calling thread is in the isolated region `tag`, or in one of its own.
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
