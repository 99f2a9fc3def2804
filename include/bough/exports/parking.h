#pragma once
// Sleep on an address until somebody wakes it: what blocking primitives outside the library (compat's) rest on. Any
// thread may call any of it. Keys are compared, never dereferenced; a key's users must be one primitive.
// A waker first changes what ready() looks at, by a seq_cst read-modify-write or store, then wakes: it then finds every
// sleeper whose ready() missed the change, at the cost of one load when nobody sleeps. A weaker change may be missed.
// Behind it: src/entry/parking.cpp.

#include <cstdint>

#include "../config.h"

namespace bough::detail {

// Sleeps until woken, unless ready(argument) holds; it is asked once, when this thread can already be found by wakers,
// and may throw. May return early: callers loop. ready() runs outside of any lock and may use relaxed loads.
BOUGH_EXPORT void park(const void* key, std::uintptr_t context, bool (*ready)(void*), void* argument);

// Wakes the one that has slept longest on the key, if any.
BOUGH_EXPORT void unpark_one(const void* key);
BOUGH_EXPORT void unpark_all(const void* key);
// Wakes everybody on the key for whom matches(context, value) holds; it runs under a lock and must only compare.
BOUGH_EXPORT void unpark_matching(const void* key,
                                  bool (*matches)(std::uintptr_t context, std::uintptr_t value),
                                  std::uintptr_t value);

}  // namespace bough::detail
