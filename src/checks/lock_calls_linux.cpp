// The process's locks: pthread's functions are defined here, note who holds what, and pass on to libc. std::mutex and
// its like come through here; condition variables do not, which let go of their mutex and take it again inside libc. A
// lock that the thread holds already is tried with a time in the past: what would wait for ever comes back, and all
// else (recursive mutexes, those that check themselves, locks that another thread has let go of) is as libc has it.

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "bough/config.h"
#include "checks/held_locks.h"
#include "checks/on/running.h"
#include "checks/report.h"

namespace bough::checks {
namespace {

// A function of libc, behind the one of this file.
template <class... Arguments>
class libc_function {
public:
    constexpr explicit libc_function(const char* name) : name_(name) {}

    using function = int(Arguments...);

    int operator()(Arguments... arguments) { return find()(arguments...); }

    function& find() {
        // relaxed: all threads find the same, and it has been there since the process began.
        function* f = found_.load(std::memory_order_relaxed);
        if (!f) [[unlikely]]
            found_.store(f = look_up(), std::memory_order_relaxed);
        return *f;
    }

private:
    function* look_up() const {
        void* next = dlsym(RTLD_NEXT, name_);
        if (!next)  // this library was loaded after libc
            next = dlsym(RTLD_DEFAULT, name_);
        return reinterpret_cast<function*>(next);
    }

    const char* name_;
    std::atomic<function*> found_{nullptr};
};

using mutex = pthread_mutex_t*;
using rwlock = pthread_rwlock_t*;
using until = const timespec*;

constinit libc_function<mutex> mutex_lock("pthread_mutex_lock"), mutex_trylock("pthread_mutex_trylock"),
    mutex_unlock("pthread_mutex_unlock");
constinit libc_function<mutex, until> mutex_timedlock("pthread_mutex_timedlock");
constinit libc_function<mutex, clockid_t, until> mutex_clocklock("pthread_mutex_clocklock");
constinit libc_function<rwlock> rdlock("pthread_rwlock_rdlock"), wrlock("pthread_rwlock_wrlock"),
    tryrdlock("pthread_rwlock_tryrdlock"), trywrlock("pthread_rwlock_trywrlock"),
    rwlock_unlock("pthread_rwlock_unlock");
constinit libc_function<rwlock, until> timedrdlock("pthread_rwlock_timedrdlock"),
    timedwrlock("pthread_rwlock_timedwrlock");
constinit libc_function<rwlock, clockid_t, until> clockrdlock("pthread_rwlock_clockrdlock"),
    clockwrlock("pthread_rwlock_clockwrlock");

// When the library is loaded, if not before: dlsym() has a lock, which a thread may hold that waits for this one.
[[maybe_unused]] const bool all_found =
    [](auto&... functions) {
        (functions.find(), ...);
        return true;
    }(mutex_lock, mutex_trylock, mutex_unlock, mutex_timedlock, mutex_clocklock, rdlock, wrlock, tryrdlock,
      trywrlock, rwlock_unlock, timedrdlock, timedwrlock, clockrdlock, clockwrlock);

constexpr timespec in_the_past{0, 0};

int noted(int result, const void* lock, bool shared, const void* back) noexcept {
    if (result == 0 || result == EOWNERDEAD)
        note_taken(lock, shared, call_before(back));
    return result;
}

int noted_if_let_go(int result, const void* lock) noexcept {
    if (result == 0)
        note_let_go(lock);
    return result;
}

int take(mutex m, const void* back) noexcept {
    const held_lock* const mine = find_held(m);
    if (!mine)
        return noted(mutex_lock(m), m, false, back);
    const int result = mutex_timedlock(m, &in_the_past);
    if (result == ETIMEDOUT)
        report_taken_again(*mine, "a mutex", false, call_before(back));
    return noted(result, m, false, back);
}

int take(rwlock l, bool shared, const void* back) noexcept {
    const held_lock* const mine = find_held(l);
    if (!mine)
        return noted(shared ? rdlock(l) : wrlock(l), l, shared, back);
    const int result = shared ? timedrdlock(l, &in_the_past) : timedwrlock(l, &in_the_past);
    if (result == ETIMEDOUT || result == EDEADLK)
        report_taken_again(*mine, "a read-write lock", shared, call_before(back));
    return noted(result, l, shared, back);
}

}  // namespace
}  // namespace bough::checks

namespace checks = bough::checks;

extern "C" {

BOUGH_EXPORT int pthread_mutex_lock(pthread_mutex_t* m) noexcept {
    return checks::take(m, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_mutex_trylock(pthread_mutex_t* m) noexcept {
    return checks::noted(checks::mutex_trylock(m), m, false, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* m, const timespec* t) noexcept {
    return checks::noted(checks::mutex_timedlock(m, t), m, false, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* m, clockid_t c, const timespec* t) noexcept {
    return checks::noted(checks::mutex_clocklock(m, c, t), m, false, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_mutex_unlock(pthread_mutex_t* m) noexcept {
    return checks::noted_if_let_go(checks::mutex_unlock(m), m);
}

BOUGH_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* l) noexcept {
    return checks::take(l, true, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* l) noexcept {
    return checks::take(l, false, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* l) noexcept {
    return checks::noted(checks::tryrdlock(l), l, true, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* l) noexcept {
    return checks::noted(checks::trywrlock(l), l, false, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* l, const timespec* t) noexcept {
    return checks::noted(checks::timedrdlock(l, t), l, true, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* l, const timespec* t) noexcept {
    return checks::noted(checks::timedwrlock(l, t), l, false, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* l, clockid_t c, const timespec* t) noexcept {
    return checks::noted(checks::clockrdlock(l, c, t), l, true, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* l, clockid_t c, const timespec* t) noexcept {
    return checks::noted(checks::clockwrlock(l, c, t), l, false, __builtin_return_address(0));
}
BOUGH_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* l) noexcept {
    return checks::noted_if_let_go(checks::rwlock_unlock(l), l);
}

}  // extern "C"
