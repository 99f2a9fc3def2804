#pragma once
// What several files of the simulated system need of each other.

#include <pthread.h>
#include <time.h>

#include <vector>

#include "description.h"
#include "thread.h"

namespace simulate {

// What the host's first thread has registered and kept before the machine began is the main thread's.
void take_over_early_thread(thread& main);

// Null: none were given to these attributes.
const std::vector<bool>* cores_of(const pthread_attr_t* attributes);

// Virtual time of a system's clock, and back: CLOCK_REALTIME begins at some day, CLOCK_MONOTONIC at 1000 s.
timespec now_of(clockid_t clock);
picoseconds moment_of(clockid_t clock, const timespec& time);
inline picoseconds length_of(const timespec& t) {
    return static_cast<picoseconds>(t.tv_sec) * 1000 * ms + static_cast<picoseconds>(t.tv_nsec) * ns;
}

// 0, or an errno value: EAGAIN when the word is not `expected`, ETIMEDOUT.
int futex_wait(const unsigned* word, unsigned expected, picoseconds deadline, const char* why);
unsigned futex_wake(const void* word, unsigned most);

// An access by the system, or by a library that is not instrumented.
void touch(const void* address, bool write);

}  // namespace simulate
