#include "worker/fork.h"

#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "arena/arena.h"
#include "park/lot.h"
#include "stats/counters.h"
#include "worker/crew.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

std::atomic<bool> is_child{false};

template <class Do>
void each_own_slot(Do&& act) {
    for (slot* s = current_slot; s; s = s->visited_from)
        act(*s);
}

// What a child needs whole is locked while the process is copied, outer locks first; its other threads, which might hold
// them, will not be there to unlock them. What else has a lock is made anew in the child.
void before() {
    default_arenas_mutex().lock();
    process_crew().lock_for_fork();
    counters_mutex().lock();
    each_own_slot([](slot& s) {
        if (std::mutex* const m = s.queue.mutex())
            m->lock();
        s.isolated.mutex().lock();
    });
}

void unlock_own() {
    each_own_slot([](slot& s) {
        s.isolated.mutex().unlock();
        if (std::mutex* const m = s.queue.mutex())
            m->unlock();
    });
    counters_mutex().unlock();
}

void in_parent() {
    unlock_own();
    process_crew().unlock_in_parent();
    default_arenas_mutex().unlock();
}

// Its mail has senders that are not here, in the middle of sending; what was mailed lies in a queue, too.
void begin_in(slot& s) {
    s.end_parts();
    s.handed = {};
    s.is_marked_idle = false;
    new (&s.mail) mailbox;
    if (s.nesting != 0) {
        s.nesting |= forked_inside;
        s.forked_at = s.nesting;
    }
}

void in_child() {
    is_child.store(true, std::memory_order_relaxed);
    process_lot().begin_in_child();
    each_own_slot(begin_in);
    unlock_own();
    process_crew().begin_in_child(current_slot);
    default_arenas_mutex().unlock();
}

// 0: not known.
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

void survive_forks() {
    pthread_atfork(before, in_parent, in_child);
}

bool is_forked_child() noexcept {
    return is_child.load(std::memory_order_relaxed);
}

bool is_alone(const slot& s) {
    unsigned workers = 0;
    return process_crew().is_at_rest(&workers) && !s.home.has_published_work() &&
           threads_of_this_process() == workers + 1;
}

void end_forked_body() {
    end("was forked inside a parallel body and has returned from it: the threads that this body belongs to "
        "are its parent's. Call exec or _exit in the child, or fork outside of parallel code");
}

void end_lonely_wait() {
    end("waits for tasks that other threads of its parent had begun when it was forked. Wait for them before "
        "fork()");
}

}  // namespace bough
