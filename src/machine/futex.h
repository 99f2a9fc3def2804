#pragma once
// Sleep on a 32-bit word until somebody wakes it. Any thread; private to the process.

#include <atomic>
#include <cstdint>

namespace bough::machine {

// Returns when the word is not `expected`, on a wake-up, on a signal or spuriously: callers loop.
void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept;

// As futex_wait, but also returns after about `timeout_ns`.
void futex_wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::uint64_t timeout_ns) noexcept;

// Wakes up to `count` sleepers. The word need not be alive any more: the kernel uses its address only.
void futex_wake(const std::atomic<std::uint32_t>* word, int count) noexcept;

}  // namespace bough::machine
