#pragma once
// A thread that looks whether anything goes on (progress.h), and reports what the runtime knows when nothing does
// (dump.h), or when the process gets SIGQUIT. There is none unless BOUGH_WATCHDOG asks for one. It is no worker: it
// sits nowhere, no limit counts it, and it takes locks only by trying. watchdog.md has what it holds for a stall.

#include <atomic>

namespace bough {

// Before there is a crew: reads whether there is to be a watchdog.
void ask_for_watchdog();

extern constinit std::atomic<bool> watchdog_is_due;
void start_watchdog();

// Under the crew's mutex, where the runtime is used for the first time; in a child process, too.
inline void start_watchdog_if_due() {
    if (watchdog_is_due.load(std::memory_order_relaxed)) [[unlikely]]
        start_watchdog();
}

// After the mutex was given back: a thread that holds stderr's lock may be waiting for it.
inline std::atomic<int> watchdog_refused_with{0};  // an errno value, until it has been said
void say_watchdog_was_refused();
inline void say_if_watchdog_was_refused() {
    // relaxed: the thread that wrote it reads it afterwards.
    if (watchdog_refused_with.load(std::memory_order_relaxed) != 0) [[unlikely]]
        say_watchdog_was_refused();
}

// In a child, which has no thread but the one that forked: it is due again.
void begin_watchdog_in_child() noexcept;

// A thread of this process is the watchdog's.
bool is_watchdog_running() noexcept;

}  // namespace bough
