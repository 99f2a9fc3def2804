// The system under the program: futexes and other calls, clocks, processors.

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <unistd.h>

#include <map>

#include "real.h"
#include "schedule.h"
#include "system.h"

namespace simulate {
namespace {

constexpr picoseconds second = 1000 * ms;
// Of the virtual world: programs take zero for "unknown".
constexpr picoseconds booted = 1000 * second;
constexpr long day_of_start = 1'700'000'000;

picoseconds here_and_now() {
    return here == nullptr ? 0 : here->clock;
}

picoseconds used_by_this_thread() {
    const thread& t = schedule::the->current();
    return t.ran + here->clock - t.began;
}

void enter_system() {
    if (here == nullptr)
        return;
    schedule::charge(schedule::the->machine.price.system_call);
    schedule::the->fence();
}

std::map<const pthread_attr_t*, std::vector<bool>>& wished_cores() {
    static auto* const all = new std::map<const pthread_attr_t*, std::vector<bool>>;
    return *all;
}

std::vector<bool> from_mask(std::size_t bytes, const cpu_set_t* mask) {
    std::vector<bool> cores(schedule::the->cores.size());
    for (std::size_t i = 0; i < cores.size() && i < bytes * 8; ++i)
        cores[i] = CPU_ISSET_S(i, bytes, mask);
    return cores;
}

// Bytes written, or -1 (errno): as the system call.
int to_mask(const std::vector<bool>& cores, std::size_t bytes, cpu_set_t* mask) {
    if (bytes * 8 < cores.size()) {
        errno = EINVAL;
        return -1;
    }
    CPU_ZERO_S(bytes, mask);
    for (std::size_t i = 0; i < cores.size(); ++i)
        if (cores[i])
            CPU_SET_S(i, bytes, mask);
    return static_cast<int>(bytes);
}

int id_of(const thread& t) {
    return t.number == 0 ? getpid() : 1'000'000 + static_cast<int>(t.number);
}

thread* thread_of(pid_t id) {
    if (id == 0)
        return &schedule::the->current();
    return schedule::the->find_number(id == getpid() ? 0 : static_cast<unsigned>(id - 1'000'000));
}

bool tells_of_the_host(const char* path) {
    return strncmp(path, "/sys/fs/cgroup", 14) == 0 || strcmp(path, "/proc/self/cgroup") == 0;
}

}  // namespace

void touch(const void* address, bool write) {
    if (here == nullptr)
        return;
    schedule::the->fence();
    lines& memory = schedule::the->memory;
    const auto a = reinterpret_cast<std::uintptr_t>(address);
    if (!memory.is_hit(here->number, a, write, false, here->clock)) {
        here->clock = schedule::the->bring(a, write, __builtin_return_address(0));
        schedule::sync();
    }
    schedule::charge(schedule::the->machine.price.locked);
}

int futex_wait(const unsigned* word, unsigned expected, picoseconds deadline, const char* why) {
    enter_system();
    if (*word != expected)
        return EAGAIN;
    if (here == nullptr)
        refuse("a thread waits before main() begins");
    return schedule::the->sleep(word, why, deadline) ? 0 : ETIMEDOUT;
}

unsigned futex_wake(const void* word, unsigned most) {
    if (here == nullptr)
        return 0;
    enter_system();
    return schedule::the->wake(word, most);
}

timespec now_of(clockid_t clock) {
    picoseconds now = here_and_now();
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
        clock == CLOCK_BOOTTIME)
        now += booted;
    timespec t{.tv_sec = static_cast<time_t>(now / second), .tv_nsec = static_cast<long>(now % second / ns)};
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
        t.tv_sec += day_of_start;
    return t;
}

picoseconds moment_of(clockid_t clock, const timespec& time) {
    const timespec zero = clock == CLOCK_REALTIME ? timespec{.tv_sec = day_of_start, .tv_nsec = 0}
                                                  : timespec{.tv_sec = booted / second, .tv_nsec = 0};
    if (time.tv_sec < zero.tv_sec)
        return 0;
    return length_of({.tv_sec = time.tv_sec - zero.tv_sec, .tv_nsec = time.tv_nsec});
}

const std::vector<bool>* cores_of(const pthread_attr_t* attributes) {
    const auto found = wished_cores().find(attributes);
    return found == wished_cores().end() ? nullptr : &found->second;
}

}  // namespace simulate

using namespace simulate;

extern "C" {

// ---- system calls by number

long syscall(long number, ...) {
    va_list list;
    va_start(list, number);
    long a[6];
    for (long& value : a)
        value = va_arg(list, long);
    va_end(list);
    if (here == nullptr && number != SYS_membarrier)
        return real::syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);

    switch (number) {
    case SYS_gettid:
        return id_of(schedule::the->current());
    case SYS_membarrier:
        if (a[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED && here != nullptr) {
            enter_system();
            schedule::charge(schedule::the->machine.price.membarrier);
            schedule::the->reach_all();
        }
        return 0;
    case SYS_futex: {
        const auto* const word = reinterpret_cast<const unsigned*>(a[0]);
        const auto value = static_cast<unsigned>(a[2]);
        const auto* const time = reinterpret_cast<const timespec*>(a[3]);
        const long operation = a[1] & FUTEX_CMD_MASK;
        const clockid_t clock = (a[1] & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC;
        if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET)
            return futex_wake(word, value);
        picoseconds deadline = never;
        if (operation == FUTEX_WAIT && time != nullptr)
            deadline = here->clock + length_of(*time);
        else if (operation == FUTEX_WAIT_BITSET && time != nullptr)
            deadline = moment_of(clock, *time);
        else if (operation != FUTEX_WAIT && operation != FUTEX_WAIT_BITSET)
            refuse("futex operation %ld is not simulated", operation);
        const int error = futex_wait(word, value, deadline, "waits for a futex");
        if (error == 0)
            return 0;
        errno = error;
        return -1;
    }
    default:
        refuse("system call %ld is not simulated", number);
    }
}

pid_t gettid() {
    return here == nullptr ? getpid() : id_of(schedule::the->current());
}

pid_t fork() {
    refuse("fork() is not simulated");
}
pid_t vfork() {
    refuse("vfork() is not simulated");
}
// What starts a process otherwise, or would wait for the host.
int system(const char*) {
    refuse("system() is not simulated");
}
FILE* popen(const char*, const char*) {
    refuse("popen() is not simulated");
}
int posix_spawn(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                char* const*, char* const*) {
    refuse("posix_spawn() is not simulated");
}
int posix_spawnp(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                 char* const*, char* const*) {
    refuse("posix_spawnp() is not simulated");
}
unsigned alarm(unsigned) {
    refuse("alarm() is not simulated");
}
int pause() {
    refuse("pause() is not simulated");
}
int sigwait(const sigset_t*, int*) {
    refuse("sigwait() is not simulated");
}
int pthread_barrier_wait(pthread_barrier_t*) {
    refuse("pthread_barrier_wait() is not simulated");
}

// ---- clocks

int clock_gettime(clockid_t clock, timespec* time) {
    if (here != nullptr)
        schedule::charge(schedule::the->machine.price.clock_call);
    if (here != nullptr && clock == CLOCK_THREAD_CPUTIME_ID) {
        const picoseconds used = used_by_this_thread();
        *time = {.tv_sec = static_cast<time_t>(used / second),
                 .tv_nsec = static_cast<long>(used % second / ns)};
        return 0;
    }
    *time = now_of(clock);
    return 0;
}
int gettimeofday(timeval* time, void*) {
    const timespec t = now_of(CLOCK_REALTIME);
    *time = {.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return 0;
}
time_t time(time_t* result) {
    const time_t seconds = now_of(CLOCK_REALTIME).tv_sec;
    if (result != nullptr)
        *result = seconds;
    return seconds;
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec*) {
    if (here == nullptr)
        refuse("a thread sleeps before main() begins");
    enter_system();
    const picoseconds until =
        (flags & TIMER_ABSTIME) != 0 ? moment_of(clock, *time) : here->clock + length_of(*time);
    constexpr picoseconds timer_slack = 50 * us;
    schedule::the->sleep(nullptr, "sleeps", until + timer_slack);
    return 0;
}
int nanosleep(const timespec* time, timespec* left) {
    return clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
}
int usleep(useconds_t microseconds) {
    const timespec t{.tv_sec = microseconds / 1'000'000, .tv_nsec = microseconds % 1'000'000 * 1000L};
    return nanosleep(&t, nullptr);
}
unsigned sleep(unsigned seconds) {
    const timespec t{.tv_sec = seconds, .tv_nsec = 0};
    nanosleep(&t, nullptr);
    return 0;
}

// ---- processors

int sched_yield() {
    if (here == nullptr)
        return 0;
    enter_system();
    schedule::the->yield();
    return 0;
}
int sched_getcpu() {
    return here == nullptr ? 0 : static_cast<int>(here->number);
}
int getrusage(__rusage_who_t who, rusage* used) {
    const int result = SIMULATE_REAL(getrusage, who, used);
    if (here == nullptr || result != 0)
        return result;
    const picoseconds ran = used_by_this_thread();
    used->ru_utime = {.tv_sec = static_cast<time_t>(ran / second),
                      .tv_usec = static_cast<long>(ran % second / us)};
    used->ru_stime = {};
    used->ru_nivcsw = static_cast<long>(schedule::the->current().switches_taken);
    return 0;
}

int sched_getaffinity(pid_t id, size_t bytes, cpu_set_t* mask) {
    if (here == nullptr)
        refuse("the processors are asked for before main()");
    const thread* const t = thread_of(id);
    if (t == nullptr) {
        errno = ESRCH;
        return -1;
    }
    return to_mask(t->may_run_on, bytes, mask) < 0 ? -1 : 0;
}
int sched_setaffinity(pid_t id, size_t bytes, const cpu_set_t* mask) {
    if (here == nullptr)
        return 0;
    enter_system();
    thread* const t = thread_of(id);
    if (t != nullptr && schedule::the->allow(*t, from_mask(bytes, mask)))
        return 0;
    errno = t == nullptr ? ESRCH : EINVAL;
    return -1;
}
int pthread_getaffinity_np(pthread_t handle, size_t bytes, cpu_set_t* mask) {
    const thread* const t = here == nullptr ? nullptr : schedule::the->find(handle);
    if (t == nullptr)
        return ESRCH;
    return to_mask(t->may_run_on, bytes, mask) < 0 ? EINVAL : 0;
}
int pthread_setaffinity_np(pthread_t handle, size_t bytes, const cpu_set_t* mask) {
    thread* const t = here == nullptr ? nullptr : schedule::the->find(handle);
    if (t == nullptr)
        return ESRCH;
    enter_system();
    return schedule::the->allow(*t, from_mask(bytes, mask)) ? 0 : EINVAL;
}
int pthread_attr_setaffinity_np(pthread_attr_t* attributes, size_t bytes, const cpu_set_t* mask) {
    if (here == nullptr || bytes == 0)
        wished_cores().erase(attributes);
    else
        wished_cores()[attributes] = from_mask(bytes, mask);
    return 0;
}
int pthread_attr_destroy(pthread_attr_t* attributes) {
    wished_cores().erase(attributes);
    return SIMULATE_REAL(pthread_attr_destroy, attributes);
}

int get_nprocs() {
    if (here == nullptr)
        return 1;
    const std::vector<bool>& mine = schedule::the->current().may_run_on;
    int count = 0;
    for (const bool may : mine)
        count += may ? 1 : 0;
    return count;
}
int get_nprocs_conf() {
    return here == nullptr ? 1 : static_cast<int>(schedule::the->cores.size());
}
long sysconf(int name) {
    if (name == _SC_NPROCESSORS_ONLN || name == _SC_NPROCESSORS_CONF)
        return get_nprocs_conf();
    return SIMULATE_REAL(sysconf, name);
}

// ---- files that speak of the host: its limits are not the program's

FILE* fopen(const char* path, const char* mode) {
    if (tells_of_the_host(path)) {
        errno = ENOENT;
        return nullptr;
    }
    return SIMULATE_REAL(fopen, path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
    return fopen(path, mode);
}

}  // extern "C"
