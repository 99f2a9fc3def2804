#pragma once
// Free tasks, and what runs in the calling thread's slot, for runtimes that stand on bough (detail/dispatch.h).
// Behind it: src/entry/dispatch.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

class arena;
struct cancel_node;
struct task;
enum class lane : std::uint8_t;

// ---- posting free tasks; none of these can fail ----

// To the calling thread's slot, where it is the next to run; others may take it from now on. Isolated as the thread is.
BOUGH_EXPORT void post(task& t);
// The same; *index is the slot, written before anybody else can have the task.
BOUGH_EXPORT void post_from(task& t, std::uint16_t* index);
// The same, and into the mailbox of a slot of this arena, if somebody sits there: whoever comes first runs it.
BOUGH_EXPORT void post_to(task& t, std::uint16_t slot);

// To an arena, from any thread. The task keeps the tag that it has, if it has one.
BOUGH_EXPORT void post_in(arena& a, task& t, lane l);
// A task that its group counts already: it is enqueued, and what it throws goes to the group.
BOUGH_EXPORT void enqueue_deferred(arena& a, task& t);

// Does a critical task wait in the arena that the calling thread is in? Then a runtime above puts what it would run
// next aside: it posts that and returns. Only inside a task.
BOUGH_EXPORT bool has_critical_tasks() noexcept;

// ---- what the calling thread is inside of ----

// The tag of the isolated region; 0: none.
BOUGH_EXPORT std::uintptr_t current_isolation() noexcept;
// Sets it and returns the one before. (Here and below: a thread without a slot has none; it may have lost the one that
// it had to tasks that are suspended there.)
BOUGH_EXPORT std::uintptr_t exchange_isolation(std::uintptr_t tag) noexcept;
// The same, with a slot for the thread if it has none. Tag 0: one that no region has had, an odd number with the top
// bit set. A program's own tags are addresses of aligned objects, which are even, and in user space, which ends below
// that bit. Throws std::bad_alloc.
// Rejected: the address of the region. The next region in the same stack frame would have the same tag, and take tasks
// that this one has left in a group outside.
BOUGH_EXPORT std::uintptr_t enter_isolation(std::uintptr_t tag);
// What can cancel the thread's work; sets it and returns the one before. Only inside a task.
BOUGH_EXPORT const cancel_node* exchange_scope(const cancel_node* scope) noexcept;

}  // namespace bough::detail
