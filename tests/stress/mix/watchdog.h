#pragma once
// Ends a process in which a thread makes no progress, and says where it stands.

#include <chrono>
#include <cstdint>

#include "stress/mix/scope.h"

namespace mix {

class watchdog {
public:
    watchdog(const origin& thread, std::chrono::seconds patience) : thread_(thread), patience_(patience) {}

    // Now and then; does not return when the thread has stood for longer than `patience`.
    void look();

private:
    [[noreturn]] void bark() const;

    const origin& thread_;
    const std::chrono::seconds patience_;
    std::uint64_t last_ = ~std::uint64_t{0};
    std::chrono::steady_clock::time_point since_;
};

}  // namespace mix
