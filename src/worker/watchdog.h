#pragma once
// A thread that looks whether work goes on (progress.h). It reports what the runtime knows (dump.h) if none does, or if
// the process gets SIGQUIT. There is no watchdog unless BOUGH_WATCHDOG asks for one. It is no worker: it sits nowhere,
// no limit counts it, and it takes locks only by trying. watchdog.md says what it takes for a stall.

#include <atomic>

namespace bough {

// Called before there is a crew: reads whether there is to be a watchdog.
void ask_for_watchdog();

extern constinit std::atomic<bool> watchdog_is_due;
void start_watchdog();

// Called under the crew's mutex, where the runtime is first used; in a child process, too.
inline void start_watchdog_if_due() {
    if (watchdog_is_due.load(std::memory_order_relaxed)) [[unlikely]]
        start_watchdog();
}

// Called after the mutex was given back: a thread that holds stderr's lock may be waiting for the mutex.
inline std::atomic<int> watchdog_refused_with{0};  // an errno value, until it has been printed; else 0
void say_watchdog_was_refused();
inline void say_if_watchdog_was_refused() {
    // relaxed: the thread that wrote it reads it later.
    if (watchdog_refused_with.load(std::memory_order_relaxed) != 0) [[unlikely]]
        say_watchdog_was_refused();
}

// In a child process, which lacks the watchdog's thread: the watchdog is due again.
void begin_watchdog_in_child() noexcept;

// Has this process a watchdog's thread?
bool is_watchdog_running() noexcept;

}  // namespace bough
