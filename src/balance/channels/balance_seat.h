#pragma once
// What a slot has for the balancer of channels: the inbox of its thread, and its request. README.md, "Messages".

#include <atomic>
#include <cstdint>
#include <new>

#include "bough/config.h"
#include "channel/spsc.h"
#include "machine/clock.h"
#include "request_place.h"
#include "share/loop_part.h"

namespace bough::balancing {

struct seat {
    using inbox_channel = basic_spsc_channel<machine::atomics, assignment, 2>;

    // ---- the slot's thread receives; whoever holds the slot's request sends ----
    inbox_channel inbox{false};
    request_place request;
    // Not null: the thread wants pieces of this loop, and of loops nested in it; or only tasks. A hint to who answers.
    std::atomic<const detail::loop_job*> wants{nullptr};
    static const detail::loop_job* tasks_only() {  // an address that no loop has
        static constexpr char none = 0;
        return reinterpret_cast<const detail::loop_job*>(&none);
    }

    // ---- the slot's thread ----
    alignas(cache_line) bool is_looking = false;  // the inbox is open
    bool is_in_outermost_wait = false;            // there it asks ahead
    std::uint8_t gave_up = 0;                     // so often in a row it slept or left before an answer came
    bool stays_in_vain = false;                   // it wanted to sleep or leave, and nothing has come since
    bool gives_half = false;     // its last answer to a request for tasks was to one for half,
    machine::ticks gave_at = 0;  // at this time
    // As a thief said last, and the thread's own have not shown otherwise since; of these the last one began at this
    // time, or 0.
    bool has_long_tasks = false;
    machine::ticks began_at = 0;
    bool has_judged = false;       // it knows how long the tasks of some answer took:
    bool has_short_tasks = false;  // they were short
    std::uint32_t tasks_sent = 0;  // in the last answer; 0: pieces of a loop
    machine::ticks sent_at = 0;    // when it came

    // In a child process: what is under way is with threads that the child lacks.
    void begin_in_child() {
        new (&inbox) inbox_channel(false);
        new (&request) request_place;
        is_looking = false;
    }
};

}  // namespace bough::balancing
