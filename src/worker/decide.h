#pragma once
// Whether a worker that is inside nothing stays in its arena, and what it may take there meanwhile: a pure function of
// what it has read. leaving.md says when it is asked, and what must have been read before. tests/unit looks at every
// snapshot, tests/promela runs several workers with it.

namespace bough::leaving {

struct snapshot {
    // The worker.
    bool is_in_lent_slot = false;  // of an arena whose slots are for application threads (slot::is_lent)
    bool stands_in = false;        // for an application thread that sleeps, in that thread's own arena
    // As its last look has seen: another arena waits for a worker (noted after the worker's turn here), or a thread
    // waits for a slot here. Not read afresh: what is wanted at this moment may be on its way already.
    bool is_requested_elsewhere = false;

    // Its arena.
    bool is_abandoned = false;        // only workers will come here any more
    bool is_slot_awaited = false;     // an application thread waits for a slot in which a worker may sit
    bool has_spare_slot = false;      // then a lent slot is that one
    bool has_abandoned_slot = false;  // one with suspended stacks, which waits for a worker
    bool has_enqueued = false;
    unsigned others = 0;  // workers inside, without this one

    // The crew.
    unsigned active = 0;   // workers, with this one
    unsigned allowed = 0;  // by the limit, and a stand-in under a limit of one
    bool is_dismissing = false;
    bool is_requested_higher = false;  // by an arena of higher priority
    bool is_turn_over = false;         // another arena, of no lower priority, has waited for a turn
};

// Without what counts only when the worker is idle, an awaited slot and other arenas: a worker that was called for
// something takes at least that.
constexpr snapshot limits_alone(snapshot s) {
    s.is_slot_awaited = s.is_requested_higher = s.is_turn_over = false;
    return s;
}

enum class takes {
    everything,
    enqueued,  // and what is its own; nothing that other slots have
    nothing,   // the worker goes
};

enum class leaves {
    in_time,    // after its patience; not while something is published
    when_idle,  // as soon as it finds nothing; not while something is published
    always,     // as soon as it finds nothing, whatever is published
};

enum class reason {
    none,
    slot_awaited,
    requested_higher,
    beyond_limit,
    lent_slot,  // a worker sits there for what is enqueued only
    dismissed,
    abandoned_slot,
    requested_elsewhere,
    turn_is_over,
};

struct decision {
    leaving::takes takes = takes::everything;
    leaving::leaves leaves = leaves::in_time;
    reason why = reason::none;
};

// Whatever the limit, one worker stays for what is enqueued: a worker that the limit leaves elsewhere may wait for it.
// If there is an abandoned slot here, the worker goes, and comes back in that slot.
constexpr bool is_last_for_enqueued(const snapshot& s) {
    return s.others == 0 && s.has_enqueued && !s.has_abandoned_slot;
}

constexpr decision go(reason why) {
    return {takes::nothing, leaves::always, why};
}

constexpr decision decide(const snapshot& s) {
    const bool is_excess = s.active > s.allowed;
    // In an abandoned arena no limit keeps workers from what is left to do.
    const takes least = s.is_abandoned ? takes::everything : takes::enqueued;

    if (is_excess) {
        // No worker makes room for a slot or a priority here: first one has to go for the limit.
        if (is_last_for_enqueued(s))
            return {least, leaves::when_idle, reason::beyond_limit};
        // The only active worker takes what is enqueued, even if the limit allows no worker.
        return s.active > 1 ? go(reason::beyond_limit)
                            : decision{least, leaves::always, reason::beyond_limit};
    }
    // The worker asks for another in its place when it goes.
    if (s.is_in_lent_slot && s.is_slot_awaited && !s.has_spare_slot)
        return go(reason::slot_awaited);
    if (s.is_requested_higher)
        return go(reason::requested_higher);
    if (s.is_turn_over)
        return go(reason::turn_is_over);
    if (s.is_in_lent_slot && !s.stands_in)
        return {least, leaves::always, reason::lent_slot};

    if (s.has_abandoned_slot)
        return {takes::everything, leaves::always, reason::abandoned_slot};
    if (s.is_dismissing)
        return {takes::everything, leaves::always, reason::dismissed};
    if (s.is_requested_elsewhere)
        return {takes::everything, leaves::when_idle, reason::requested_elsewhere};
    return {};
}

}  // namespace bough::leaving
