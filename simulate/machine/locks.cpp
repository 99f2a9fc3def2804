// Mutexes, condition variables, once, semaphores and read-write locks, on the words that the C library gives them:
// static initialisers are all zero, or carry the kind of the mutex where the library keeps it.

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>

#include <cstring>

#include "refuse.h"
#include "schedule.h"
#include "system.h"

namespace simulate {
namespace {

// ---- mutex: the words lie where the C library has them.
struct mutex_words {
    unsigned lock;   // 0: free, 1: held, 2: held, and a thread may sleep
    unsigned count;  // of a recursive one
    int owner;
    unsigned users;
    int kind;
};
static_assert(sizeof(mutex_words) <= sizeof(pthread_mutex_t));
mutex_words& words(pthread_mutex_t* m) {
    return *reinterpret_cast<mutex_words*>(m);
}

int self() {
    return here == nullptr ? 1 : static_cast<int>(schedule::the->current().number) + 1;
}

constexpr int kind_bits = 3;  // normal 0, recursive 1, error-checking 2, adaptive 3

// false: over.
bool lock_until(mutex_words& m, picoseconds deadline) {
    touch(&m, true);
    if (m.lock == 0) {
        m.lock = 1;
    } else {
        if (here == nullptr)
            refuse("a mutex is held for ever before main()");
        for (;;) {
            m.lock = 2;
            if (futex_wait(&m.lock, 2, deadline, "waits for a mutex") == ETIMEDOUT)
                return false;
            touch(&m, true);
            if (m.lock == 0)
                break;
        }
        m.lock = 2;
    }
    m.owner = self();
    return true;
}

int lock(pthread_mutex_t* mutex, picoseconds deadline) {
    mutex_words& m = words(mutex);
    const int kind = m.kind & kind_bits;
    if ((kind == PTHREAD_MUTEX_RECURSIVE_NP || kind == PTHREAD_MUTEX_ERRORCHECK_NP) && m.lock != 0 &&
        m.owner == self()) {
        if (kind == PTHREAD_MUTEX_ERRORCHECK_NP)
            return EDEADLK;
        ++m.count;
        return 0;
    }
    return lock_until(m, deadline) ? 0 : ETIMEDOUT;
}

int try_lock(pthread_mutex_t* mutex) {
    mutex_words& m = words(mutex);
    if ((m.kind & kind_bits) == PTHREAD_MUTEX_RECURSIVE_NP && m.lock != 0 && m.owner == self()) {
        ++m.count;
        return 0;
    }
    touch(&m, true);
    if (m.lock != 0)
        return EBUSY;
    m.lock = 1;
    m.owner = self();
    return 0;
}

int unlock(pthread_mutex_t* mutex) {
    mutex_words& m = words(mutex);
    if ((m.kind & kind_bits) == PTHREAD_MUTEX_RECURSIVE_NP && m.count > 0) {
        --m.count;
        return 0;
    }
    touch(&m, true);
    m.owner = 0;
    const bool may_sleep = m.lock == 2;
    m.lock = 0;
    if (may_sleep)
        futex_wake(&m.lock, 1);
    return 0;
}

// ---- condition variable: one word, which every signal changes. A waiter that wakes up does not touch it again: it may
// be gone.
unsigned& sequence(pthread_cond_t* c) {
    return *reinterpret_cast<unsigned*>(c);
}

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, picoseconds deadline) {
    touch(condition, true);
    const unsigned seen = sequence(condition);
    unlock(mutex);
    const int result = futex_wait(&sequence(condition), seen, deadline, "waits for a condition variable");
    lock(mutex, never);
    return result == ETIMEDOUT ? ETIMEDOUT : 0;
}

int signal(pthread_cond_t* condition, unsigned most) {
    touch(condition, true);
    ++sequence(condition);
    if (here != nullptr)
        schedule::the->wake(&sequence(condition), most);
    return 0;
}

clockid_t clock_of(const pthread_cond_t* condition) {
    unsigned kind = 0;
    std::memcpy(&kind, reinterpret_cast<const char*>(condition) + sizeof(unsigned), sizeof kind);
    return kind == 1 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

// ---- semaphore: its count
unsigned& count_of(sem_t* s) {
    return *reinterpret_cast<unsigned*>(s);
}

int take(sem_t* s, picoseconds deadline) {
    for (;;) {
        touch(s, true);
        if (count_of(s) > 0) {
            --count_of(s);
            return 0;
        }
        if (futex_wait(&count_of(s), 0, deadline, "waits for a semaphore") == ETIMEDOUT) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
}

// ---- read-write lock: readers, or ~0 for a writer
unsigned& readers(pthread_rwlock_t* l) {
    return *reinterpret_cast<unsigned*>(l);
}
constexpr unsigned writer = ~0u;

int lock(pthread_rwlock_t* l, bool write, bool may_wait) {
    for (;;) {
        touch(l, true);
        unsigned& r = readers(l);
        if (write ? r == 0 : r != writer) {
            r = write ? writer : r + 1;
            return 0;
        }
        if (!may_wait)
            return EBUSY;
        futex_wait(&r, r, never, "waits for a read-write lock");
    }
}

}  // namespace
}  // namespace simulate

using namespace simulate;

extern "C" {

int pthread_mutex_init(pthread_mutex_t* m, const pthread_mutexattr_t* attributes) {
    std::memset(m, 0, sizeof *m);
    int kind = PTHREAD_MUTEX_NORMAL;
    if (attributes != nullptr)
        pthread_mutexattr_gettype(attributes, &kind);
    words(m).kind = kind;
    return 0;
}
int pthread_mutex_destroy(pthread_mutex_t*) {
    return 0;
}
int pthread_mutex_lock(pthread_mutex_t* m) {
    return lock(m, never);
}
int pthread_mutex_trylock(pthread_mutex_t* m) {
    return try_lock(m);
}
int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* t) {
    return lock(m, moment_of(CLOCK_REALTIME, *t));
}
int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t c, const timespec* t) {
    return lock(m, moment_of(c, *t));
}
int pthread_mutex_unlock(pthread_mutex_t* m) {
    return unlock(m);
}

int pthread_cond_init(pthread_cond_t* c, const pthread_condattr_t* attributes) {
    std::memset(c, 0, sizeof *c);
    clockid_t clock = CLOCK_REALTIME;
    if (attributes != nullptr)
        pthread_condattr_getclock(attributes, &clock);
    const unsigned kind = clock == CLOCK_MONOTONIC ? 1 : 0;
    std::memcpy(reinterpret_cast<char*>(c) + sizeof(unsigned), &kind, sizeof kind);
    return 0;
}
int pthread_cond_destroy(pthread_cond_t*) {
    return 0;
}
int pthread_cond_wait(pthread_cond_t* c, pthread_mutex_t* m) {
    return wait(c, m, never);
}
int pthread_cond_timedwait(pthread_cond_t* c, pthread_mutex_t* m, const timespec* t) {
    return wait(c, m, moment_of(clock_of(c), *t));
}
int pthread_cond_clockwait(pthread_cond_t* c, pthread_mutex_t* m, clockid_t clock, const timespec* t) {
    return wait(c, m, moment_of(clock, *t));
}
int pthread_cond_signal(pthread_cond_t* c) {
    return simulate::signal(c, 1);
}
int pthread_cond_broadcast(pthread_cond_t* c) {
    return simulate::signal(c, ~0u);
}

int pthread_once(pthread_once_t* once, void (*call)()) {
    constexpr int not_yet = 0, begun = 1, done = 2;
    auto* const word = reinterpret_cast<unsigned*>(once);
    touch(once, false);
    while (*once != done) {
        if (*once == not_yet) {
            *once = begun;
            call();
            touch(once, true);
            *once = done;
            futex_wake(word, ~0u);
            return 0;
        }
        futex_wait(word, begun, never, "waits for pthread_once()");
    }
    return 0;
}

int sem_init(sem_t* s, int, unsigned count) {
    std::memset(s, 0, sizeof *s);
    count_of(s) = count;
    return 0;
}
int sem_destroy(sem_t*) {
    return 0;
}
int sem_wait(sem_t* s) {
    return take(s, never);
}
int sem_timedwait(sem_t* s, const timespec* t) {
    return take(s, moment_of(CLOCK_REALTIME, *t));
}
int sem_trywait(sem_t* s) {
    touch(s, true);
    if (count_of(s) == 0) {
        errno = EAGAIN;
        return -1;
    }
    --count_of(s);
    return 0;
}
int sem_post(sem_t* s) {
    touch(s, true);
    ++count_of(s);
    futex_wake(&count_of(s), 1);
    return 0;
}

int pthread_rwlock_init(pthread_rwlock_t* l, const pthread_rwlockattr_t*) {
    std::memset(l, 0, sizeof *l);
    return 0;
}
int pthread_rwlock_destroy(pthread_rwlock_t*) {
    return 0;
}
int pthread_rwlock_rdlock(pthread_rwlock_t* l) {
    return lock(l, false, true);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* l) {
    return lock(l, true, true);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) {
    return lock(l, false, false);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* l) {
    return lock(l, true, false);
}
int pthread_rwlock_unlock(pthread_rwlock_t* l) {
    touch(l, true);
    unsigned& r = readers(l);
    r = r == writer ? 0 : r - 1;
    if (r == 0)
        futex_wake(&r, ~0u);
    return 0;
}

}  // extern "C"
