#pragma once
// For runtimes that stand on bough (compat): tasks that nobody counts, waits for any condition, and arenas by pointer.
// A free task has no group: its `run` is called once, as run(task, false), does everything, and must not throw. It
// calls check_nesting() before it calls what may recurse.

#include <cstdint>

#include "../config.h"
#include "cancel_node.h"
#include "parking.h"
#include "slot_view.h"
#include "task.h"

namespace bough::detail {

class arena;

// ---- posting free tasks; none of these can fail ----

// To the calling thread's slot, where it is the next to run; others may take it from now on. Isolated as the thread is.
BOUGH_EXPORT void post(task& t);
// The same; *seat is the slot, written before anybody else can have the task.
BOUGH_EXPORT void post_from(task& t, std::uint16_t* seat);
// The same, and into the mailbox of a slot of this arena, if somebody sits there: whoever comes first runs it.
BOUGH_EXPORT void post_to(task& t, std::uint16_t slot);

enum class lane : std::uint8_t {
    enqueued,  // in the order in which they came, by threads that are inside nothing else
    critical   // before everything else
};
// To an arena, from any thread. The task keeps the tag that it has, if it has one.
BOUGH_EXPORT void post_in(arena& a, task& t, lane l);
// A task that its group counts already: it is enqueued, and what it throws goes to the group.
BOUGH_EXPORT void enqueue_deferred(arena& a, task& t);

// Does a critical task wait in the arena that the calling thread is in? Then a runtime above puts what it would run
// next aside: it posts that and returns. Only inside a task.
BOUGH_EXPORT bool has_critical_tasks() noexcept;

// ---- waiting ----

struct goal {
    bool (*is_reached)(const void* subject);
    const void* subject;
};
// Runs what may be run here until the goal is reached. Whoever brings it about must unpark_all(subject) afterwards; its
// last change is a seq_cst operation, and is_reached() a seq_cst load (src/park/README.md).
BOUGH_EXPORT void work_until(goal g) noexcept;
// Runs the root of a tree of tasks here, then work_until(g). `kind` is an address that trees share which are alike: by
// it is learned whether it pays to hand the first tasks out to idle workers. A tree within one of its kind goes the
// same way.
BOUGH_EXPORT void run_tree(task& root, goal g, const void* kind);

// ---- where the calling thread is ----

// The slot it sits in; takes one in a default arena if need be. Throws std::bad_alloc.
BOUGH_EXPORT std::uint16_t seat();
// The arena it sits in, null outside of all.
BOUGH_EXPORT arena* current_arena() noexcept;
// The arena it sits in, or the default one that it takes now. Throws std::bad_alloc.
inline arena& arena_here() {
    seat();
    return *current_arena();
}
// What the arena's workers compute with.
BOUGH_EXPORT std::uint64_t arena_fp_settings() noexcept;
BOUGH_EXPORT std::uintptr_t current_isolation() noexcept;
// Sets it and returns the one before. (Here and below: a thread without a seat has none; it may have lost the one that
// it had to tasks that are suspended there.)
BOUGH_EXPORT std::uintptr_t exchange_isolation(std::uintptr_t tag) noexcept;
// The same, with a seat for the thread if it has none. Tag 0: one that no region has had, an odd number with the top
// bit set. A program's own tags are addresses of aligned objects, which are even, and in user space, which ends below
// that bit. Throws std::bad_alloc.
// Rejected: the address of the region. The next region in the same stack frame would have the same tag, and take tasks
// that this one has left in a group outside.
BOUGH_EXPORT std::uintptr_t enter_isolation(std::uintptr_t tag);
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
// What can cancel the thread's work; sets it and returns the one before. Only inside a task.
BOUGH_EXPORT const cancel_node* exchange_scope(const cancel_node* scope) noexcept;

}  // namespace bough::detail
