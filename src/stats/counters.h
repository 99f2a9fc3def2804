#pragma once
// What a slot has counted. Nothing is, and no slot has any counters, unless BOUGH_STATS=1; then whoever sits in the slot
// counts here, a signal handler in its thread too, so that an addition is one operation. README.md of src says where what is
// counted.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "bough/statistics.h"
#include "machine/clock.h"

namespace bough {

enum class activity : std::uint8_t { working, searching, sleeping };

class counters {
public:
    counters(unsigned arena, unsigned slot) : arena_(arena), slot_(slot) {}

    void add(event e, std::uint64_t n = 1) {
        of_[static_cast<std::size_t>(e)].fetch_add(n, std::memory_order_relaxed);
    }
    void add(activity a, machine::ticks time) {
        spent_[static_cast<std::size_t>(a)].fetch_add(time, std::memory_order_relaxed);
    }
    slot_counts read() const;

    // Of the thread that sits in the slot: what it does from now on.
    void begin(activity a) {
        end();
        doing_ = a;
        is_timed_ = true;
    }
    // It gets up.
    void end() {
        const machine::ticks now = machine::now();
        if (is_timed_)
            add(doing_, now - since_);
        since_ = now;
        is_timed_ = false;
    }

private:
    const unsigned arena_;
    const unsigned slot_;
    std::array<std::atomic<std::uint64_t>, event_count> of_{};
    std::array<std::atomic<std::uint64_t>, 3> spent_{};
    machine::ticks since_ = 0;
    activity doing_ = activity::working;
    bool is_timed_ = false;
};

// In the list of all; what they have counted stays in the sum when they go.
struct listed_counters {
    void operator()(counters* gone) const noexcept;
};
using slot_counters = std::unique_ptr<counters, listed_counters>;

// Of the next arena that is made. Before its first slot is: decides whether events are counted.
unsigned next_arena_number();
// Null unless they are. Throws std::bad_alloc.
slot_counters make_slot_counters(unsigned arena, unsigned slot);

// Where the calling thread counts: its slot's counters, or those of all threads that sit nowhere. In worker/this_thread.cpp,
// which knows where it sits. Async-signal-safe.
counters& counters_here();
counters& counters_of_nobody();

extern constinit std::atomic<bool> events_are_counted;

inline void count(event e, std::uint64_t n = 1) {
    if (events_are_counted.load(std::memory_order_relaxed)) [[unlikely]]
        counters_here().add(e, n);
}

// The same by a thread that sits in the slot.
inline void count(const slot_counters& c, event e, std::uint64_t n = 1) {
    if (c) [[unlikely]]
        c->add(e, n);
}
// It does something else from now on.
inline void note(const slot_counters& c, activity a) {
    if (c) [[unlikely]]
        c->begin(a);
}

// It does something else as long as this lives.
class spell {
public:
    spell(const slot_counters& c, activity during, activity afterwards)
        : counters_(c), afterwards_(afterwards) {
        note(c, during);
    }
    ~spell() { note(counters_, afterwards_); }
    spell(const spell&) = delete;
    spell& operator=(const spell&) = delete;

private:
    const slot_counters& counters_;
    const activity afterwards_;
};

}  // namespace bough
