#pragma once
// What a slot has counted. Nothing is, and no slot has any counters, unless BOUGH_STATS=1, or there is a watchdog; then
// whoever sits in the slot counts here, a signal handler in its thread too, so that an addition is one operation.
// README.md of src says where what is counted.

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
    // With the spell that the slot's thread is in.
    slot_counts read() const;

    // Of the thread that sits in the slot: what it does from now on.
    void begin(activity a) {
        const machine::ticks now = end();
        // release: pairs with the load in open_spell(), which then finds that the spell before has ended.
        doing_.store(a, std::memory_order_release);
        // release: pairs with the first load in open_spell(). The spell before is in the sum.
        since_.store(now, std::memory_order_release);
    }
    // It gets up. Returns when.
    machine::ticks end() {
        const machine::ticks now = machine::now(), since = since_.load(std::memory_order_relaxed);
        if (since != 0) {
            since_.store(0, std::memory_order_relaxed);
            // release: pairs with the loads in read(). Who sees the time in the sum sees that the spell has ended.
            spent_in(doing_.load(std::memory_order_relaxed))
                .fetch_add(now - since, std::memory_order_release);
        }
        return now;
    }
    // The system's number of who sits down; 0: nobody sits here.
    void sits(int thread) { thread_.store(thread, std::memory_order_relaxed); }
    // What it sleeps for (park/parking_lot.h); null: nothing.
    void waits_for(const void* key) { waits_for_.store(key, std::memory_order_relaxed); }

    // ---- any thread; may be out of date at once ----

    std::uint64_t now(event e) const {
        return of_[static_cast<std::size_t>(e)].load(std::memory_order_relaxed);
    }
    activity doing() const { return doing_.load(std::memory_order_relaxed); }
    int thread() const { return thread_.load(std::memory_order_relaxed); }
    const void* waits_for() const { return waits_for_.load(std::memory_order_relaxed); }

private:
    using times = std::array<machine::ticks, 3>;
    std::atomic<std::uint64_t>& spent_in(activity a) { return spent_[static_cast<std::size_t>(a)]; }
    times spent() const;

    const unsigned arena_;
    const unsigned slot_;
    std::array<std::atomic<std::uint64_t>, event_count> of_{};
    std::array<std::atomic<std::uint64_t>, 3> spent_{};
    std::atomic<machine::ticks> since_{0};  // 0: not timed
    std::atomic<activity> doing_{activity::working};
    std::atomic<int> thread_{0};
    std::atomic<const void*> waits_for_{nullptr};
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

// Where the calling thread counts: its slot's counters, or those of all threads that sit nowhere. Async-signal-safe.
counters& counters_here();
counters& counters_of_nobody();

// The crew says how to find them, before there is a worker or an arena: this layer does not know where a thread sits.
// `find` is async-signal-safe; null: the thread's slot has none, or there is no slot.
void find_counters_by(counters* (*find)() noexcept) noexcept;

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

// The thread that sits in the slot sleeps for this as long as this lives.
class noted_wait {
public:
    noted_wait(const slot_counters& c, const void* key) : counters_(c) { note(key); }
    ~noted_wait() { note(nullptr); }
    noted_wait(const noted_wait&) = delete;
    noted_wait& operator=(const noted_wait&) = delete;

private:
    void note(const void* key) const {
        if (counters_) [[unlikely]]
            counters_->waits_for(key);
    }

    const slot_counters& counters_;
};

// It does something else as long as this lives.
class spell {
public:
    spell(const slot_counters& c, activity during, activity afterwards)
        : counters_(c), afterwards_(afterwards) {
        note(c, during);
    }
    // Then what it did before.
    spell(const slot_counters& c, activity during) : spell(c, during, c ? c->doing() : activity::working) {}
    ~spell() { note(counters_, afterwards_); }
    spell(const spell&) = delete;
    spell& operator=(const spell&) = delete;

private:
    const slot_counters& counters_;
    const activity afterwards_;
};

}  // namespace bough
