#pragma once
// What went wrong, and what was done.

#include <atomic>
#include <cstdint>

#include "stress/mix/scope.h"

namespace mix {

// Says where, and ends the process with status 1. Any thread.
[[noreturn]] void fail(const scope& s, const char* what);

inline void require(const scope& s, bool holds, const char* what) {
    if (!holds) [[unlikely]]
        fail(s, what);
}

struct figures {
    std::atomic<std::uint64_t> bodies{0};
    std::atomic<std::uint64_t> exceptions{0};  // that came through to who waited
    std::atomic<std::uint64_t> cancels{0};
    std::atomic<std::uint64_t> suspensions{0};
    std::atomic<std::uint64_t> enqueued{0};
};
extern figures done;

}  // namespace mix
