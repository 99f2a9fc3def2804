#pragma once
// Does an emulator of another processor run this (./dev test --preset aarch64)? What it cannot do is skipped, with its
// name.

#include <cstdlib>

namespace bough_test {

inline bool is_emulated() {
    return std::getenv("TEST_EMULATOR") != nullptr;
}

// Of qemu-user 7.2, whose list of the parent's threads is not emptied in the child.
inline constexpr const char* no_threads_after_fork =
    "the emulator ends a child process that starts threads, if its parent had several";

}  // namespace bough_test
