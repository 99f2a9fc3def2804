#pragma once
// The stacks of a slot. Whoever sits in the slot runs one of them; the others are suspended, or wait for what their
// wait loop waits for. worker/fibers.cpp changes between them. They stay with the slot: everything on such a stack
// refers to it.

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "machine/stack.h"
#include "mail/mail_round.h"

namespace bough {

struct slot;

// Where what is spawned goes.
enum class spawning : std::uint8_t {
    to_the_queue,       // and into a mailbox, if it prefers a slot
    to_the_queue_only,  // the tree that it belongs to is over before anybody could come
    to_idle_workers,    // if there are any
    to_mailboxes,       // and the queue, until each slot of the thread's mail round has had work
};

// The tree of tasks that runs here. What was chosen at its root holds for the trees of its kind that are nested in it:
// a recursion chooses once.
struct tree_here {
    spawning tasks_go = spawning::to_the_queue;
    mail_round mail{};
    const void* kind = nullptr;  // null: nobody chose here
};

namespace detail {
struct cancel_node;
}

// A call that came back to a slot by way of others, in which the calling thread sits all the while, further up.
struct way_back {
    slot* from;              // the innermost of these
    const way_back* before;  // the call like this that the thread was in there; or null
};

struct fiber {
    explicit fiber(slot& s) : home(s) {}
    fiber(slot& s, std::size_t bytes, void (*run)(void*)) : home(s), stack(bytes, run, this), is_own(false) {}

    slot& home;
    machine::stack stack;
    const bool is_own = true;  // the thread's own stack, not made here

    // While it is left: what the slot has while it runs.
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
    bool must_be_asked = true;  // others bring it about, and do not say so here
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

    // Something was resumed that whoever sits in the slot has not seen yet.
    bool is_called() const { return resumed_.load(std::memory_order_seq_cst) != nullptr; }

    // ---- whoever sits in the slot ----

    // Nothing was ever suspended here: the usual case, asked often.
    bool are_none() const { return !running; }
    // Stacks that are suspended, wait or could go on.
    bool has_others() const { return suspended != 0 || !waiting.empty() || !ready.empty(); }
    bool must_be_asked() const {
        for (const fiber* f : waiting)
            if (f->must_be_asked)
                return true;
        return false;
    }
    bool has_resumed() const { return is_called() || !ready.empty(); }

    // One that may go on now, taken; or null.
    fiber* take_ready();

    fiber* running = nullptr;
    std::unique_ptr<fiber> own;   // stands for the stack of the thread that sits here
    std::vector<fiber*> waiting;  // left in a wait loop
    std::vector<fiber*> ready;    // resumed
    std::vector<std::unique_ptr<fiber>> made;
    std::vector<fiber*> unused;  // of these
    unsigned suspended = 0;

    // What the stack that is changed to does first.
    void (*call)(void* data, fiber*) = nullptr;
    void* call_data = nullptr;
    fiber* caller = nullptr;

private:
    std::atomic<fiber*> resumed_{nullptr};
};

}  // namespace bough
