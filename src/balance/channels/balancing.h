#pragma once
// What threads owe to the balancer of channels. The calling thread sits in the slot. README.md.

#include "arena/slot.h"

namespace bough::balancing {

constexpr bool every_idle_worker_looks = true;  // deques: only the watcher does
constexpr bool helpers_take_more = false;       // of a part that they helped, without a message

// Answers all requests that have come.
void answer_all(slot& s);
// The thread had asked ahead, and has work.
void stop_asking_ahead(slot& s);
// Both, for a thread at work.
void answer(slot& s);

// Called where the thread may give work away, at work.
inline void poll(slot& s) {
    if (s.queue.requests.has_message() || s.balance.is_looking) [[unlikely]]
        answer(s);
}
// Called before the thread runs a task at the bottom of a wait.
void ask_ahead(slot& s);
inline void begin_task(slot& s) {
    if (s.nesting == 0 && !s.queue.has_tasks())
        ask_ahead(s);
}
// For a report: requests lie in the slot's channel, and its thread has not come to them.
inline bool is_asked(const slot& s) {
    return s.queue.requests.is_open() && !s.queue.requests.is_open_and_empty();
}
// Asked by a thread that has looked for so long and would sleep: is its request with a thread that will come to it?
bool is_about_to_be_answered(const slot& s, machine::ticks looked);
// Called after a part of a loop is published, before the alarm is read.
inline void publish_part(slot& s) {
    s.queue.open();
}
// Asked by a thread that waits: has it an answer, or been asked?
inline bool has_come(const slot& s) {
    return s.balance.inbox.peek() || s.queue.requests.has_message();
}
// Runs what is in the inbox, after stop_looking() has closed that.
bool run_last_answer(slot& s);
// Before the thread sleeps or leaves, and at the end of a wait. True: something had come, and has been run.
inline bool stop_looking(slot& s) {
    return (s.balance.is_looking || s.balance.inbox.peek()) && run_last_answer(s);
}

}  // namespace bough::balancing
