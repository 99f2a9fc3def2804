// futex(2), private to the process; see futex.h.

#include "machine/futex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace bough::machine {
namespace {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));

// Callers may look at errno around a loop of theirs: it is theirs, not ours.
void call(const std::atomic<std::uint32_t>* word, int operation, std::uint32_t value,
          const timespec* timeout) noexcept {
    const int saved = errno;
    syscall(SYS_futex, static_cast<const void*>(word), operation | FUTEX_PRIVATE_FLAG, value, timeout,
            nullptr, 0);
    errno = saved;
}

}  // namespace

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
    call(&word, FUTEX_WAIT, expected, nullptr);
}

void futex_wait_for(const std::atomic<std::uint32_t>& word, std::uint32_t expected,
                    std::uint64_t timeout_ns) noexcept {
    constexpr std::uint64_t second = 1'000'000'000;
    timespec timeout{};
    timeout.tv_sec = static_cast<std::time_t>(timeout_ns / second);
    timeout.tv_nsec = static_cast<long>(timeout_ns % second);
    call(&word, FUTEX_WAIT, expected, &timeout);
}

void futex_wake(const std::atomic<std::uint32_t>* word, int count) noexcept {
    call(word, FUTEX_WAKE, static_cast<std::uint32_t>(count), nullptr);
}

}  // namespace bough::machine
