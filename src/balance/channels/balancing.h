#pragma once
// What threads owe to the balancer of channels. The calling thread sits in the slot. README.md.

#include <algorithm>
#include <utility>

#include "arena/arena.h"
#include "arena/slot.h"
#include "request.h"

namespace bough::balancing {

constexpr bool every_idle_worker_looks = true;  // deques: only the watcher does
constexpr bool helpers_take_more = false;       // of a part that they helped, without a message

// A task is short if one victim could not give all threads one task at a time: in hand-offs, three of each thread. Or
// if it takes hardly longer than the messages about it. docs/papers/channels.md, "How long is long".
inline machine::ticks short_task(const slot& s) {
    return std::max(machine::ticks{3} * s.home.concurrency(), machine::ticks{8}) * tuned().handoff;
}

// So many tasks in a queue are more than the threads near it will miss.
constexpr std::size_t many_tasks = 16;

// What the thread keeps of the loop at which it works: nothing in the middle of a body, which may wait for the rest; a
// grain between two batches, as it goes on with that at once.
enum class keeps : std::uint8_t { nothing, a_grain };

// Any thread, a hint: would a request get something from this slot?
bool seems_to_have_something(slot& s);
// Any thread, for a request that it holds.
void put_into_lobby(slot& thief, const request& r);
// Answers the requests that have come, at most so many.
void answer_all(slot& s, keeps what = keeps::nothing, unsigned most = ~0U);
// Passes on, or gives back, the requests that have come: the slot has nothing for them.
void pass_all_on(slot& s);
// Closes the inbox. Tasks that came go into the thread's own queue; pieces stay where they are, for the next thief.
void put_inbox_aside(slot& s);
// For a thread at work: both, the second if the thread has something to do.
void answer(slot& s, keeps what);

// The same, but thieves of short tasks are answered now and then only.
void answer_now_and_then(slot& s);

// Called where the thread may give work away, at work.
inline void poll(slot& s, keeps what = keeps::nothing) {
    if (s.queue.requests.has_message() || s.balance.is_looking || !s.home.lobby.is_empty()) [[unlikely]]
        answer(s, what);
}
// Called after a push, and between two tasks.
inline void poll_now_and_then(slot& s) {
    if (s.queue.requests.has_message() || s.balance.is_looking || !s.home.lobby.is_empty()) [[unlikely]]
        answer_now_and_then(s);
}
// The body may wait for what its thread has, so it also looks whether a thread has to be called for that: the last one
// that looked may have counted on a request that lay here.
void call_for_what_is_here(slot& s);
inline void poll_in_body(slot& s) {
    poll(s);
    if (s.queue.is_open() && s.home.watch.alarm.is_raised()) [[unlikely]]
        call_for_what_is_here(s);
}
inline void poll_between_batches(slot& s) {
    poll(s, keeps::a_grain);
}
// Makes tasks public that the thread would keep from others while it runs the next one. README.md, "Exposed".
void expose_some(slot& s);
// Called before the thread runs a task of its own queue.
inline void begin_own_task(slot& s) {
    poll_now_and_then(s);
    if (s.queue.has_tasks() &&
        (s.balance.has_long_tasks || s.home.watch.inside_hint() < s.home.worker_slots())) [[unlikely]]
        expose_some(s);
}
// Called before the thread runs anything that it has found.
inline void begin_work(slot& s) {
    if (s.balance.is_looking) [[unlikely]]
        put_inbox_aside(s);
}
// Called before the thread runs a task, after begin_work().
void ask_ahead(slot& s);
inline void begin_task(slot& s) {
    begin_own_task(s);
    if (s.balance.is_in_outermost_wait && s.nesting == 0 && !s.queue.has_tasks())
        ask_ahead(s);
}
// For a report: requests lie in the slot's channel, and its thread has not come to them.
inline bool is_asked(const slot& s) {
    return s.queue.requests.is_open() && !s.queue.requests.is_open_and_empty();
}
// For a report: something lies in the slot's inbox.
inline bool has_unread_answer(const slot& s) {
    return s.balance.inbox.peek() != nullptr;
}
// Asked by a thread that has looked for so long and would sleep: is its request with a thread that will come to it?
bool is_about_to_be_answered(const slot& s, machine::ticks looked);
// A thread whose request is with a victim finds nothing before that polls, and must not be the one that looks.
inline bool may_watch(const slot& s) {
    return !s.balance.request.is_with_victim();
}
// Called after a part of a loop is published, before the alarm is read.
inline void publish_part(slot& s) {
    s.queue.open();
}
// Asked by a thread that waits: has it an answer, or been asked?
inline bool has_come(const slot& s) {
    return s.balance.inbox.peek() || s.queue.requests.has_message();
}
// Closes the inbox, and runs what came last. False: nothing came, or it may not run here.
bool run_last_answer(slot& s);
// Pieces that may not run here lie in the inbox: the thread stays awake, so that a thief can have them.
void rest_over_pieces(slot& s);
inline bool stop_looking(slot& s) {
    return (s.balance.is_looking || s.balance.inbox.peek()) && run_last_answer(s);
}
// An open channel counts as work, and its thread may have nothing: sends a request there, which closes it. False: there
// is none, or the thread may not ask.
bool close_others(slot& s);
// Called before the thread sleeps or leaves. True: it looks again.
inline bool give_up(slot& s) {
    constexpr std::uint8_t most = 16;
    seat& own = s.balance;
    if (own.is_looking && own.gave_up < most && own.request.is_with_victim())
        ++own.gave_up;
    if (stop_looking(s))
        return true;
    if (own.inbox.peek()) [[unlikely]] {
        rest_over_pieces(s);
        return true;
    }
    return std::exchange(own.stays_in_vain, true) && close_others(s);
}
inline void begin_wait(slot& s) {
    if (s.nesting == 0)
        s.balance.is_in_outermost_wait = true;
}
inline void end_wait(slot& s) {
    if (s.nesting == 0)
        s.balance.is_in_outermost_wait = false;
    while (stop_looking(s)) {
    }
}

}  // namespace bough::balancing
