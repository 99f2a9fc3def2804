#pragma once
// What a waiting thread owes to states that most programs never see: more than one stack in its slot (suspend and
// resume), a child process, threads that the system refused. The waits call these hooks and name none of the states.
// They stand here in the order in which a wait calls them. What keeps a worker from leaving, or makes it leave, is no
// hook but a field of leaving::snapshot. rare_states.md has the table.

#include <cstdint>
#include <optional>

#include "arena/arena.h"
#include "arena/own_slots.h"
#include "worker/crew.h"
#include "worker/fibers.h"
#include "worker/process_fork.h"

namespace bough::rare {

// ---- in each round ----

// Bodies have run here. One of them may have come back in a child process, where no thread can join it.
inline void after_bodies(const slot& s) {
    check_not_inside_at_process_fork(s);
}

// Asked before anything is taken. True: the slot holds stacks besides its worker's, so the worker is handed nothing and
// stays.
inline bool is_bound_to_slot(const slot& s) {
    return s.fibers.has_others();
}
// Such a worker works here until it is no longer bound.
inline void work_for_slot(slot& s) {
    finish_stacks(s);
}

// True: another stack could go on and did so, and done() holds now.
template <class Done>
bool let_others_on(slot& s, Done& done) {
    return bough::let_others_on(s, done);
}

// In a child process: the thread may wait for tasks that other threads had begun before the process fork. If no thread
// is left that could bring them about, the process ends.
template <class Done>
void found_nothing(slot& s, Done& done) {
    if (is_child_process() && !crew::stand_in::is_due(s)) [[unlikely]]
        end_if_alone(s, done);
}

// ---- around a sleep ----

// Returns the slot in which this thread serves as a worker, if another worker may replace it while it sleeps; else
// null. That is so if it has suspended stacks (here or in a slot from which it came), or if any abandoned slot waits.
// seq_cst: store-load pair with leave_to_workers().
inline slot* slot_to_be_replaced_in(slot& s) {
    slot* const its = served_slot(&s);
    if (!its || crew_limits.abandoned_slots.load(std::memory_order_seq_cst) != 0)
        return its;
    return find_own_slot(&s, [](const slot& own) { return !own.fibers.are_none(); }) ? its : nullptr;
}

// Does a thread sleep in the end, even if it is set to spin for ever? Yes if another thread has to come in its place,
// or if it should ask for a refused one again.
inline bool sleeps_at_last(slot& s) {
    return slot_to_be_replaced_in(s) || crew::stand_in::is_due(s) ||
           crew_limits.start_failed.load(std::memory_order_relaxed);
}

// Lives from before a thread sleeps in its arena until it has woken.
class sleep {
public:
    sleep(slot& s, const void* key, bool naps) : s_(s), is_nap_(naps || s.fibers.must_be_asked()) {
        if (slot* its = slot_to_be_replaced_in(s))
            blocked_.emplace(*its, !is_nap_ && key == &s.fibers && its == &s);
        stand_in_.emplace(s);
    }

    // The thread looks again soon: no other thread tells it when the wait of another stack in its slot is over.
    bool is_nap() const { return is_nap_; }
    // How long the thread may sleep. Asks for a thread again if one was refused.
    static std::uint64_t longest_ns() { return process_crew().ask_before_sleep(); }

    // Asked when the thread is in the list of sleepers already.
    template <class Done>
    bool must_look_again(Done& done) const {
        // In a child process: the last worker that runs out of work after this look wakes the thread.
        if (is_child_process()) [[unlikely]]
            end_if_alone(s_, done);
        // The latter: a thread has abandoned a slot meanwhile. This worker goes to sleep again, then as blocked.
        return s_.fibers.has_resumed() || (!blocked_ && slot_to_be_replaced_in(s_));
    }
    // A worker that wakes only to ask again stays blocked: what other threads post meanwhile must not count on it.
    static bool must_ask_again(std::uint64_t longest_ns) { return crew::should_have_asked(longest_ns); }
    static bool is_only_asking() { return crew_limits.start_failed.load(std::memory_order_relaxed); }

    // The parking lot's context: application threads are also woken when no worker has anything to do.
    static std::uintptr_t context(const slot& s) { return s.is_worker ? 0 : asks_when_alone; }

private:
    slot& s_;
    const bool is_nap_;
    std::optional<crew::blocked_worker> blocked_;
    std::optional<crew::stand_in> stand_in_;
};

// ---- after a wait ----

// The wait may have been the thread's last here. Then a worker gets the stacks that are left.
inline void after_wait(slot& s) {
    if (!s.fibers.are_none()) [[unlikely]]
        leave_stacks_behind(s);
}
inline void after_wait() {
    if (slot* s = current_slot)
        after_wait(*s);
}

}  // namespace bough::rare
