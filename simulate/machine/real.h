#pragma once
// The C library's own functions, under the names that this library takes: found in what is loaded after it. Usable from
// the first call of the process on.

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>

#include "refuse.h"

namespace simulate::real {

template <class Function>
Function* find(const char* name) {
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == nullptr)
        refuse("%s: the C library has no such function", name);
    return reinterpret_cast<Function*>(found);
}

#define SIMULATE_REAL(name, ...) (::simulate::real::find<decltype(::name)>(#name))(__VA_ARGS__)

inline int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                          void* data) {
    return SIMULATE_REAL(pthread_create, thread, attributes, run, data);
}
inline int pthread_join(pthread_t thread, void** result) {
    return SIMULATE_REAL(pthread_join, thread, result);
}

inline long syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0, long f = 0) {
    using call = long(long, long, long, long, long, long, long);
    static constinit call* known = nullptr;  // no guard: several host threads may come at once
    if (known == nullptr)
        known = find<call>("syscall");
    return known(number, a, b, c, d, e, f);
}

}  // namespace simulate::real
