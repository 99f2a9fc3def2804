#pragma once
// What threads owe to the balancer of deques: nothing, as thieves take by themselves. Twin: ../channels/balancing.h,
// which says what each of these is for.

#include "arena/slot.h"

namespace bough::balancing {

constexpr bool every_idle_worker_looks = false;
constexpr bool helpers_take_more = true;

inline void poll(const slot&) {}
inline void poll_now_and_then(const slot&) {}
inline void poll_in_body(const slot&) {}
inline void poll_between_batches(const slot&) {}
inline void begin_work(const slot&) {}
inline void publish_part(const slot&) {}
inline bool has_come(const slot&) {
    return false;
}
inline bool give_up(const slot&) {
    return false;
}
inline void begin_wait(const slot&) {}
inline void end_wait(const slot&) {}
inline bool is_about_to_be_answered(const slot&, machine::ticks) {
    return false;
}
inline bool may_watch(const slot&) {
    return true;
}
inline void begin_own_task(const slot&) {}
inline void begin_task(const slot&) {}
inline bool is_asked(const slot&) {
    return false;
}
inline bool has_unread_answer(const slot&) {
    return false;
}

}  // namespace bough::balancing
