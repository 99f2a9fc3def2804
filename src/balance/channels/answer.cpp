// The victim's side: answers requests, passes them on, gives them back. README.md has the protocol.

#include "balancing.h"
#include "bough/detail/asymmetric_fence.h"
#include "request.h"
#include "worker/worker.h"

namespace bough::balancing {
namespace {

void give_back_in_vain(const slot& s, slot& thief) {
    count(s.counted, event::given_back);
    thief.balance.request.give_back();
}

bool is_balanced(const loop_part& p) {
    return p.job.load(std::memory_order_relaxed)->mode != detail::balance::fixed;
}

// How many pieces of a part the owner gives.
std::uint32_t pieces_to_give(const loop_part& p, loop_word w, keeps what) {
    const std::uint32_t kept = what == keeps::nothing ? 0
                               : w.open()             ? std::max(1u, p.grain.load(std::memory_order_relaxed))
                                                      : 1;
    return w.remaining() <= kept || !is_balanced(p) ? 0 : (w.remaining() + 1) / 2;
}

// Calls give(part, word, pieces) for each part of which something can be given, the outermost first, until one returns
// true. `wanted` not null: only for parts of this job, and of those nested in it. `what` it keeps of the innermost one.
template <class Give>
bool each_part(slot& s, const detail::loop_job* wanted, keeps what, Give&& give) {
    const std::uint16_t depth = s.used_parts();
    bool in_scope = wanted == nullptr;
    for (std::uint16_t d = 0; d < depth; ++d) {
        loop_part& p = s.part(d);
        const loop_word w = p.look();
        in_scope = in_scope || (!p.is_gap && p.job.load(std::memory_order_relaxed) == wanted);
        if (!in_scope || w.remaining() == 0)
            continue;
        if (const std::uint32_t pieces = pieces_to_give(p, w, d + 1 == depth ? what : keeps::nothing))
            if (give(p, w, pieces))
                return true;
    }
    return false;
}

// Also if the thread keeps it at this moment: a channel that is closed over it would not be opened again.
bool has_something(slot& s, keeps what = keeps::nothing) {
    return s.queue.has_tasks() || s.balance.inbox.peek() ||
           each_part(s, nullptr, what, [](loop_part&, loop_word, std::uint32_t) { return true; });
}

// What was sent to this thread, and it does not look for any more.
bool give_what_came(slot& s, slot& thief) {
    const assignment* const came = s.balance.is_looking ? nullptr : s.balance.inbox.peek();
    const detail::loop_job* const wanted = thief.balance.wants.load(std::memory_order_relaxed);
    if (!came || (wanted && wanted != (came->whole ? seat::tasks_only() : came->job)) ||
        thief.balance.inbox.send(*came) != sent::yes)
        return false;
    s.balance.inbox.receive();
    return true;
}

bool give_tasks(slot& s, slot& thief, const request& r);

// Claims as a thief would. If the thief has closed its inbox meanwhile, undoes that. Tasks that came before go first.
bool give_pieces(slot& s, slot& thief, const request& r, keeps what) {
    const detail::loop_job* const wanted = thief.balance.wants.load(std::memory_order_relaxed);
    return wanted != seat::tasks_only() &&
           each_part(s, wanted, what, [&](loop_part& p, loop_word w, std::uint32_t pieces) {
               if (s.queue.oldest_place() < p.older_tasks_end.load(std::memory_order_relaxed) &&
                   give_tasks(s, thief, r))
                   return true;
               const auto claimed = p.steal_back(w, pieces);
               if (!claimed)
                   return false;
               const bool done = thief.balance.inbox.send(*claimed) == sent::yes;
               if (!done)
                   p.put_back(pieces);
               return done;
           });
}

// A thief that does not know yet whether tasks are short gets as much as the last one.
bool give_tasks(slot& s, slot& thief, const request& r) {
    const std::size_t tasks = s.queue.size();
    const detail::loop_job* const wanted = thief.balance.wants.load(std::memory_order_relaxed);
    if (tasks == 0 || (wanted && wanted != seat::tasks_only()))
        return false;
    if (r.knows) {
        s.balance.gives_half = r.wants_half;
        s.balance.has_long_tasks = !r.wants_half && tuned().steals == stealing::adaptive;
        s.balance.began_at = 0;
    }
    s.balance.gave_at = machine::now();
    local_queue::owner own(s.queue);
    const std::size_t count = s.balance.gives_half ? std::min((tasks + 1) / 2, own.within_reach()) : 1;
    if (thief.balance.inbox.send({.whole = own.take_oldest(count)}) == sent::yes) {
        bough::count(s.counted, event::tasks_sent, count);
        return true;
    }
    own.put_back(count);
    return false;
}

// To the next open channel after this slot's, of a slot that shows something.
bool pass_on(slot& s, request r) {
    const unsigned slots = s.home.used_slots();
    if (++r.hops >= slots)
        return false;
    for (unsigned i = 1; i < slots; ++i) {
        const unsigned next = (s.index + i) % slots;
        slot* const victim = next == r.thief ? nullptr : s.home.slot_at(next);
        if (victim && (r.goes_anywhere || seems_to_have_something(*victim)) &&
            victim->queue.requests.try_send(r.bits()) == sent::yes) {
            count(s.counted, event::passed_on);
            return true;
        }
    }
    return false;
}

// Tasks that the thread has made public are older than the rest of what it has: a thief that may take them does so at
// its next look, and gets nothing else before.
bool has_older_in_public(const slot& s, const slot& thief) {
    const detail::loop_job* const wanted = thief.balance.wants.load(std::memory_order_relaxed);
    return s.isolated.has_tasks() && (!wanted || wanted == seat::tasks_only());
}

bool give(slot& s, slot& thief, const request& r, keeps what) {
    if (has_older_in_public(s, thief))
        return false;
    if (r.is_ahead)
        return s.queue.size() >= many_tasks && give_tasks(s, thief, r);
    return give_what_came(s, thief) || give_pieces(s, thief, r, what) || give_tasks(s, thief, r);
}

bool is_wanted(const slot& s, const slot& thief) {
    return &thief != &s && thief.balance.inbox.is_open();
}

// For a request that this slot cannot answer.
void pass_on_or_back(slot& s, slot& thief, const request& r) {
    if (!r.is_ahead && pass_on(s, r))
        return;
    if (!r.may_wait || !thief.balance.inbox.is_open())
        return give_back_in_vain(s, thief);
    put_into_lobby(thief, r);
}

// True: the request is with its thief again, answered or in vain. False: this slot has nothing for it.
bool settle(slot& s, slot& thief, const request& r, keeps what) {
    if (!is_wanted(s, thief))
        give_back_in_vain(s, thief);
    else if (give(s, thief, r, what))
        thief.balance.request.give_back();
    else
        return false;
    return true;
}

void answer_one(slot& s, const request& r, keeps what) {
    slot* const thief = s.home.slot_at(r.thief);  // null in a child process
    if (thief && !settle(s, *thief, r, what))
        pass_on_or_back(s, *thief, r);
}

// The requests in the lobby, from this slot's number on.
void answer_lobby(slot& s, keeps what, unsigned most = lobby::size) {
    lobby& l = s.home.lobby;
    const unsigned slots = s.home.used_slots();
    // Thieves in the lobby look for isolated tasks themselves (give).
    const std::uint64_t seen = s.isolated.has_tasks() ? 0 : l.look();
    for (unsigned n = 0; n < lobby::size && most != 0 && has_something(s, what); ++n) {
        const unsigned i = (s.index + n) % lobby::size;
        if ((seen >> i & 1) == 0 || !l.take(i))
            continue;
        --most;
        for (unsigned t = i; t < slots; t += lobby::size) {
            slot* const thief = s.home.slot_at(t);
            const std::uint64_t m = thief ? thief->balance.request.take_out() : 0;
            if (m == 0)
                continue;
            const request r = request::of(m);
            if (!settle(s, *thief, r, what))
                put_into_lobby(*thief, r);
        }
    }
}

}  // namespace

void pass_all_on(slot& s) {
    while (const std::uint64_t m = s.queue.requests.receive_last()) {
        const request r = request::of(m);
        slot* const thief = s.home.slot_at(r.thief);
        if (!thief)
            continue;
        if (is_wanted(s, *thief))
            pass_on_or_back(s, *thief, r);
        else
            give_back_in_vain(s, *thief);
    }
}

// The parts are read as thieves of deques read them: words, and hints beside them.
bool seems_to_have_something(slot& s) {
    if (!s.queue.requests.is_open())
        return false;
    if (s.queue.has_tasks())
        return true;
    const std::uint16_t depth = s.used_parts();
    for (std::uint16_t d = 0; d < depth && d < s.parts_made(); ++d)
        if (s.part(d).remaining() != 0)
            return true;
    return !s.balance.inbox.is_open() && s.balance.inbox.peek();
}

void put_into_lobby(slot& thief, const request& r) {
    thief.balance.request.put_into_lobby(r.bits());
    thief.home.lobby.mark(thief.index);
}

// Thieves that want half have short tasks: one is answered when there are many tasks, or after a while. Else each would
// get the one task that has just come, and an answer costs more than the task.
BOUGH_NOINLINE void answer_now_and_then(slot& s) {
    constexpr machine::ticks apart = 8;  // hand-offs
    if (s.balance.is_looking || !s.balance.gives_half)
        return answer(s, keeps::nothing);
    if (s.queue.size() < many_tasks && machine::now() - s.balance.gave_at <= apart * tuned().handoff)
        return;
    if (s.queue.requests.has_message())
        answer_all(s, keeps::nothing, 1);
    else
        answer_lobby(s, keeps::nothing, 1);
}

BOUGH_COLD void call_for_what_is_here(slot& s) {
    if (has_something(s))
        call_if_unwatched(s.home);
}

// What came stays in the inbox no longer than until the thread's next poll: its body may wait for that.
BOUGH_NOINLINE void answer(slot& s, keeps what) {
    if (s.balance.is_looking && (s.queue.has_tasks() || s.balance.inbox.peek()))
        put_inbox_aside(s);
    if (s.queue.requests.has_message())
        answer_all(s, what);
    if (!s.home.lobby.is_empty())
        answer_lobby(s, what);
}

// One for each slot at most: thieves that ask again at once would keep the thread here for ever.
void answer_all(slot& s, keeps what, unsigned most) {
    for (unsigned left = std::min(s.home.used_slots(), most); left != 0; --left) {
        const std::uint64_t m = s.queue.requests.receive();
        if (m == 0)
            break;
        answer_one(s, request::of(m), what);
    }
    if (!has_something(s)) {
        s.queue.close();
        return pass_all_on(s);
    }
    // What is left counts as published again, and the thieves that asked may have gone (README.md).
    machine::light_fence();
    call_if_unwatched(s.home);
}

}  // namespace bough::balancing
