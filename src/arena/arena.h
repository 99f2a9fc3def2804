#pragma once
// A bounded set of slots and what its threads share: who idles, who watches, whether to call for help.
// Lives while the crew counts a reference: its maker's, and one for every worker inside.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "arena/slot.h"
#include "bough/detail/arena.h"
#include "park/parking_lot.h"
#include "park/watch.h"
#include "queue/fifo_stream.h"
#include "share/idle_set.h"

namespace bough {

// Slots in order: [0, application) are for application threads, [application, concurrency) for workers first.
struct slot_layout {
    std::uint16_t application;
    std::uint16_t concurrency;
    bool application_threads_may_use_all;
};

// What a thread may take: everything, or only what has its tag; and enqueued tasks, as long as it is inside nothing
// else (may_take_enqueued).
struct reach {
    std::uintptr_t isolation = 0;
    const detail::cancel_node* below = nullptr;  // then only what descends from it, which is nothing that the
    const slot* waiter = nullptr;                // waiting slot's own parts hold
    bool enqueued = true;
    bool critical = true;
    bool shared = true;     // what other slots have; not for a worker beyond a limit
    bool others = true;     // else, of all slots, only the tasks of the waiting one's own
    bool abandoned = true;  // abandoned slots; for workers on their way only
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
    // Every thread in a body here has a slot below this: concurrency(), and one more while a worker sits on the spare
    // slot, or is due there. docs/compatibility.md has the answers in all arenas. The calling thread sits in `asker`,
    // anywhere; or null. Outside of bodies, in its own arena, a thread does not count the worker that stands in for a
    // sleeper: that may go at any time, and nobody comes in its place.
    unsigned bound_of_slots(const slot* asker) const {
        return layout_.concurrency + (has_spare_slot() && is_spare_slot_in_use(asker) ? 1u : 0u);
    }
    // n / concurrency(), for n below 4096, without a division: exact up to 4096 slots, as n / 2^24 < 1 / 4096.
    std::uint32_t share_of(std::uint32_t n) const {
        return static_cast<std::uint32_t>((std::uint64_t{n} * one_share_) >> 24);
    }
    // Slots [0, used_slots()) may exist.
    unsigned used_slots() const { return used_.load(std::memory_order_acquire); }
    // Null while nobody has sat there.
    slot* slot_at(unsigned i) const { return slots_[i].value.load(std::memory_order_acquire); }
    // f(slot&), for those that somebody has sat in so far.
    template <class F>
    void each_slot(F&& f) const {
        for (unsigned i = 0; i < used_slots(); ++i)
            if (slot* const s = slot_at(i))
                f(*s);
    }

    // A free slot, taken; null when there is none. Throws std::bad_alloc.
    slot* take_application_slot();
    slot* take_worker_slot();
    void give_back(slot& s);

    // A slot whose thread went while stacks were suspended there; somebody will sit down in it.
    void abandon(slot& s);
    slot* take_abandoned_slot();
    bool has_abandoned_slot() const { return abandoned_count_.load(std::memory_order_seq_cst) != 0; }

    bool is_occupied(unsigned i) const { return slots_[i].occupied.load(std::memory_order_relaxed); }
    // Sleeps while all application slots are taken, until done(), or for so long. May return early; callers loop.
    // Whoever brings about done() wakes `key`, or wakes all.
    template <class Done>
    void sleep_for_slot(const void* key, Done&& done, std::uint64_t most_ns);
    void wake_for_slots() const { process_parking_lot().wake_at(slots_.get()); }
    // An application thread waits for a slot that a worker sits on. relaxed: asked again and again.
    bool workers_should_make_room() const {
        return waiting_for_slot_.load(std::memory_order_relaxed) != 0 &&
               layout_.application_threads_may_use_all;
    }

    // For a report.
    unsigned waiting_for_slot() const { return waiting_for_slot_.load(std::memory_order_relaxed); }

    bool is_workers_slot(unsigned i) const { return i >= layout_.application && i < layout_.concurrency; }
    unsigned worker_slots() const { return static_cast<unsigned>(layout_.concurrency - layout_.application); }
    unsigned application_slots() const { return layout_.application; }
    // An arena without slots for workers lends one to the worker that comes for enqueued tasks, which nobody waits for
    // (slot::is_lent). Where there is one slot only it has another one for that, beyond its concurrency. Where there
    // are several, it is one of these, when it is free: no index may reach max_concurrency().
    bool lends_slots() const { return worker_slots() == 0; }
    bool has_spare_slot() const { return lends_slots() && layout_.concurrency == 1; }
    bool is_spare_slot(unsigned i) const { return i >= layout_.concurrency; }
    // Those of application threads that were abandoned and have a worker now. Up before it enters, down when it has
    // left: who reads the watch's count before sees no worker without its slot, or one that has yet to look
    // (park/README.md).
    std::atomic<unsigned> application_slots_of_workers{0};
    // Where there may be workers at most.
    unsigned most_workers_inside() const {
        return std::max(worker_slots(), 1u) + application_slots_of_workers.load(std::memory_order_relaxed);
    }

    const unsigned number = next_arena_number();
    const bool is_default;  // an application thread's own
    const arena_priority priority;
    const bool leaves_fast;
    // Where a waiting thread may run only what descends from what it waits for, all that runs has this tag: its tasks
    // can be looked at before they are taken (isolated_queue). Else 0.
    const std::uintptr_t tag;
    const std::vector<unsigned> cpus;  // that threads inside are bound to; empty: all
    // Nobody but workers will come here any more: no limit keeps them from what is left to do. Under the crew's mutex;
    // false again when a function that is left takes a handle.
    std::atomic<bool> is_abandoned{false};
    // Handles by which application code can come back; an application thread's own arena has one. With none, idle
    // workers leave at once: only they keep it.
    std::atomic<unsigned> handles{1};
    // Idle workers stay longer while there are any.
    std::atomic<unsigned> phases{0};
    // They leave at once; until the next worker comes.
    std::atomic<bool> leave_at_once{false};
    // Where the thread ran that asked for a worker last: its OS number. A hint.
    std::atomic<unsigned> caller_cpu{~0U};
    // What its workers compute with. Set by a thread that makes the arena, or takes it over, before it works in it.
    std::atomic<std::uint64_t> fp_settings;

    observer_list observers;

    // What the crew keeps about an arena, under its mutex.
    struct crew_record {
        unsigned references = 1;
        unsigned requested = 0;  // workers that have not come yet
        bool has_request = false;
        bool passed_over =
            false;  // what is enqueued was offered to a thread that stands in, since the last request
        arena* next = nullptr;
    } record;

    // ---- what threads inside share; park/README.md ----

    bough::watch watch;
    // On a line that is only read, as every caller needs it and workers write those above with every loop.
    alignas(cache_line) idle_set idle;

    // Tasks that belong to no slot.
    fifo_stream critical;  // before everything else
    fifo_stream enqueued;  // by whoever has nothing else to do
    // Of these, now run by a thread in the spare slot.
    std::atomic<unsigned> enqueued_running{0};

    // In a child process, whose only thread sits in `innermost` and in what it visits from there: all other slots are
    // free, and what lay there, or belonged to no slot, is the parent's. Their memory is not given back: who knows its
    // state.
    void begin_in_child(slot* innermost) noexcept;

    // Anything that somebody with this reach could take now or after a gate? Looks at every part and queue, seq_cst.
    bool has_published_work(reach r = {}, const slot* except = nullptr) const;

private:
    struct alignas(cache_line) entry {
        std::atomic<slot*> value{nullptr};
        std::atomic<bool> occupied{false};
    };

    unsigned slots_in_all() const { return layout_.concurrency + (has_spare_slot() ? 1u : 0u); }
    slot* take(unsigned first, unsigned last);
    slot* take_lent_slot();
    void sit_down(slot& s);
    void stand_up(slot& s);
    void free_slot(unsigned i);
    bool is_spare_slot_in_use(const slot* asker) const;
    bool has_free_application_slot() const;

    slot_layout layout_;
    std::uint32_t one_share_;  // 2^24 / concurrency, rounded up
    std::unique_ptr<entry[]> slots_;
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
