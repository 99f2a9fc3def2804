// Threads as programs know them: pthread_create() and its kin, keys, and the ends of thread_local objects.

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <map>
#include <utility>

#include "real.h"
#include "schedule.h"
#include "system.h"
#include "thread_end.h"

namespace simulate {
namespace {

// Before the machine starts, and in its main thread.
constinit std::array<void (*)(void*), most_keys> destructors{};
constinit std::array<bool, most_keys> key_used{};
constinit std::array<void*, most_keys> early_values{};

std::array<void*, most_keys>& values() {
    return here == nullptr ? early_values : schedule::the->current().values;
}

std::vector<thread::ending>& early_endings() {
    static auto* const all = new std::vector<thread::ending>;
    return *all;
}
std::vector<thread::ending>& endings() {
    return here == nullptr ? early_endings() : schedule::the->current().endings;
}

void run_destructors(thread& t) {
    constexpr unsigned rounds = 4;  // PTHREAD_DESTRUCTOR_ITERATIONS
    for (unsigned round = 0; round < rounds; ++round)
        for (unsigned key = 0; key < most_keys; ++key)
            if (destructors[key] != nullptr && t.values[key] != nullptr)
                destructors[key](std::exchange(t.values[key], nullptr));
}

}  // namespace

void end_thread(thread& t) {
    while (!t.endings.empty()) {
        const thread::ending last = t.endings.back();
        t.endings.pop_back();
        last.call(last.object);
    }
    run_destructors(t);
}

void take_over_early_thread(thread& main) {
    main.endings = std::move(early_endings());
    main.values = early_values;
}

}  // namespace simulate

using namespace simulate;

extern "C" {

int pthread_create(pthread_t* handle, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
    if (here == nullptr)
        refuse("a thread is started before main()");
    pthread_attr_t joinable;
    int state = PTHREAD_CREATE_JOINABLE;
    const std::vector<bool>* cores = nullptr;
    if (attributes != nullptr) {
        pthread_attr_getdetachstate(attributes, &state);
        joinable = *attributes;
        pthread_attr_setdetachstate(&joinable, PTHREAD_CREATE_JOINABLE);  // the host's
        cores = cores_of(attributes);
    }
    int error = 0;
    thread* const t = schedule::the->start(attributes != nullptr ? &joinable : nullptr, run, argument, error);
    if (t == nullptr)
        return error;
    t->detached = state == PTHREAD_CREATE_DETACHED;
    if (cores != nullptr)
        t->may_run_on = *cores;
    *handle = t->body->handle();
    schedule::the->let_run(*t);
    return 0;
}

int pthread_join(pthread_t handle, void** result) {
    thread* const t = schedule::the->find(handle);
    if (t == nullptr)
        return ESRCH;
    if (t == &schedule::the->current())
        return EDEADLK;
    // Before the look: in sleep() others would run for it, and the thread could end in between.
    schedule::the->fence();
    while (t->now != thread::state::ended)
        schedule::the->sleep(t, "joins a thread", never);
    if (result != nullptr)
        *result = t->result;
    schedule::the->forget(*t);
    return 0;
}

int pthread_detach(pthread_t handle) {
    thread* const t = schedule::the->find(handle);
    if (t == nullptr)
        return ESRCH;
    t->detached = true;
    if (t->now == thread::state::ended)
        schedule::the->forget(*t);
    return 0;
}

void pthread_exit(void*) {
    refuse("pthread_exit() is not simulated");
}
int pthread_cancel(pthread_t) {
    refuse("pthread_cancel() is not simulated");
}
int pthread_kill(pthread_t, int) {
    refuse("pthread_kill() is not simulated");
}

int pthread_setname_np(pthread_t handle, const char* name) {
    thread* const t = here == nullptr ? nullptr : schedule::the->find(handle);
    if (t != nullptr)
        strncpy(t->name, name, sizeof t->name - 1);
    return 0;
}

int pthread_getattr_np(pthread_t handle, pthread_attr_t* attributes) {
    thread* const t = here == nullptr ? nullptr : schedule::the->find(handle);
    if (t == nullptr || t->number != 0)
        return SIMULATE_REAL(pthread_getattr_np, handle, attributes);
    pthread_attr_init(attributes);
    return pthread_attr_setstack(attributes, t->body->lowest(), t->body->bytes());
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
    for (unsigned k = 0; k < most_keys; ++k)
        if (!key_used[k]) {
            key_used[k] = true;
            destructors[k] = destructor;
            *key = k;
            return 0;
        }
    return EAGAIN;
}
int pthread_key_delete(pthread_key_t key) {
    if (key >= most_keys)
        return EINVAL;
    key_used[key] = false;
    destructors[key] = nullptr;
    return 0;
}
void* pthread_getspecific(pthread_key_t key) {
    return key < most_keys ? values()[key] : nullptr;
}
int pthread_setspecific(pthread_key_t key, const void* value) {
    if (key >= most_keys)
        return EINVAL;
    values()[key] = const_cast<void*>(value);
    return 0;
}

int __cxa_thread_atexit_impl(void (*call)(void*), void* object, void*) {
    endings().push_back({call, object});
    return 0;
}

}  // extern "C"
