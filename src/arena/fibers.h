#pragma once
// The stacks of a slot. The thread that sits in the slot runs one of them; the others are suspended, or were left in a
// wait loop. worker/fibers.cpp changes between them. Stacks stay with their slot: everything on a stack refers to it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine/stack.h"
#include "mail/mail_round.h"

namespace bough {

struct slot;

// Where spawned tasks go.
enum class spawning : std::uint8_t {
    to_the_queue,       // and into a mailbox, if the task prefers a slot
    to_the_queue_only,  // the tree is over before another thread could come
    to_idle_workers,    // if there are any
    to_mailboxes,       // and the queue, until each slot of the thread's mail round has had work
};

// The tree of tasks that runs here. The choice made at its root holds for the trees of its kind that are nested in it:
// a recursion chooses once.
struct tree_here {
    spawning tasks_go = spawning::to_the_queue;
    mail_round mail{};
    const void* kind = nullptr;  // null: no choice was made here
};

namespace detail {
struct cancel_node;
}

// A call that came back to a slot, by way of other slots. The thread has sat in that slot all the while, further up its
// stack.
struct way_back {
    slot* from;              // the innermost of the other slots
    const way_back* before;  // the way_back that the thread was in when it sat in `from`; or null
};

struct fiber {
    explicit fiber(slot& s) : home(s) {}
    fiber(slot& s, std::size_t bytes, void (*run)(void*)) : home(s), stack(bytes, run, this), is_own(false) {}

    slot& home;
    machine::stack stack;
    const bool is_own = true;  // the thread's own stack, not made here

    // What the slot has while this stack runs; kept here while the thread runs another stack.
    const detail::cancel_node* scope = nullptr;
    const detail::cancel_node* only_below = nullptr;
    std::uint64_t fp_settings = 0;
    std::uintptr_t isolation = 0;
    void* executing = nullptr;
    std::uint32_t nesting = 0;
    std::uint32_t nesting_at_process_fork = 0;
    std::uint32_t executing_at = 0;
    bool in_critical = false;
    const way_back* came_back = nullptr;
    tree_here tree;

    // While it waits: may it go on?
    bool (*is_done)(void* data) = nullptr;
    bool must_be_asked = true;  // other threads make is_done() true, and do not tell this slot
    void* data = nullptr;

    fiber* next_resumed = nullptr;
};

class slot_fibers {
public:
    // ---- any thread ----

    // seq_cst: store-load pair with a thread that goes to sleep in the slot (sleep_in_arena).
    void resume(fiber& f) {
        fiber* first = resumed_.load(std::memory_order_relaxed);
        do {
            f.next_resumed = first;
        } while (!resumed_.compare_exchange_weak(first, &f, std::memory_order_seq_cst));
    }

    // Was a stack resumed that the thread in the slot has not seen yet?
    bool is_called() const { return resumed_.load(std::memory_order_seq_cst) != nullptr; }

    // ---- the thread that sits in the slot ----

    // Nothing was suspended here since the slot was last free: the usual case, asked often.
    bool are_none() const { return !running; }
    // Are there other stacks: suspended, left in a wait loop, or ready to go on?
    bool has_others() const { return suspended != 0 || !waiting.empty() || !ready.empty(); }
    bool must_be_asked() const {
        for (const fiber* f : waiting)
            if (f->must_be_asked)
                return true;
        return false;
    }
    bool has_resumed() const { return is_called() || !ready.empty(); }

    // Takes a stack that may go on now, or returns null.
    fiber* take_ready();

    fiber* running = nullptr;
    std::unique_ptr<fiber> own;   // the stack of the thread that sits here
    std::vector<fiber*> waiting;  // left in a wait loop
    std::vector<fiber*> ready;    // resumed
    std::vector<std::unique_ptr<fiber>> made;
    std::vector<fiber*> unused;  // of those in `made`
    unsigned suspended = 0;

    // What the next stack does first, once the thread has changed to it.
    void (*call)(void* data, fiber*) = nullptr;
    void* call_data = nullptr;
    fiber* caller = nullptr;

private:
    std::atomic<fiber*> resumed_{nullptr};
};

}  // namespace bough
