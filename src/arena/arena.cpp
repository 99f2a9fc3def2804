#include "arena/arena.h"

#include <algorithm>
#include <new>

#include "arena/own_slots.h"
#include "bough/exports/fp_settings.h"
#include "machine/affinity.h"
#include "machine/interrupt.h"
#include "park/parking_lot.h"
#include "profile/settings.h"

namespace bough::detail {

static bool waits_for_descendants(const arena_settings& settings) {
    return settings.waiting == arena_waiting::by_environment ? process_settings().waits_for_descendants
                                                             : settings.waiting == arena_waiting::descendants;
}

arena::arena(slot_layout s, const arena_settings& settings, bool is_own)
    : is_default(is_own), priority(settings.priority), leaves_fast(settings.leaves_fast),
      tag(waits_for_descendants(settings) ? reinterpret_cast<std::uintptr_t>(this) : 0), cpus(settings.cpus),
      fp_settings(current_fp_settings()), idle(s.concurrency + 1u), seen(s.concurrency + 1u), layout_(s),
      one_share_(((1u << 24) + s.concurrency - 1) / s.concurrency), slots_(new entry[slots_in_all()]) {
    // The list never grows: a thread that abandons a slot needs no memory, and a process fork finds the list whole.
    abandoned_.reserve(slots_in_all());
}

arena::~arena() {
    for (unsigned i = 0; i < slots_in_all(); ++i)
        delete slots_[i].value.load(std::memory_order_relaxed);
}

slot* arena::take(unsigned first, unsigned last) {
    for (unsigned i = first; i < last; ++i) {
        entry& e = slots_[i];
        // acquire: pairs with give_back(); the slot's former owner is done with it.
        if (e.occupied.load(std::memory_order_seq_cst) ||
            e.occupied.exchange(true, std::memory_order_acquire))
            continue;
        slot* s = e.value.load(std::memory_order_relaxed);
        if (!s) {
            try {
                s = new slot(*this, static_cast<std::uint16_t>(i));
            } catch (...) {
                free_slot(i);
                throw;
            }
            // seq_cst: a parking watcher's last look must not miss a slot that was made before its owner published.
            e.value.store(s, std::memory_order_seq_cst);
            unsigned used = used_.load(std::memory_order_seq_cst);
            while (used < i + 1 && !used_.compare_exchange_weak(used, i + 1, std::memory_order_seq_cst)) {
            }
        }
        sit_down(*s);
        return s;
    }
    return nullptr;
}

void arena::sit_down(slot& s) {
    s.queue.begin_owning();
    seen.look(s.index);
    if (s.counted)
        s.counted->sits(machine::this_thread_id());
    note(s.counted, activity::working);
}

void arena::stand_up(slot& s) {
    s.queue.end_owning();
    if (s.counted) {
        s.counted->end();
        s.counted->sits(0);
    }
}

slot* arena::take_application_slot() {
    slot* s = take(0, layout_.application);
    if (!s && layout_.application_threads_may_use_all)
        s = take(layout_.application, layout_.concurrency);
    if (s)
        s->isolation = tag;
    return s;
}

// Takes the last free slot: application threads try that one last.
slot* arena::take_lent_slot() {
    slot* s = nullptr;
    for (unsigned i = slots_in_all(); !s && i-- > (has_spare_slot() ? layout_.concurrency : 0u);)
        s = take(i, i + 1);
    return s;
}

seating arena::seats(const machine::topology& t, unsigned origin) const {
    return {layout_.application, worker_slots(), origin, static_cast<unsigned>(t.cpus.size())};
}

// relaxed, all accesses of the origin: a hint, and it changes once.
unsigned arena::slot_for(unsigned os_cpu) {
    const machine::topology* const t = machine::uneven_topology();
    const unsigned place = t && cpus.empty() ? t->place_of(os_cpu) : machine::topology::nowhere;
    if (place == machine::topology::nowhere)
        return layout_.application;
    unsigned origin = origin_.load(std::memory_order_relaxed);
    if (origin == unknown_origin) {
        // The thread that asked for this worker may be another worker.
        const bool has_caller = layout_.application != 0 && is_occupied(0);
        const unsigned callers =
            t->place_of(has_caller ? seen.of(0) : caller_cpu.load(std::memory_order_relaxed));
        const unsigned first = t->first_beside(callers == machine::topology::nowhere ? place : callers);
        if (origin_.compare_exchange_strong(origin, first, std::memory_order_relaxed))
            origin = first;
    }
    return seats(*t, origin).slot_for(place);
}

unsigned arena::first_slot_near(unsigned os_cpu, unsigned otherwise) const {
    const machine::topology* const t = machine::uneven_topology();
    const unsigned origin = origin_.load(std::memory_order_relaxed);
    const unsigned place = t && origin != unknown_origin ? t->place_of(os_cpu) : machine::topology::nowhere;
    if (place == machine::topology::nowhere)
        return otherwise;
    return seats(*t, origin).slot_for(t->first_beside(place));
}

slot* arena::take_worker_slot() {
    slot* s = nullptr;
    if (lends_slots()) {
        s = take_lent_slot();
    } else {
        const unsigned best = slot_for(machine::current_cpu());
        try {
            s = take(best, slots_in_all());
        } catch (const std::bad_alloc&) {  // for a new slot: perhaps an old one is free
            s = take(layout_.application, best);
            if (!s)
                throw;
        }
        if (!s)
            s = take(layout_.application, best);
    }
    if (s) {
        s->is_worker = true;
        s->sat_down_blindly = !machine::uneven_topology();
        s->tree = {};
        s->is_lent = lends_slots();
        s->isolation = 0;  // it looks for anything
    }
    return s;
}

// Needs no memory: the thread is in a wait, and has no caller to which it could throw.
void arena::abandon(slot& s) {
    stand_up(s);
    const std::lock_guard lock(abandoned_mutex_);
    abandoned_.push_back(&s);  // there is room: each slot is in the list once at most
    abandoned_count_.fetch_add(1, std::memory_order_seq_cst);
}

slot* arena::take_abandoned_slot() {
    if (!has_abandoned_slot())
        return nullptr;
    const std::lock_guard lock(abandoned_mutex_);
    if (abandoned_.empty())
        return nullptr;
    slot* s = abandoned_.back();
    abandoned_.pop_back();
    abandoned_count_.fetch_sub(1, std::memory_order_relaxed);
    sit_down(*s);
    s->tree = {};
    return s;
}

void arena::give_back(slot& s) {
    s.trial = {};
    s.handed = {};  // their receivers run them
    s.fibers.running = nullptr;
    s.fibers.own.reset();
    s.is_worker = s.is_lent = false;
    stand_up(s);
    free_slot(s.index);
}

void arena::free_slot(unsigned i) {
    // The release in it pairs with take().
    slots_[i].occupied.exchange(false, std::memory_order_seq_cst);
    // seq_cst, both this load and the exchange above: store-load pair with sleep_for_slot(), then with the parking
    // lot's sleeper.
    if (waiting_for_slot_.load(std::memory_order_seq_cst) != 0)
        wake_for_slots();
}

bool arena::is_spare_slot_in_use(const slot* asker) const {
    // Read in this order: a function that is no longer in the stream is seen as running (fifo_stream::unlink).
    if (!enqueued.is_empty() || enqueued_running.load(std::memory_order_relaxed) != 0)
        return true;
    const bool is_outside =
        asker && &asker->home == this && is_default && !asker->is_worker && asker->nesting == 0;
    return !is_outside && is_occupied(layout_.concurrency);
}

void arena::begin_in_child(slot* innermost) noexcept {
    unsigned used = 0;
    for (unsigned i = 0; i < slots_in_all(); ++i) {
        idle.clear(i);
        slot* const s = slots_[i].value.load(std::memory_order_relaxed);
        if (s && find_own_slot(innermost, [&](const slot& own) { return &own == s; })) {
            used = i + 1;
            continue;
        }
        if (s) {
            s->end_parts();  // this thread may be at work for one of them
            if (s->counted)
                s->counted->end();
        }
        slots_[i].value.store(nullptr, std::memory_order_relaxed);
        slots_[i].occupied.store(false, std::memory_order_relaxed);
    }
    if (used != 0 && is_workers_slot(used - 1))
        layout_.application = 0;  // the thread sits in a worker's slot: a worker may have the application's
    used_.store(used, std::memory_order_relaxed);
    waiting_for_slot_.store(0, std::memory_order_relaxed);
    new (&watch) bough::watch;
    application_slots_of_workers.store(0, std::memory_order_relaxed);
    new (&critical) fifo_stream;
    new (&enqueued) fifo_stream;
    enqueued_running.store(0, std::memory_order_relaxed);
    new (&abandoned_mutex_) std::mutex;
    abandoned_.clear();
    abandoned_count_.store(0, std::memory_order_relaxed);
    observers.begin_in_child();
    record = {.references = record.references};
}

bool arena::has_free_application_slot() const {
    for (unsigned i = 0; i < layout_.concurrency; ++i) {
        const bool workers_only = is_workers_slot(i) && !layout_.application_threads_may_use_all;
        if (!workers_only && !slots_[i].occupied.load(std::memory_order_seq_cst))
            return true;
    }
    return false;
}

static bool has_tasks_for(const slot& s, const reach& r) {
    const bool any_task = r.isolation == 0 && !r.below;
    if (!any_task)
        return s.isolated.has({r.isolation, r.below});
    return (!s.queue.is_empty() && (r.open || s.queue.has_tasks())) ||
           (r.asked && s.queue.has_more_than_asked()) || !s.isolated.is_empty();
}

// Is there anything in the slot that a thread with this reach could take? (Whether a part descends from r.below cannot
// be seen from outside, so a part counts.)
static bool has_work_for(slot& s, const reach& r) {
    if (has_tasks_for(s, r))
        return true;
    if ((!local_queue::parts_are_published && r.open) || (r.below && &s == r.waiter))
        return false;
    const unsigned parts = s.parts_made();
    for (std::uint16_t d = 0; d < parts; ++d) {
        const loop_part& p = s.part(d);
        // seq_cst: the last look; pairs with loop_part::publish.
        if (loop_word(p.word.load(std::memory_order_seq_cst)).remaining() != 0 &&
            (r.isolation == 0 || p.isolation.load(std::memory_order_relaxed) == r.isolation))
            return true;
    }
    return false;
}

bool arena::has_published_work(reach r, const slot* except) const {
    if (r.critical && !r.below && (r.isolation ? critical.has_tagged(r.isolation) : !critical.is_empty()))
        return true;
    if (!r.below && r.enqueued && r.isolation == 0 && !enqueued.is_empty())
        return true;
    if (r.abandoned && has_abandoned_slot())
        return true;
    if (!r.shared)
        return false;
    if (!r.others)
        return has_tasks_for(*r.waiter, r);
    const unsigned used = used_.load(std::memory_order_seq_cst);
    for (unsigned i = 0; i < used; ++i) {
        slot* s = slots_[i].value.load(std::memory_order_seq_cst);
        if (s && s != except && has_work_for(*s, r))
            return true;
    }
    return false;
}

std::uint32_t arena::loops_published() const {
    std::uint32_t sum = 0;
    each_slot(
        [&](slot& s) { sum += loop_word(s.part(0).word.load(std::memory_order_relaxed)).generation(); });
    return sum;
}

}  // namespace bough::detail
