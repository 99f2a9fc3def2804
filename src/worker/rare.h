#pragma once
// What a waiting thread owes to states that most programs never see: more than one stack in its slot (suspend and
// resume), a child process, threads that the system refused. The waits call these hooks and name none of the states.
// They stand here in the order in which a wait calls them. What keeps a worker from leaving, or makes it leave, is no
// hook but a field of leaving::snapshot. README.md has the table.

#include <cstdint>
#include <optional>

#include "arena/arena.h"
#include "arena/own_slots.h"
#include "worker/crew.h"
#include "worker/fibers.h"
#include "worker/process_fork.h"

namespace bough::rare {

// ---- in each round ----

// Bodies have run here: one of them may have come back in a child process, where nobody can join it.
inline void after_bodies(const slot& s) {
    check_not_inside_at_process_fork(s);
}

// Before anything is taken. The slot holds stacks besides its worker's: the worker is handed nothing and stays.
inline bool is_bound_to_slot(const slot& s) {
    return s.fibers.has_others();
}
// Such a worker works until it is not.
inline void work_for_slot(slot& s) {
    finish_stacks(s);
}

// Another stack that may go on has done so in the meantime, until done().
template <class Done>
bool let_others_on(slot& s, Done& done) {
    return bough::let_others_on(s, done);
}

// In a child: it may wait for tasks that other threads had begun before the fork. Then the process ends.
template <class Done>
void found_nothing(slot& s, Done& done) {
    if (is_child_process() && !crew::stand_in::is_due(s)) [[unlikely]]
        end_if_alone(s, done);
}

// ---- around a sleep ----

// The slot that the thread in s serves on, if it lets another worker come while it sleeps: it waits over stacks, here
// or in an arena that it visits from there, or while nobody sits over abandoned ones anywhere. Else null.
inline slot* slot_to_be_replaced_in(slot& s) {
    slot* const its = served_slot(&s);
    if (!its || crew_limits.abandoned_slots.load(std::memory_order_seq_cst) != 0)
        return its;
    return find_own_slot(&s, [](const slot& own) { return !own.fibers.are_none(); }) ? its : nullptr;
}

// Does a thread that looks for ever sleep all the same? In its place another has to come, or it should ask for one.
inline bool sleeps_at_last(slot& s) {
    return slot_to_be_replaced_in(s) || crew::stand_in::is_due(s) ||
           crew_limits.start_failed.load(std::memory_order_relaxed);
}

// From before a thread sleeps in its arena until it has woken.
class sleep {
public:
    sleep(slot& s, const void* key, bool naps) : s_(s), is_nap_(naps || s.fibers.must_be_asked()) {
        if (slot* its = slot_to_be_replaced_in(s))
            blocked_.emplace(*its, !is_nap_ && key == &s.fibers && its == &s);
        stand_in_.emplace(s);
    }

    // It looks again soon, as nobody tells it: what another stack waits for is not told to this one.
    bool is_nap() const { return is_nap_; }
    // How long it may sleep. Asks for a thread where one has been refused.
    static std::uint64_t longest_ns() { return process_crew().ask_before_sleep(); }

    // In the list of sleepers already.
    template <class Done>
    bool must_look_again(Done& done) const {
        // In a child: the worker that has nothing to do last after this look wakes it.
        if (is_child_process()) [[unlikely]]
            end_if_alone(s_, done);
        // The latter: somebody has abandoned a slot meanwhile. It goes to sleep again, as blocked.
        return s_.fibers.has_resumed() || (!blocked_ && slot_to_be_replaced_in(s_));
    }
    // One that only asks again stays blocked: what others post meanwhile must not count on it.
    static bool must_ask_again(std::uint64_t longest_ns) { return crew::should_have_asked(longest_ns); }
    static bool is_only_asking() { return crew_limits.start_failed.load(std::memory_order_relaxed); }

    // Who may wake it besides.
    static std::uintptr_t context(const slot& s) { return s.is_worker ? 0 : asks_when_alone; }

private:
    slot& s_;
    const bool is_nap_;
    std::optional<crew::blocked_worker> blocked_;
    std::optional<crew::stand_in> stand_in_;
};

// ---- after a wait ----

// It may have been the thread's last here: then stacks that are left go to a worker.
inline void after_wait(slot& s) {
    if (!s.fibers.are_none()) [[unlikely]]
        leave_stacks_behind(s);
}
inline void after_wait() {
    if (slot* s = current_slot)
        after_wait(*s);
}

}  // namespace bough::rare
