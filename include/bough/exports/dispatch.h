#pragma once
// Free tasks, and what runs in the calling thread's slot, for runtimes that are built on bough (detail/dispatch.h).
// Behind it: src/entry/dispatch.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

class arena;
struct cancel_node;
struct task;
enum class lane : std::uint8_t;

// ---- posting free tasks; none of these can fail ----

// Posts t in the calling thread's slot, where t is the next task to run. Other threads may take t from now on. The task
// has the isolation tag of the calling thread.
BOUGH_EXPORT void post(task& t);
// The same. Writes the slot's number to *index before another thread can take the task.
BOUGH_EXPORT void post_from(task& t, std::uint16_t* index);
// As post(), and also mails t to a slot of this arena, if a thread sits there. The first thread that takes t runs it.
BOUGH_EXPORT void post_to(task& t, std::uint16_t slot);

// Posts t in an arena, from any thread. A task that has an isolation tag keeps it.
BOUGH_EXPORT void post_in(arena& a, task& t, lane l);
// Enqueues a task that its group counts already. An exception of the task goes to the group.
BOUGH_EXPORT void enqueue_deferred(arena& a, task& t);

// Does the calling thread's arena have a critical task that the thread may run now? Then a runtime that is built on
// bough does not run its next task at once: it posts that task and returns. Only to be called inside a task.
BOUGH_EXPORT bool has_critical_tasks() noexcept;

// ---- what the calling thread is inside of ----

// The tag of the isolated region that the thread is in; 0: none.
BOUGH_EXPORT std::uintptr_t current_isolation() noexcept;
// Sets the tag and returns the one before. (Here and below: a thread without a slot has no tag and no scope, and
// nothing is set. A thread loses its slot when it leaves the slot to a worker, because of stacks suspended there.)
BOUGH_EXPORT std::uintptr_t exchange_isolation(std::uintptr_t tag) noexcept;
// The same; a thread without a slot takes one first. For tag 0 the region gets a new tag, which no region has had: an
// odd number with the top bit set. A program's own tags are addresses of aligned objects, so they are even, and lie in
// user space, which ends below that bit. Throws std::bad_alloc.
// Rejected: the region's address as its tag. The next region in the same stack frame would have the same tag, and would
// take tasks that this region has left in a group outside of it.
BOUGH_EXPORT std::uintptr_t enter_isolation(std::uintptr_t tag);
// Sets the node that can cancel the thread's work, and returns the one before. Only to be called inside a task.
BOUGH_EXPORT const cancel_node* exchange_scope(const cancel_node* scope) noexcept;

}  // namespace bough::detail
