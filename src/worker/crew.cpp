#include "worker/crew.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>

#include "machine/futex.h"
#include "machine/thread.h"
#include "profile/tuning.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {

crew& process_crew() {
    static crew* one = new crew(std::max(1u, process_tuning().threads));
    return *one;
}

void crew::request(arena& a, unsigned count) {
    // All that are allowed are inside: each looks before it leaves (park/README.md).
    if (a.worker_seats() == 0 || (crew_limits.workers_allowed() != 0 &&
                                  a.workers_inside.load(std::memory_order_seq_cst) >= workers_allowed(a)))
        return;
    std::unique_lock lock(mutex_);
    want(a, std::min(count, a.worker_seats()));
    const woken one = grant(1);
    lock.unlock();
    one.wake();
}

void crew::want(arena& a, unsigned count) {
    a.record.wanted = std::max(a.record.wanted, count);
    if (a.record.listed)
        return;
    // Last in, last served.
    arena** end = &first_wanting_;
    while (*end)
        end = &(*end)->record.next;
    *end = &a;
    a.record.next = nullptr;
    a.record.listed = true;
    note_wanting();  // before a worker is started or woken: it looks whether to wake more
}

void crew::adopt(arena& a) {
    const std::lock_guard lock(mutex_);
    arenas_.push_back(&a);
}

void crew::release(arena& a) {
    {
        const std::lock_guard lock(mutex_);
        if (--a.record.references != 0)
            return;
        arenas_.erase(std::find(arenas_.begin(), arenas_.end(), &a));
        for (arena** p = &first_wanting_; a.record.listed && *p; p = &(*p)->record.next) {
            if (*p == &a) {
                *p = a.record.next;
                break;
            }
        }
        note_wanting();
    }
    delete &a;
}

// The arena whose turn it is, with one worker less to wait for, and a reference for that worker.
arena* crew::next_wanted() {
    arena* a = first_wanting_;
    if (!a || crew_limits.active.load(std::memory_order_relaxed) >= crew_limits.workers_allowed())
        return nullptr;
    if (--a->record.wanted == 0) {
        first_wanting_ = a->record.next;
        a->record.listed = false;
    }
    ++a->record.references;
    crew_limits.active.fetch_add(1, std::memory_order_relaxed);
    return a;
}

// At most two: wake-ups spread as a tree.
crew::woken crew::grant(unsigned count) {
    woken result;
    for (unsigned n = 0; n < count; ++n) {
        if (parked_.empty() && (refused_ || started_ >= crew_limits.workers_allowed()))
            break;  // somebody who comes back takes the request
        arena* a = next_wanted();
        if (!a)
            break;
        if (parked_.empty()) {
            if (start(*a))
                continue;
            crew_limits.active.fetch_sub(1, std::memory_order_relaxed);
            want(*a, a->record.wanted + 1);
            --a->record.references;
            break;
        }
        worker* w = parked_.back();
        parked_.pop_back();
        w->assigned = a;
        result.workers[n] = w;
    }
    note_wanting();
    return result;
}

void crew::woken::wake() const {
    for (worker* w : workers) {
        if (!w)
            continue;
        // release: pairs with next_arena(), which sees `assigned` and `wanting`. A worker lives as long as the process.
        w->wake.store(1, std::memory_order_release);
        machine::futex_wake(&w->wake, 1);
    }
}

bool crew::start(arena& a) try {
    auto w = std::make_unique<worker>();
    w->number = started_ + 1;
    w->assigned = &a;
    w->wake.store(1, std::memory_order_relaxed);
    parked_.reserve(started_ + 1);
    const int error = machine::start_thread(run, w.get(), stack_size_);
    if (error != 0) {
        refused_ = true;
        std::fprintf(stderr, "bough: thread %u could not be started (%s); going on with %u\n", w->number,
                     std::strerror(error), started_ + 1);
        return false;
    }
    w.release();
    ++started_;
    return true;
} catch (const std::bad_alloc&) {
    // The request stands; but with no worker at all nobody may come back for it, so the next publisher asks again.
    a.bell.raise();
    return false;
}

arena& crew::next_arena(worker& w) {
    if (w.wake.load(std::memory_order_relaxed) == 0) {
        std::unique_lock lock(mutex_);
        crew_limits.active.fetch_sub(1, std::memory_order_relaxed);
        if (arena* a = next_wanted()) {
            w.assigned = a;
            note_wanting();
        } else {
            parked_.push_back(&w);
            lock.unlock();
            // acquire: pairs with grant().
            while (w.wake.load(std::memory_order_acquire) == 0)
                machine::futex_wait(w.wake, 0);
        }
    }
    w.wake.store(0, std::memory_order_relaxed);
    // relaxed: whoever woke this thread did so after setting it.
    if (crew_limits.wanting.load(std::memory_order_relaxed))
        spread();
    return *w.assigned;
}

// A worker on its way to work wakes the next two.
void crew::spread() {
    std::unique_lock lock(mutex_);
    const woken two = grant(2);
    lock.unlock();
    two.wake();
}

// Null too when there is no memory for a slot: then the arena does without this worker.
static slot* seat_in(arena& a) {
    try {
        return a.take_worker_seat();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

void* crew::run(void* data) {
    worker& w = *static_cast<worker*>(data);
    machine::name_this_thread(w.number);
    if (process_tuning().pin)
        machine::pin_this_thread(w.number);
    for (;;) {
        arena& a = process_crew().next_arena(w);
        if (slot* s = seat_in(a)) {
            current_slot = s;
            serve(*s);
            current_slot = nullptr;
            give_seat_back(*s);
        }
        process_crew().release(a);
    }
}

void crew::set_limit(unsigned threads) {
    std::unique_lock lock(mutex_);
    const bool more = threads > crew_limits.limit.load(std::memory_order_relaxed);
    crew_limits.limit.store(threads, std::memory_order_relaxed);
    if (!more)
        return;
    // What was published while all allowed workers were busy has been called for by nobody.
    for (arena* a : arenas_)
        if (a->worker_seats() != 0)
            want(*a, 1);
    const woken one = grant(1);
    lock.unlock();
    one.wake();
}

void crew::set_stack_size(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    stack_size_ = bytes;
}

}  // namespace bough
