#pragma once
// The calls on a stack, by frame pointers, as far as they go: the program and this library keep them, the C library
// uses the register otherwise.

#include <array>
#include <cstddef>
#include <cstdint>

namespace simulate {

// visit(return address) for `frame` and each frame above it, the innermost first, until it returns false. No frame
// reaches beyond `top`, where the stack begins.
template <class Visit>
void walk_frames(const void* frame, const char* top, Visit&& visit) {
    const auto* here = static_cast<const std::uintptr_t*>(frame);
    while (visit(reinterpret_cast<const void*>(here[1]))) {
        const auto* const next = reinterpret_cast<const std::uintptr_t*>(here[0]);
        if (next <= here || reinterpret_cast<const char*>(next + 2) > top || here[0] % sizeof(void*) != 0)
            return;
        here = next;
    }
}

// Fills `calls`, the innermost first; what is left of it stays as it was.
template <std::size_t most>
void collect_calls(const void* frame, const char* top, std::array<const void*, most>& calls) {
    std::size_t count = 0;
    walk_frames(frame, top, [&](const void* call) {
        calls[count++] = call;
        return count < most;
    });
}

}  // namespace simulate
