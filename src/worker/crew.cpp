#include "worker/crew.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "machine/affinity.h"
#include "machine/clock.h"
#include "machine/futex.h"
#include "machine/once.h"
#include "machine/pause.h"
#include "machine/thread.h"
#include "machine/topology.h"
#include "profile/tuning.h"
#include "worker/racy.h"
#include "worker/this_thread.h"
#include "worker/watchdog.h"
#include "worker/worker.h"

namespace bough {

static constinit machine::made_once<crew> the_crew;

crew& process_crew() {
    return the_crew.get([] {
        find_counters_by(counters_of_this_thread);
        local_queue::on_exposed(call_if_unwatched);
        ask_for_watchdog();
        return crew(std::max(1u, process_tuning().threads));
    });
}
crew* crew_if_made() noexcept {
    return the_crew.if_made();
}

// Written under the crew's mutex only.
static unsigned started() {
    return crew_limits.started.load(std::memory_order_relaxed);
}

// Must a worker come whatever the limit?
static bool is_mandatory(const arena& a) {
    return !a.enqueued.is_empty() || a.has_abandoned_slot();
}

// For threads that call workers, many at the same time where a tree of tasks begins: one that slept here would cost a
// wake-up. On 48 virtual cores such a tree took 270 us after a pause, with this 190.
std::unique_lock<std::mutex> crew::lock_soon() {
    constexpr int spins = 100;
    std::unique_lock lock(mutex_, std::try_to_lock);
    for (int i = 0; !lock && i < spins; ++i) {
        machine::pause();
        lock.try_lock();
    }
    if (!lock)
        lock.lock();
    return lock;
}

void crew::request(arena& a, std::size_t count) {
    const auto here = a.watch.workers();
    // Read once. A request under a limit that allows no worker must be remembered, even if a thread goes to sleep
    // meanwhile.
    const unsigned stand_ins = crew_limits.stand_ins();
    const unsigned allowed = std::max(workers_allowed(a, here.blocked, stand_ins), is_mandatory(a) ? 1u : 0u);
    const bool all_have_slots = here.all() >= a.most_workers_inside();
    const bool all_inside = crew_limits.workers_allowed(stand_ins) != 0 && here.inside >= allowed;
    // Then no request is needed: each worker looks before it leaves, or when it is back (park/README.md). Without
    // workers it is: the threads that stand in for them look at the requests.
    if ((all_have_slots || all_inside) && !a.has_abandoned_slot() &&
        !crew_limits.without_workers.load(std::memory_order_relaxed))
        return;
    a.caller_cpu.store(machine::current_cpu(), std::memory_order_relaxed);
    std::unique_lock lock = lock_soon();
    start_watchdog_if_due();
    a.record.passed_over = false;
    const unsigned most = std::min(allowed, a.worker_slots());
    const unsigned missing = most - std::min(most, here.inside);
    list_request(a, std::max(1u, static_cast<unsigned>(std::min<std::size_t>(count, missing))));
    const woken one = grant(1, served_slot(current_slot) ? starter::worker : starter::any_thread);
    lock.unlock();
    one.wake();
}

void crew::list_request(arena& a, unsigned count) {
    a.record.requested = std::max(a.record.requested, count);
    if (a.record.has_request)
        return;
    // Goes behind all requests of the same or a higher priority.
    arena** at = &first_request_;
    while (*at && (*at)->priority >= a.priority)
        at = &(*at)->record.next;
    a.record.next = *at;
    *at = &a;
    a.record.has_request = true;
    note_requests();  // before a worker is started or woken: that worker looks whether to wake more
}

void crew::drop_request(arena& a) {
    arena** at = &first_request_;
    while (*at && *at != &a)
        at = &(*at)->record.next;
    if (*at)
        *at = a.record.next;
    a.record.has_request = false;
    a.record.requested = 0;
}

void crew::note_requests() {
    const auto waiting = [](const arena* a) {
        return a ? crew_limits_type::waiting(*a) : requests::waiting{};
    };
    crew_limits.requests.note(waiting(first_request_),
                              waiting(first_request_ ? first_request_->record.next : nullptr),
                              first_request_ ? process_tuning().turn : 0);
}

void crew::adopt(arena& a) {
    {
        const std::lock_guard lock(mutex_);
        start_watchdog_if_due();
        arenas_.push_back(&a);
    }
    say_if_watchdog_was_refused();
}

void crew::keep(arena& a) {
    const std::lock_guard lock(mutex_);
    ++a.record.references;
}

void crew::keep_handle(arena& a) {
    const std::lock_guard lock(mutex_);
    ++a.record.references;
    a.handles.fetch_add(1, std::memory_order_relaxed);
    a.is_abandoned.store(false, std::memory_order_relaxed);
}

void crew::release(arena& a) {
    {
        std::unique_lock lock(mutex_);
        if (--a.record.references != 0)
            return;
        if (a.has_published_work()) {  // the worker that comes for it releases the arena again
            a.is_abandoned.store(true, std::memory_order_relaxed);
            list_request(a, 1);
            const woken one = grant();
            lock.unlock();
            return one.wake();
        }
        arenas_.erase(std::find(arenas_.begin(), arenas_.end(), &a));
        if (a.record.has_request)
            drop_request(a);
        note_requests();
    }
    delete &a;
}

// May one more worker serve this arena? If no worker is active, one may come whatever the limit for enqueued tasks, for
// abandoned slots, and for an abandoned arena.
bool crew::may_serve(const arena& a) const {
    const unsigned active = crew_limits.active.load(std::memory_order_relaxed);
    return active < crew_limits.workers_allowed() ||
           (active == 0 && (is_mandatory(a) || a.is_abandoned.load(std::memory_order_relaxed)));
}

// Returns the arena whose turn it is, or null. The arena then waits for one worker less, and has a reference for it.
arena* crew::next_request() {
    arena* a = first_request_;
    while (a && !may_serve(*a))
        a = a->record.next;
    if (!a)
        return nullptr;
    if (--a->record.requested == 0)
        drop_request(*a);
    ++a->record.references;
    crew_limits.active.fetch_add(1, std::memory_order_relaxed);
    return a;
}

arena* crew::take_over_enqueued() {
    const std::lock_guard lock(mutex_);
    arena* a = first_request_;
    while (a && (a->record.passed_over || a->enqueued.is_empty()))
        a = a->record.next;
    if (!a)
        return nullptr;
    a->record.passed_over = true;
    ++a->record.references;
    return a;
}

// If all workers are blocked, perhaps none comes back to take the requests. So the next publishers ask again. No look
// is needed after the alarm is raised: the requests stand, so a publisher that misses the alarm loses only time.
void crew::ask_again() {
    if (started() != blocked_)
        return;
    for (arena* a = first_request_; a; a = a->record.next)
        if (!a->watch.alarm.is_raised())
            a->watch.alarm.raise();
}

// One that sleeps between its looks may have to take a request, or to leave.
// No fence: one that goes to sleep at this moment may be missed. It looks within a millisecond.
void crew::rouse_watchers() {
    for (const arena* a : arenas_)
        if (a->watch.watcher() != 0)
            a->watch.rouse(process_parking_lot());
}

// Gives the requests to parked workers, of which each wakes two more: so wake-ups spread as a tree, and no worker of
// them needs the mutex. Where none is parked it starts at most so many.
crew::woken crew::grant(unsigned most_started, starter by) {
    woken result;
    std::size_t given = 0;
    unsigned n = 0;
    while (first_request_ && !crew_limits.dismissing.load(std::memory_order_relaxed)) {
        const bool all_given = given == parked_.size();
        if (all_given && n == most_started)
            break;
        if (all_given &&
            (is_refused() || started() - blocked_ >= std::max(crew_limits.workers_allowed(), 1u))) {
            ask_again();
            rouse_watchers();
            break;  // a worker that comes back takes the request
        }
        arena* a = next_request();
        if (!a) {  // not allowed now: perhaps as long as a worker is elsewhere
            rouse_watchers();
            break;
        }
        if (!all_given) {
            const std::size_t last = parked_.size() - 1 - given++;
            bring_nearest_to(last, *a);
            parked_[last]->assigned = a;
        } else if (start(*a, by, result)) {
            ++n;
        } else {
            crew_limits.active.fetch_sub(1, std::memory_order_relaxed);
            list_request(*a, a->record.requested + 1);
            --a->record.references;
            ask_again();
            break;
        }
    }
    if (n != most_started)
        forget_surplus();
    note_requests();
    result.first = take_parked(given);
    return result;
}

// No more workers can come now. Of a request for many one stands, for the next worker that is free: so arenas take
// turns, and a worker does not come for what is long done.
void crew::forget_surplus() {
    for (arena* a = first_request_; a; a = a->record.next)
        a->record.requested = 1;
}

// Of the parked workers up to `last`, the one whose CPU is nearest to the arena's caller goes there; of equals the one
// that parked last.
void crew::bring_nearest_to(std::size_t last, const arena& a) {
    const machine::topology* const t = machine::uneven_topology();
    const unsigned callers = a.caller_cpu.load(std::memory_order_relaxed);
    const auto far = [&](std::size_t i) { return machine::distance_between(*t, parked_[i]->cpu, callers); };
    constexpr unsigned same_cache = 1;
    // A tree of many takes nearly all that there are.
    constexpr std::size_t few = 8;
    if (!t || parked_.size() - last > few)
        return;
    std::size_t best = last;
    unsigned least = far(best);
    for (std::size_t i = last; least > same_cache && i-- > 0;) {
        if (const unsigned d = far(i); d < least) {
            best = i;
            least = d;
        }
    }
    std::swap(parked_[best], parked_[last]);
}

// The last ones, as a tree.
crew::worker* crew::take_parked(std::size_t count) {
    const auto last = [&](std::size_t i) { return i < count ? parked_[parked_.size() - 1 - i] : nullptr; };
    for (std::size_t i = 0; i < count; ++i)
        last(i)->wakes = {last(2 * i + 1), last(2 * i + 2)};
    worker* const first = last(0);
    parked_.resize(parked_.size() - count);
    return first;
}

// The first refusal of a thread, until it has been printed: an errno value, and how many threads there are. Written
// once, under the crew's mutex. relaxed: the thread that wrote it reads it afterwards.
static std::atomic<int> unsaid_refusal{0};
static std::atomic<unsigned> threads_at_refusal{0};

BOUGH_COLD static void say_refusal() {
    // acq_rel: one thread prints it; pairs with note_refusal().
    const int error = unsaid_refusal.exchange(0, std::memory_order_acq_rel);
    if (error == 0)
        return;
    const unsigned threads = threads_at_refusal.load(std::memory_order_relaxed);
    std::fprintf(stderr, "bough: thread %u could not be started (%s); going on with %u\n", threads,
                 std::strerror(error), threads);
}

// release: pairs with next_arena(), which sees `assigned`, `wakes` and the requests. After the store only the
// word's address is used: the worker may have ended.
void crew::let_go_on(worker& w) {
    w.wake.store(1, std::memory_order_release);
    machine::futex_wake(&w.wake, 1);
}

void crew::wake(worker& w) {
    count(event::woken);
    let_go_on(w);
}

void crew::woken::wake() const {
    if (first)
        crew::wake(*first);
    for (worker* const w : starts)
        if (w)
            process_crew().begin(*w);
    // The last step: printing may wait for a thread that holds stderr's lock.
    if (unsaid_refusal.load(std::memory_order_relaxed) != 0) [[unlikely]]
        say_refusal();
    say_if_watchdog_was_refused();
}

bool crew::start(arena& a, starter by, woken& later) try {
    auto w = std::make_unique<worker>();
    w->number = started() + 1;
    w->stack_size = stack_size_;
    w->assigned = &a;
    w->wake.store(1, std::memory_order_relaxed);
    parked_.reserve(started() + 1);
    // A blocked worker does not come back to look. If all are blocked, who asks meanwhile has to know of a refusal.
    if (by == starter::worker && refused_at_ == 0 && started() != blocked_) {
        crew_limits.started.fetch_add(1, std::memory_order_relaxed);
        (later.starts[0] ? later.starts[1] : later.starts[0]) = w.release();
        return true;
    }
    const int error = machine::start_thread(run, w.get(), w->stack_size);
    if (error != 0) {
        note_refusal(error);
        a.watch.alarm.raise();
        return false;
    }
    w.release();
    crew_limits.started.fetch_add(1, std::memory_order_relaxed);
    refused_at_ = 0;
    crew_limits.start_failed.store(false, std::memory_order_relaxed);
    note_workers();
    return true;
} catch (const std::bad_alloc&) {
    // The request stands. But if there is no worker at all, perhaps none comes back for it. So the next publisher asks
    // again.
    a.watch.alarm.raise();
    note_failed_start();
    return false;
}

// Outside of the mutex: starts the thread of a worker that counts as started. If the system refuses it, takes all back,
// and gives the request to a worker that has parked meanwhile.
void crew::begin(worker& w) {
    const int error = machine::start_thread(run, &w, w.stack_size);
    if (error == 0) {
        if (crew_limits.start_failed.load(std::memory_order_relaxed)) [[unlikely]]
            note_start();
        return;
    }
    const std::unique_ptr<worker> refused(&w);
    arena& a = *w.assigned;
    std::unique_lock lock(mutex_);
    crew_limits.active.fetch_sub(1, std::memory_order_relaxed);
    if (crew_limits.started.fetch_sub(1, std::memory_order_relaxed) == 1)
        ended_.notify_all();
    note_refusal(error);
    a.watch.alarm.raise();
    list_request(a, a.record.requested + 1);
    ask_again();
    const woken one = grant();  // starts no thread so soon after a refusal
    lock.unlock();
    one.wake();
    release(a);
}

// Another thread's start was refused while this one's was under way.
void crew::note_start() {
    const std::lock_guard lock(mutex_);
    refused_at_ = 0;
    crew_limits.start_failed.store(false, std::memory_order_relaxed);
    note_workers();
}

void crew::note_workers() {
    // False during a dismissal: threads are asked for anew after it. seq_cst: pairs with run_enqueued_if_nobody_will().
    crew_limits.without_workers.store(crew_limits.start_failed.load(std::memory_order_relaxed) &&
                                          started() == blocked_ &&
                                          !crew_limits.dismissing.load(std::memory_order_relaxed),
                                      std::memory_order_seq_cst);
}

// Wakes the threads that sleep already, so that they ask again from now on. seq_cst: store-load pair with the parking
// lot's sleepers.
void crew::note_failed_start() {
    const bool is_first = !crew_limits.start_failed.exchange(true, std::memory_order_seq_cst);
    note_workers();
    if (is_first)
        wake_all_places();
}

void crew::wake_all_places() {
    for (const arena* a : arenas_) {
        process_parking_lot().wake_at(a);
        a->wake_for_slots();
    }
}

void crew::wake_sleepers() {
    const std::lock_guard lock(mutex_);
    wake_all_places();
}

void crew::note_refusal(int error) {
    refused_at_ = machine::now();
    note_failed_start();
    if (std::exchange(said_, true))
        return;
    threads_at_refusal.store(started() + 1, std::memory_order_relaxed);
    unsaid_refusal.store(error, std::memory_order_release);  // pairs with say_refusal()
}

bool crew::is_refused() const {
    return refused_at_ != 0 && machine::now() - refused_at_ < machine::from_ns(rest_after_refusal_ns);
}

void crew::lock_for_process_fork() {
    mutex_.lock();
    for (arena* a : arenas_)
        a->observers.lock();
}

void crew::unlock_in_parent() {
    for (arena* a : arenas_)
        a->observers.unlock();
    mutex_.unlock();
}

void crew::begin_in_child(slot* innermost) {
    parked_.clear();
    first_request_ = nullptr;
    blocked_ = 0;
    not_called_ = 0;
    knows_of_no_work_ = true;
    refused_at_ = 0;
    new (&ended_) std::condition_variable;
    crew_limits.started.store(0, std::memory_order_relaxed);
    crew_limits.abandoned_slots.store(0, std::memory_order_relaxed);
    crew_limits.start_failed.store(false, std::memory_order_relaxed);
    note_workers();
    crew_limits.active.store(0, std::memory_order_relaxed);
    note_requests();
    crew_limits.sleeping.store(0, std::memory_order_relaxed);
    crew_limits.dismissing.store(false, std::memory_order_relaxed);
    for (arena* a : arenas_)
        a->begin_in_child(innermost);
    mutex_.unlock();
}

bool crew::is_at_rest(unsigned* started) {
    std::unique_lock lock(mutex_);
    // The first wait of this process: only the parent has called for what lay in queues at the process fork.
    if (std::exchange(knows_of_no_work_, false))
        for (arena* a : arenas_)
            if (a->has_published_work())
                list_request(*a, 1);
    const woken one = grant();
    *started = bough::started();
    const bool rests = are_workers_idle() && !is_a_blocked_one_called();
    lock.unlock();
    one.wake();
    return rests;
}

bool crew::are_workers_idle() const {
    return crew_limits.active.load(std::memory_order_relaxed) == 0 && not_called_ == 0;
}

// A blocked worker counts as active once it has woken. Until then, what it was woken for can be seen here.
bool crew::is_a_blocked_one_called() const {
    if (blocked_ == 0)
        return false;
    bool is_called = false;
    for (arena* a : arenas_) {
        is_called |= a->watch.workers().all() != 0 && a->has_published_work();
        a->each_slot([&](const slot& s) { is_called |= has_worker(s) && s.fibers.is_called(); });
    }
    return is_called;
}

// In a child process: when no worker has anything to do, wakes the waiting threads. They ask whether any thread is left
// that could bring about what they wait for (worker/process_fork.h).
void crew::wake_lonely_waits() {
    if (is_child_process() && are_workers_idle())
        for (const arena* a : arenas_)
            process_parking_lot().wake_at(a, asks_when_alone);
}

bool crew::try_lock_for_a_while() {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
        if (mutex_.try_lock())
            return true;
        nap();
    }
    return false;
}

void crew::set_limit(unsigned threads) {
    std::unique_lock lock(mutex_);
    const bool more = threads > crew_limits.limit.load(std::memory_order_relaxed);
    crew_limits.limit.store(threads, std::memory_order_seq_cst);
    // A sleeper that left work to others takes it itself from now on (leaves_work_to_others). seq_cst: store-load pair
    // with the parking lot's sleepers.
    if (threads == 1)
        wake_all_places();
    if (!more)
        rouse_watchers();
    if (!more && threads != 1)
        return;
    // No thread has called for what was published while all allowed workers were busy. Nor has one called for what the
    // sleeping application threads wait for, and under a limit of one they need a stand-in now.
    const bool for_all = more || crew_limits.sleeping.load(std::memory_order_seq_cst) != 0;
    for (arena* a : arenas_) {
        // Under another limit no worker may enter an application thread's arena of one, so a call for it has been
        // answered and forgotten (request). A thread that sleeps later needs a stand-in there. After the raise
        // publishers call anew, and see this limit; what was published before is seen here.
        if (!for_all)
            a->watch.alarm.raise();
        if (for_all || a->has_published_work())
            list_request(*a, 1);
    }
    const woken one = grant();
    lock.unlock();
    one.wake();
}

void crew::set_stack_size(std::size_t bytes) {
    const std::lock_guard lock(mutex_);
    stack_size_ = bytes;
}

std::size_t crew::stack_size() {
    const std::lock_guard lock(mutex_);
    return stack_size_ == 0 ? machine::default_stack_size() : stack_size_;
}

}  // namespace bough
