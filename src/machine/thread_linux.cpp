#include "machine/thread.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <new>
#include <vector>

#include "machine/affinity.h"
#include "machine/topology.h"

namespace bough::machine {

// What the thread that started the first worker had blocked. Written once, before there is a worker: workers start
// others, too, without a lock.
static sigset_t blocked_by_program;
static bool has_started = false;

// A program may bind each of its threads to a CPU, the one that starts a worker too: a worker that inherited this would
// share that CPU with it. pthread_create() binds the thread before it runs for the first time.
static void let_run_anywhere(pthread_attr_t& attributes) noexcept try {
    const std::vector<unsigned> cpus = cpus_for_workers();
    const unsigned room = *std::max_element(cpus.begin(), cpus.end()) + 1;
    cpu_set_t* const set = CPU_ALLOC(room);
    if (set == nullptr)
        return;
    const std::size_t bytes = CPU_ALLOC_SIZE(room);
    CPU_ZERO_S(bytes, set);
    for (const unsigned cpu : cpus)
        CPU_SET_S(cpu, bytes, set);
    pthread_attr_setaffinity_np(&attributes, bytes, set);
    CPU_FREE(set);
} catch (const std::bad_alloc&) {  // as the thread that starts it
}

int start_thread(void* (*run)(void*), void* data, std::size_t stack_size) noexcept {
    pthread_attr_t attributes;
    if (const int error = pthread_attr_init(&attributes))
        return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_size != 0)
        pthread_attr_setstacksize(&attributes, stack_size);

    // Workers leave asynchronous signals to the program's threads; faults and profiling stay deliverable, and SIGPIPE
    // as the program has it: a body that writes where nobody reads ends the program as it would elsewhere.
    sigset_t blocked, before;
    sigfillset(&blocked);
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    if (sigismember(&before, SIGPIPE) == 0)
        sigdelset(&blocked, SIGPIPE);
    for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
        sigdelset(&blocked, s);
    pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
    if (!has_started) {
        blocked_by_program = before;
        has_started = true;
    }
    pthread_t thread;
    let_run_anywhere(attributes);
    int error = pthread_create(&thread, &attributes, run, data);
    if (error != 0 && error != EAGAIN) {
        // The system refuses these CPUs, since it has taken them all away or forbids to bind: as the thread that starts
        // it.
        const cpu_set_t any{};
        pthread_attr_setaffinity_np(&attributes, 0, &any);  // size 0: no longer given
        error = pthread_create(&thread, &attributes, run, data);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return error;
}

std::size_t default_stack_size() noexcept {
    std::size_t bytes = 0;
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) == 0) {
        pthread_attr_getstacksize(&attributes, &bytes);
        pthread_attr_destroy(&attributes);
    }
    return bytes;
}

void accept_signals() noexcept {
    sigset_t open;
    sigemptyset(&open);
    for (int s = 1; s < SIGRTMIN && s < 32; ++s)
        if (sigismember(&blocked_by_program, s) == 0)
            sigaddset(&open, s);
    pthread_sigmask(SIG_UNBLOCK, &open, nullptr);
}

void block_sigpipe() noexcept {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

void name_this_thread(unsigned number) noexcept {
    char name[16];
    std::snprintf(name, sizeof name, "bough-%u", number);
    pthread_setname_np(pthread_self(), name);
}

void name_this_thread(const char* name) noexcept {
    pthread_setname_np(pthread_self(), name);
}

// In /proc/self/task/ID/stat the state follows the name, which ends with the last bracket.
static char state_of(int id) noexcept {
    char path[40], text[128];
    std::snprintf(path, sizeof path, "/proc/self/task/%d/stat", id);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return '?';
    const ssize_t got = read(file, text, sizeof text - 1);
    close(file);
    text[std::max<ssize_t>(got, 0)] = '\0';
    const char* const bracket = std::strrchr(text, ')');
    return bracket && bracket[1] == ' ' ? bracket[2] : '?';
}

int this_process_id() noexcept {
    return getpid();
}

thread_look look_at_thread(int id) noexcept {
    // As pthread_getcpuclockid() makes it (clock_getres(2)): scheduled time, of one thread.
    const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(id) << 3) | 6);
    thread_look seen;
    timespec used{};
    if (id <= 0 || clock_gettime(clock, &used) != 0)
        return seen;
    seen.cpu_ms = static_cast<double>(used.tv_sec) * 1e3 + static_cast<double>(used.tv_nsec) / 1e6;
    seen.state = state_of(id);
    return seen;
}

std::uint64_t involuntary_switches() noexcept {
    rusage used{};
    getrusage(RUSAGE_THREAD, &used);
    return static_cast<std::uint64_t>(used.ru_nivcsw);
}

void pin_this_thread(unsigned number) noexcept {
    const auto& cpus = machine_topology().cpus;
    bind_this_thread(cpus[number % cpus.size()].os_index);
}

}  // namespace bough::machine
