#include "worker/mail_tasks.h"

#include <algorithm>
#include <new>
#include <utility>

#include "machine/clock.h"
#include "mail/task_proxy.h"
#include "profile/tuning.h"
#include "share/tree_memory.h"
#include "worker/hand_off.h"
#include "worker/publish.h"
#include "worker/worker.h"

namespace bough {
namespace {

mail_round all_others(const slot& s) {
    const unsigned slots = s.home.concurrency();
    return {static_cast<std::uint16_t>((s.index + 1u) % slots), static_cast<std::uint16_t>(slots - 1)};
}

// How many slots of a round the next letter's receiver gets, itself included: team.h's shape for tasks, of which
// nobody knows how much is in them.
unsigned next_share(unsigned count) {
    const cut_rule& rule = tuned().cut;
    return rule.fan_out == cut_rule::one_producer ? 1 : std::max((count + 1) / rule.fan_out, 1u);
}

struct letter {
    slot* receiver;
    mail_round round;  // the receiver's
};

// Takes the last slots off the round, until somebody sits in one of them. Those that are empty are left out: a worker
// that comes for them comes on a call, and steals at once.
letter next_letter(const slot& s, mail_round& r) {
    const unsigned slots = s.home.concurrency();
    while (r.count != 0) {
        const unsigned share = next_share(r.count);
        r.count = static_cast<std::uint16_t>(r.count - share);
        for (unsigned i = 0; i < share; ++i) {
            const auto index = static_cast<std::uint16_t>((r.first + r.count + i) % slots);
            if (slot* const receiver = receiver_of(s, index))
                return {receiver,
                        {static_cast<std::uint16_t>((index + 1u) % slots),
                         static_cast<std::uint16_t>(share - i - 1)}};
        }
    }
    return {nullptr, {}};
}

// At the first letter: thieves leave the queue alone until the team's gate has passed, or its owner has mailed as many
// tasks as BOUGH_GATE says. Not what lies there already: an owner that begins one round after the other would keep
// it from them for ever.
void close_gate(slot& s, unsigned team) {
    const tuning& t = tuned();
    if (s.queue.has_tasks())
        return;
    s.letters_sent = 0;
    s.tasks_closed_until.store(machine::now() + t.gate_for(team), std::memory_order_relaxed);
}
void note_letter(slot& s) {
    count(s.counted, event::mailed);
    const unsigned enough = tuned().gate_mails;
    if (++s.letters_sent == enough && enough != 0)
        s.tasks_closed_until.store(0, std::memory_order_relaxed);
}

// A tree that is over before a letter is read is not worth letters. Trees are alike if their first tasks have the same
// function.
bool is_worth_letters(slot& s, const task& t) {
    s.tree.mail.is_judged = true;
    return s.trial.begin(tree_memory::of(reinterpret_cast<const void*>(t.run)), ++s.loops);
}

bool mail_task(slot& s, task& t) {
    mail_round& r = s.tree.mail;
    if (!r.is_judged && !is_worth_letters(s, t)) {
        s.tree.tasks_go = spawning::to_the_queue;
        return push(s, t);
    }
    const unsigned team = r.count + 1u;
    const letter next = next_letter(s, r);
    if (r.count == 0) {
        if (tuned().mail == mailing::always)
            r = all_others(s);
        else
            s.tree.tasks_go = spawning::to_the_queue;
    }
    if (next.receiver && tuned().mail == mailing::start && hand_task_to(s, *next.receiver, t, &next.round))
        return true;
    auto* const proxy = next.receiver ? new (std::nothrow) task_proxy(t, run_proxied, next.round) : nullptr;
    if (!proxy)
        return push(s, t);
    if (!std::exchange(r.has_begun, true))
        close_gate(s, team);
    if (!push(s, *proxy)) {
        delete proxy;
        return false;
    }
    if (next.receiver->mail.send(*proxy))
        note_letter(s);
    else
        task_proxy::withdraw(*proxy, task_proxy::mailbox);
    return true;
}

// Frees the newest proxies whose tasks their receivers have taken. Are there other tasks in the queue?
bool has_tasks_left(slot& s) {
    if (!s.queue.has_tasks())
        return false;
    while (task* const t = local_queue::owner(s.queue).pop()) {
        if (t->run != run_proxied || !static_cast<task_proxy*>(t)->is_spent()) {
            if (!local_queue::owner(s.queue).push(*t))
                execute(s, *t);
            call_if_unwatched(s.home);
            return true;
        }
        task_proxy::take(static_cast<task_proxy&>(*t), task_proxy::queue);
        count(s.counted, event::proxy_found_spent);
    }
    return false;
}

}  // namespace

void begin_mail_round(slot& s) {
    if (s.is_worker)
        return;
    if (tuned().mail == mailing::off || s.home.concurrency() == 1)
        return s.trial.take_all_as_short();
    s.tree = tree_of_round(s, all_others(s));
    s.tree.mail.is_judged = false;
}

void end_judged_tree(slot& s) {
    // Tasks are left: the thread has waited for a part of the tree. Functions that fork and join by groups nest without
    // being tasks.
    if (has_tasks_left(s))
        return;
    s.trial.end();
    begin_mail_round(s);
    if (s.trial.takes_as_short())
        s.tree.tasks_go = spawning::to_the_queue;
}

tree_here tree_of_round(const slot& s, mail_round r) {
    if (tuned().mail == mailing::off)
        return {};
    if (r.count == 0 && tuned().mail == mailing::always)
        r = all_others(s);
    return {.tasks_go = r.count != 0 ? spawning::to_mailboxes : spawning::to_the_queue, .mail = r};
}

bool publish_at_start(slot& s, task& t) {
    if (s.isolated.has_tasks() || s.pieces_in_outermost(s.used_parts()) != 0)  // they are older than t
        return push(s, t);
    if (s.tree.tasks_go == spawning::to_mailboxes)
        return mail_task(s, t);
    // What lies in the queue is older, too.
    return (!s.queue.has_tasks() && hand_off_task(s, t)) || push(s, t);
}

}  // namespace bough
