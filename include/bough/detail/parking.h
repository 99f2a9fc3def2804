#pragma once
// A thread sleeps on an address until another thread wakes it: exports/parking.h, and park() with any function object.

#include <cstdint>

#include "../exports/parking.h"

namespace bough::detail {

template <class Ready>
void park(const void* key, std::uintptr_t context, Ready ready) {
    park(key, context, [](void* r) -> bool { return (*static_cast<Ready*>(r))(); }, &ready);
}

}  // namespace bough::detail
