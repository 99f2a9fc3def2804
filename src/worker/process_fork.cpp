#include "worker/process_fork.h"

#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "arena/arena.h"
#include "arena/own_slots.h"
#include "bough/detail/fork_lock.h"
#include "local_queue.h"
#include "machine/interrupt.h"
#include "machine/once.h"
#include "machine/thread.h"
#include "machine/topology.h"
#include "park/parking_lot.h"
#include "worker/crew.h"
#include "worker/this_thread.h"
#include "worker/watchdog.h"
#include "worker/worker.h"

namespace bough {
namespace {

std::atomic<bool> is_child{false};
std::atomic<std::uint32_t> generation{1};

template <class Do>
void each_own_slot(Do&& act) {
    find_own_slot(current_slot, [&](slot& s) {
        act(s);
        return false;
    });
}

// Before the process is copied, this thread locks what a child needs whole, outer locks first: the child lacks the
// other threads, so none that held a lock could unlock it there. All else that has a lock is made anew in the child.
void before() {
    machine::topology_lock().lock();
    machine::process_lock().lock();
    if (crew* const c = crew_if_made())
        c->lock_for_process_fork();
    each_own_slot([](slot& s) {
        s.queue.lock_for_process_fork();
        s.isolated.mutex().lock();
    });
    local_queue::lock_all_for_process_fork();  // last: a thread that holds it takes no other lock
}

void unlock_own() {
    each_own_slot([](slot& s) {
        s.isolated.mutex().unlock();
        s.queue.unlock_after_process_fork();
    });
}

void in_parent() {
    local_queue::unlock_all_in_parent();
    unlock_own();
    if (crew* const c = crew_if_made())
        c->unlock_in_parent();
    machine::process_lock().unlock();
    machine::topology_lock().unlock();
}

// p is a slot, or a stack of the slot that was left.
template <class Place>
void mark_inside_at_process_fork(Place& p) {
    if (p.nesting == 0)
        return;
    p.nesting |= inside_at_process_fork;
    p.nesting_at_process_fork = p.nesting;
    p.scope = nullptr;  // may lie on the stack of a thread that the child lacks; new threads get that memory
}

// In a slot of the child's thread. Its mailbox is made anew: threads that the child lacks may have been in the middle
// of sending, and each mailed task lies in a queue too. The thread counts as an application thread: it is in no crew.
void begin_in(slot& s) {
    s.is_worker = s.is_lent = s.is_inside = false;
    s.end_parts();
    s.handed = {};
    s.is_marked_idle = false;
    new (&s.mail) mailbox;
    s.balance.begin_in_child();
    if (s.counted)
        s.counted->sits(machine::this_thread_id());
    if (s.nesting == 0)
        return;  // stacks that are suspended here may end: nothing that was begun in this slot is missing
    mark_inside_at_process_fork(s);
    for (const auto& f : s.fibers.made)
        mark_inside_at_process_fork(*f);
    if (s.fibers.own)
        mark_inside_at_process_fork(*s.fibers.own);
}

void in_child() {
    generation.fetch_add(1, std::memory_order_relaxed);
    machine::begin_process_lock_in_child();
    machine::begin_topology_lock_in_child();
    local_queue::begin_in_child();
    crew* const c = crew_if_made();
    if (!c)
        return;  // no thread of the parent had used bough
    if (served_slot(current_slot))
        machine::accept_signals();  // workers block them: only SIGKILL could end the child
    is_child.store(true, std::memory_order_relaxed);
    process_parking_lot().begin_in_child();
    each_own_slot(begin_in);
    unlock_own();
    c->begin_in_child(current_slot);
    begin_watchdog_in_child();
}

// Registered when the library is loaded, before anything is made (machine/once.h).
const int registered = pthread_atfork(before, in_parent, in_child);

// How many threads this process has; 0: not known.
unsigned threads_of_this_process() {
    struct stat tasks{};
    if (stat("/proc/self/task", &tasks) != 0 || tasks.st_nlink < 3)
        return 0;
    return static_cast<unsigned>(tasks.st_nlink) - 2;  // beside . and ..
}

[[noreturn]] void end(const char* why) {
    std::fprintf(stderr, "bough: process %s\n", why);
    std::abort();
}

}  // namespace

std::uint32_t detail::fork_generation() noexcept {
    return generation.load(std::memory_order_relaxed);
}

bool is_child_process() noexcept {
    return is_child.load(std::memory_order_relaxed);
}

bool is_alone(const slot& s) {
    // A worker goes to sleep over stacks: application threads may bring about what the stacks wait for.
    if (s.is_worker)
        return false;
    unsigned workers = 0, later = 0;
    if (!process_crew().is_at_rest(&workers) ||
        threads_of_this_process() != workers + 1 + (is_watchdog_running() ? 1 : 0))
        return false;
    // Looks once more: a thread may have handed work out, and ended, before the threads were counted.
    return process_crew().is_at_rest(&later) && later == workers && !s.home.has_published_work();
}

void end_body_of_parent() {
    end("was forked inside a parallel body and has returned from it: the threads that this body belongs to "
        "are its parent's. Call exec or _exit in the child, or fork outside of parallel code");
}

void end_lonely_wait() {
    end("waits for tasks that other threads of its parent had begun when it was forked. Wait for them before "
        "fork()");
}

}  // namespace bough
