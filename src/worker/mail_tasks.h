#pragma once
// The start of a tree of tasks: each task that is spawned goes to a slot that has had no work yet, until all slots have
// had some. mail/README.md, "Mail rounds". The calling thread sits in `s`.

#include <optional>

#include "arena/slot.h"

namespace bough {

// An application thread that is inside nothing begins with all slots but its own. Nothing where BOUGH_MAIL is off.
void begin_mail_round(slot& s);

// The same after a wait of a thread that is inside nothing.
void end_judged_tree(slot& s);
inline void end_outermost_tree(slot& s) {
    if (!s.trial.takes_as_short()) [[unlikely]]
        end_judged_tree(s);
}

// For the rest of a tree that the thread waits for: what it spawns goes into its queue.
inline void leave_mail_round(slot& s) {
    s.tree.mail = {};
    if (s.tree.tasks_go == spawning::to_mailboxes)
        s.tree.tasks_go = spawning::to_the_queue;
}

// The tree of a task that came with this round.
tree_here tree_of_round(const slot& s, mail_round r);

// Puts t into the hands of an idle worker, or into the queue and the mailbox of the next slot of the round, as the tree
// says; where there is none, into the queue. False: no memory, nothing done.
bool publish_at_start(slot& s, task& t);

// The round of a task that is handed off travels where an interval's team does: its length plus one, as 0 says that
// there is none.
inline void put_round(assignment& a, mail_round r) {
    a.team_first = r.first;
    a.team_last = static_cast<std::uint16_t>(r.count + 1u);
}
inline std::optional<mail_round> round_of(const assignment& a) {
    if (a.team_last == 0)
        return std::nullopt;
    return mail_round{a.team_first, static_cast<std::uint16_t>(a.team_last - 1u)};
}

// ---- tasks.cpp ----

// What a proxy runs that is met in a queue.
void run_proxied(task& t, bool is_cancelled);

// The slot that mail for `index` goes to; null when nobody sits there, or that thread may have to leave. Isolated tasks
// are not mailed: mail has no tags.
slot* receiver_of(const slot& s, std::uint16_t index);

}  // namespace bough
