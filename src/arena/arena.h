#pragma once
// A bounded set of slots, and what the threads in them share: the idle set, the watcher's role, the alarm, the streams.
// An arena lives while the crew counts a reference to it: its maker has one, and each worker inside has one.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "arena/seating.h"
#include "arena/slot.h"
#include "arena/whereabouts.h"
#include "bough/detail/arena.h"
#include "lobby.h"
#include "machine/topology.h"
#include "park/parking_lot.h"
#include "park/watch.h"
#include "queue/fifo_stream.h"
#include "share/idle_set.h"

namespace bough {

// The slots [0, application) are for application threads, the slots [application, concurrency) for workers; application
// threads use the latter too if application_threads_may_use_all is set.
struct slot_layout {
    std::uint16_t application;
    std::uint16_t concurrency;
    bool application_threads_may_use_all;
};

// What a thread may take. The defaults admit everything.
struct reach {
    std::uintptr_t isolation = 0;                // not 0: only what has this tag
    const detail::cancel_node* below = nullptr;  // not null: only what descends from this node
    const slot* waiter = nullptr;  // the slot that waits; no part of its own descends from `below`
    bool enqueued = true;          // only while the thread is inside nothing else (may_take_enqueued)
    bool critical = true;
    bool shared = true;  // what lies in slots; false for a worker that takes nothing new (takes_nothing_new)
    bool others = true;  // false: of what lies in slots, only the tasks of the waiting slot itself
    bool abandoned = true;  // abandoned slots; false for a thread inside a wait
    bool asked = true;      // tasks of threads that have been asked for some, and have not answered
    bool open = true;       // what threads could be asked for, though they show nothing (channel_queue)
};

namespace detail {

class arena {
public:
    explicit arena(slot_layout s, const arena_settings& settings = {}, bool is_default = false);
    arena(const arena&) = delete;
    arena& operator=(const arena&) = delete;
    ~arena();

    // ---- slots ----

    unsigned concurrency() const { return layout_.concurrency; }
    // Every thread that is in a body here has a slot below this bound: concurrency(), plus one while a worker sits in
    // the spare slot or is due there. docs/compatibility.md has the answers in all arenas. `asker` is the slot of the
    // calling thread, in any arena, or null. A thread that is outside of bodies in its own arena does not count the
    // stand-in for a sleeper: the stand-in may go at any time, and no other worker comes in its place.
    unsigned bound_of_slots(const slot* asker) const {
        return layout_.concurrency + (has_spare_slot() && is_spare_slot_in_use(asker) ? 1u : 0u);
    }
    // n / concurrency(), for n below 4096, without a division: exact up to 4096 slots, as n / 2^24 < 1 / 4096.
    std::uint32_t share_of(std::uint32_t n) const {
        return static_cast<std::uint32_t>((std::uint64_t{n} * one_share_) >> 24);
    }
    // Slots [0, used_slots()) may exist.
    unsigned used_slots() const { return used_.load(std::memory_order_acquire); }
    // Null until a thread has sat there.
    slot* slot_at(unsigned i) const { return slots_[i].value.load(std::memory_order_acquire); }
    // Calls f(slot&) for each slot in which a thread has sat so far.
    template <class F>
    void each_slot(F&& f) const {
        for (unsigned i = 0; i < used_slots(); ++i)
            if (slot* const s = slot_at(i))
                f(*s);
    }

    // Takes a free slot, or returns null if there is none. Throws std::bad_alloc.
    slot* take_application_slot();
    slot* take_worker_slot();
    // The first slot of those that stand for the CPUs which share a cache with this one; `otherwise` where all CPUs
    // share one, or none is known. seating.h.
    unsigned first_slot_near(unsigned os_cpu, unsigned otherwise) const;
    void give_back(slot& s);

    // A thread abandons its slot when it leaves while stacks are suspended there. A worker will take the slot.
    void abandon(slot& s);
    slot* take_abandoned_slot();
    bool has_abandoned_slot() const { return abandoned_count_.load(std::memory_order_seq_cst) != 0; }

    bool is_occupied(unsigned i) const { return slots_[i].occupied.load(std::memory_order_relaxed); }
    // Sleeps while every slot that an application thread may use is taken, until done(), but at most most_ns. May
    // return early, so callers loop. The thread that makes done() true wakes `key`, or wakes all.
    template <class Done>
    void sleep_for_slot(const void* key, Done&& done, std::uint64_t most_ns);
    void wake_for_slots() const { process_parking_lot().wake_at(slots_.get()); }
    // Does an application thread wait for a slot in which a worker may sit? relaxed: workers ask again and again.
    bool workers_should_make_room() const {
        return waiting_for_slot_.load(std::memory_order_relaxed) != 0 &&
               layout_.application_threads_may_use_all;
    }

    // For a report.
    unsigned waiting_for_slot() const { return waiting_for_slot_.load(std::memory_order_relaxed); }

    bool is_workers_slot(unsigned i) const { return i >= layout_.application && i < layout_.concurrency; }
    unsigned worker_slots() const { return static_cast<unsigned>(layout_.concurrency - layout_.application); }
    unsigned application_slots() const { return layout_.application; }
    // An arena without slots for workers lends a slot to the worker that comes for enqueued tasks (slot::is_lent), as
    // no thread waits for these. An arena of one slot has a spare slot for that, beyond its concurrency. An arena of
    // several slots lends one of them when it is free, because no index may reach max_concurrency().
    bool lends_slots() const { return worker_slots() == 0; }
    bool has_spare_slot() const { return lends_slots() && layout_.concurrency == 1; }
    bool is_spare_slot(unsigned i) const { return i >= layout_.concurrency; }
    // Abandoned slots of application threads in which a worker sits now. A worker counts up before it enters and down
    // after it has left. So a thread that reads the watch's count first, then this one, sees a slot for each worker,
    // except for a worker that still had to look before it left (park/README.md).
    std::atomic<unsigned> application_slots_of_workers{0};
    // In how many slots workers may sit.
    unsigned most_workers_inside() const {
        return std::max(worker_slots(), 1u) + application_slots_of_workers.load(std::memory_order_relaxed);
    }

    const unsigned number = next_arena_number();
    const bool is_default;  // an application thread's own
    const arena_priority priority;
    const bool leaves_fast;
    // Not 0 if a waiting thread may run only what descends from what it waits for. Then all that runs here has this
    // tag, so that a thread can look at a task before it takes it (isolated_queue).
    const std::uintptr_t tag;
    const std::vector<unsigned> cpus;  // that threads inside are bound to; empty: all
    // Only workers will come here any more, and no limit keeps them from the work that is left. Written under the
    // crew's mutex; false again when a function that was left takes a handle.
    std::atomic<bool> is_abandoned{false};
    // Handles by which application code can come back; an application thread's own arena has one. With none, idle
    // workers leave at once, as only they keep the arena alive.
    std::atomic<unsigned> handles{1};
    // Phases that application code has begun here. Idle workers stay longer while there are any.
    std::atomic<unsigned> phases{0};
    // Idle workers leave at once, until the next worker comes.
    std::atomic<bool> leave_at_once{false};
    // The CPU of the thread that last asked for a worker, by the system's number. A hint.
    std::atomic<unsigned> caller_cpu{~0U};
    // The floating-point settings of its workers. A thread that makes the arena, or takes it over, sets them before it
    // works in it.
    std::atomic<std::uint64_t> fp_settings;

    observer_list observers;

    // What the crew keeps about an arena, under its mutex.
    struct crew_record {
        unsigned references = 1;
        unsigned requested = 0;  // workers that have not come yet
        bool has_request = false;
        // Since the last request, a thread that stands in for workers was given what is enqueued (take_over_enqueued).
        bool passed_over = false;
        arena* next = nullptr;
    } record;

    // ---- what threads inside share; park/README.md ----

    bough::watch watch;
    // On a cache line that is only read: every caller needs it, and workers write the lines above with every loop.
    alignas(cache_line) idle_set idle;
    whereabouts seen;
    [[no_unique_address]] balancing::lobby lobby;

    // Tasks that belong to no slot.
    fifo_stream critical;  // run before everything else
    fifo_stream enqueued;  // run by threads that have nothing else to do
    // Enqueued tasks that a thread in the spare slot runs now.
    std::atomic<unsigned> enqueued_running{0};

    // In a child process. Its only thread sits in `innermost` and in the slots from which it came there; all other
    // slots become free. The work that lay in those, or in no slot, is the parent's. Its memory is not given back, as
    // its state is unknown.
    void begin_in_child(slot* innermost) noexcept;

    // Is anything published that a thread with this reach could take, now or after a gate? Looks at every part and
    // queue, seq_cst; not at those of the slot `except`.
    bool has_published_work(reach r = {}, const slot* except = nullptr) const;

    // How many loops the slots' threads have published, those inside of others left out, modulo 2^32. A hint; O(slots).
    std::uint32_t loops_published() const;

private:
    struct alignas(cache_line) entry {
        std::atomic<slot*> value{nullptr};
        std::atomic<bool> occupied{false};
    };

    static constexpr unsigned unknown_origin = ~0U;

    unsigned slots_in_all() const { return layout_.concurrency + (has_spare_slot() ? 1u : 0u); }
    slot* take(unsigned first, unsigned last);
    slot* take_lent_slot();
    seating seats(const machine::topology& t, unsigned origin) const;
    unsigned slot_for(unsigned os_cpu);
    void sit_down(slot& s);
    void stand_up(slot& s);
    void free_slot(unsigned i);
    bool is_spare_slot_in_use(const slot* asker) const;
    bool has_free_application_slot() const;

    slot_layout layout_;
    std::uint32_t one_share_;  // 2^24 / concurrency, rounded up
    std::unique_ptr<entry[]> slots_;
    // The place of the CPU that the first worker's slot stands for; unknown until a worker has come.
    std::atomic<unsigned> origin_{unknown_origin};
    std::atomic<unsigned> used_{0};
    std::atomic<unsigned> waiting_for_slot_{0};
    std::atomic<unsigned> abandoned_count_{0};
    std::mutex abandoned_mutex_;
    std::vector<slot*> abandoned_;
};

template <class Done>
void arena::sleep_for_slot(const void* key, Done&& done, std::uint64_t most_ns) {
    waiting_for_slot_.fetch_add(1, std::memory_order_seq_cst);
    process_parking_lot().sleep(
        key, slots_.get(), [&] { return has_free_application_slot() || done(); }, 0, most_ns);
    waiting_for_slot_.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace detail
}  // namespace bough
