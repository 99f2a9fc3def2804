#include "worker/this_thread.h"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "arena/arena.h"
#include "bough/detail/raise.h"
#include "bough/exports/fp_settings.h"
#include "machine/once.h"
#include "profile/tuning.h"
#include "worker/crew.h"
#include "worker/mail_tasks.h"
#include "worker/worker.h"

namespace bough {

constinit thread_local slot* current_slot BOUGH_FAST_TLS = nullptr;

namespace {

// Every application thread has an arena of its own, as with oneTBB. So while it waits it runs no work of another
// application thread, which might need a lock that it holds. These arenas are never destroyed, as threads of the
// program may need theirs until its very end; later threads use them again.
constinit machine::made_once<std::vector<arena*>> default_arenas;  // under the process's lock

slot& take_default_slot() {
    const std::lock_guard lock(machine::process_lock());
    std::vector<arena*>& all = default_arenas.get([] { return std::vector<arena*>(); });
    for (arena* a : all) {
        if (slot* s = a->take_application_slot()) {
            if (a->has_published_work()) {  // its last thread has left that to the workers
                a->give_back(*s);
                continue;
            }
            a->fp_settings.store(detail::current_fp_settings(), std::memory_order_relaxed);
            return *s;
        }
    }
    process_crew();
    // The limit does not change the number of slots, as with oneTBB: max_concurrency() gives that number before there
    // is an arena. If an earlier limit gave the arena more slots, a program under a later limit that waits for as many
    // threads would wait for ever.
    const unsigned n = std::max(process_tuning().threads, 1u);
    all.reserve(all.size() + 1);
    auto fresh = std::make_unique<arena>(slot_layout{.application = 1,
                                                     .concurrency = static_cast<std::uint16_t>(n),
                                                     .application_threads_may_use_all = false},
                                         detail::arena_settings{}, true);
    process_crew().adopt(*fresh);
    arena* const a = fresh.release();
    all.push_back(a);  // there is room
    return *a->take_application_slot();
}

// Will a worker come for what lies in the arena? A stand-in does not count: it goes when its sleeper wakes.
bool is_sure_of_workers(const arena& a) {
    return a.worker_slots() != 0 && crew_limits.can_have_workers();
}

// Leaves the tasks of the slot to the workers, or runs them if no worker may come. If possible no task runs in a thread
// that ends: the thread that joins it would wait for the task, and the task may wait for that thread.
void leave_tasks(slot& s) {
    arena& a = s.home;
    put_mail_into_queue(s);
    local_queue::expose_all_here();
    if (a.has_published_work()) {
        a.watch.alarm.raise();
        call(a);  // before the look whether the system refuses threads
    }
    if (is_sure_of_workers(a))
        return;
    while (run_queued_task(s)) {
    }
}

// Gives the slot of an application thread back when the thread ends.
void leave_slot(void* occupied) {
    slot& s = *static_cast<slot*>(occupied);
    current_slot = &s;
    leave_tasks(s);
    s.told.leave(false);
    current_slot = nullptr;
    give_slot_back(s);
}

// A key and not a thread_local object: destructors of the program's thread_local objects may run loops, after any such
// destructor of ours. Keys are destroyed after all of them.
pthread_key_t slot_key() {
    static constinit machine::made_once<pthread_key_t> key;
    return key.get([] {
        pthread_key_t made{};
        if (pthread_key_create(&made, leave_slot) != 0)
            throw std::bad_alloc();
        return made;
    });
}

}  // namespace

counters* counters_of_this_thread() noexcept {
    const slot* s = current_slot;
    return s ? s->counted.get() : nullptr;
}

bool is_in_own_arena() {
    return !current_slot || pthread_getspecific(slot_key()) == current_slot;
}

bool forget_slot(slot& s) {
    if (pthread_getspecific(slot_key()) != &s)
        return false;
    pthread_setspecific(slot_key(), nullptr);
    current_slot = nullptr;
    return true;
}

slot& try_to_attach() {
    const pthread_key_t key = slot_key();
    slot& s = take_default_slot();
    if (pthread_setspecific(key, &s) != 0) {
        s.home.give_back(s);
        throw std::bad_alloc();
    }
    current_slot = &s;
    begin_mail_round(s);
    return s;
}

BOUGH_COLD slot& attach() {
    return detail::or_terminate([]() -> slot& { return try_to_attach(); });
}

namespace detail {

slot_view* current_view() noexcept {
    return current_slot;
}

std::uint16_t slot_index() {
    return this_slot().index;
}

arena* current_arena() noexcept {
    return current_slot ? &current_slot->home : nullptr;
}

std::uint64_t arena_fp_settings() noexcept {
    return current_slot->home.fp_settings.load(std::memory_order_relaxed);
}

}  // namespace detail
}  // namespace bough
