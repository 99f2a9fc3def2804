#pragma once
// A thread sleeps on an address until another thread wakes it. Blocking primitives outside the library (compat's) use
// these calls. Any thread may make any of them. Keys are compared, never dereferenced. All users of a key must be one
// primitive. A waker first changes what ready() reads, by a seq_cst read-modify-write or store, and then wakes. It
// finds every sleeper whose ready() missed the change, and pays one load if no thread sleeps. A sleeper may miss a
// weaker change. Behind it: src/entry/parking.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

// The calling thread sleeps until it is woken, unless ready(argument) holds. The call asks ready() once, when wakers
// can already find this thread. ready() may throw, runs outside of any lock, and may use relaxed loads. May return
// early, so callers loop.
BOUGH_EXPORT void park(const void* key, std::uintptr_t context, bool (*ready)(void*), void* argument);

// Wakes the thread that has slept longest on the key, if there is one.
BOUGH_EXPORT void unpark_one(const void* key);
BOUGH_EXPORT void unpark_all(const void* key);
// Wakes every thread on the key for whose context matches(context, value) holds. matches() runs under a lock, and must
// only compare.
BOUGH_EXPORT void unpark_matching(const void* key,
                                  bool (*matches)(std::uintptr_t context, std::uintptr_t value),
                                  std::uintptr_t value);

}  // namespace bough::detail
