#include "machine/thread.h"

#include <pthread.h>
#include <signal.h>

#include <cstdio>

#include "machine/affinity.h"
#include "machine/topology.h"

namespace bough::machine {

int start_thread(void* (*run)(void*), void* data, std::size_t stack_size) noexcept {
    pthread_attr_t attributes;
    if (const int error = pthread_attr_init(&attributes))
        return error;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (stack_size != 0)
        pthread_attr_setstacksize(&attributes, stack_size);

    // Workers leave asynchronous signals to the program's threads; faults and profiling stay deliverable.
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF})
        sigdelset(&blocked, s);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    pthread_t thread;
    const int error = pthread_create(&thread, &attributes, run, data);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    pthread_attr_destroy(&attributes);
    return error;
}

void name_this_thread(unsigned number) noexcept {
    char name[16];
    std::snprintf(name, sizeof name, "bough-%u", number);
    pthread_setname_np(pthread_self(), name);
}

void pin_this_thread(unsigned number) noexcept {
    const auto& cpus = machine_topology().cpus;
    bind_this_thread(cpus[number % cpus.size()].os_index);
}

}  // namespace bough::machine
