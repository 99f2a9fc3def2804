#include "worker/watchdog.h"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <optional>

#include "machine/futex.h"
#include "machine/quit_signal.h"
#include "machine/thread.h"
#include "profile/settings.h"
#include "worker/dump.h"
#include "worker/progress.h"

namespace bough {

constinit std::atomic<bool> watchdog_is_due{false};

namespace {

using clock = std::chrono::steady_clock;

// How many looks in a row must find no progress before it is a stall. Looks are counted, not time: a process that was
// stopped has missed looks, and is not reported.
constexpr unsigned looks_per_limit = 4;

std::atomic<bool> runs{false};
std::atomic<std::uint32_t> asked{0};  // 1: SIGQUIT has asked for a report. A futex

// Async-signal-safe.
void ask() {
    asked.store(1, std::memory_order_relaxed);
    machine::futex_wake(&asked, 1);
}

// Waits until `time`, then false; or until a report is asked for, then true, once. Without a time it waits for the
// latter only.
bool wait_until(std::optional<clock::time_point> time) {
    // relaxed: the report looks at what is there when it is made.
    while (asked.exchange(0, std::memory_order_relaxed) == 0) {
        if (!time) {
            machine::futex_wait(asked, 0);
            continue;
        }
        const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(*time - clock::now());
        if (left.count() <= 0)
            return false;
        machine::futex_wait_for(asked, 0, static_cast<std::uint64_t>(left.count()));
    }
    return true;
}

// Follows, look after look, whether the process goes on.
class stall {
public:
    explicit stall(unsigned limit_s) : limit_s_(limit_s) {}

    std::chrono::milliseconds interval() const {
        return std::chrono::milliseconds(1000) * limit_s_ / looks_per_limit;
    }

    void look() {
        const progress now = progress_now(static_cast<double>(interval().count()));
        // A look that could see nothing counts as one without progress.
        const bool goes_on = now.is_seen && (!now.is_under_way || now.sum != sum_);
        if (now.is_seen)
            sum_ = now.sum;
        if (!goes_on)
            return count();
        if (looks_ == looks_per_limit)
            report_resumed();
        looks_ = 0;
    }

private:
    void count() {
        if (looks_ == looks_per_limit)
            return;  // it has been reported
        if (++looks_ == looks_per_limit)
            report_stall(limit_s_);
    }

    const unsigned limit_s_;
    std::uint64_t sum_ = 0;
    unsigned looks_ = 0;  // how many in a row have found no progress
};

void* watch(void*) {
    machine::name_this_thread("bough-watchdog");
    machine::block_sigpipe();  // a report into a closed pipe must not end the program
    const unsigned limit_s = process_settings().watchdog_s;
    stall seen(limit_s);
    for (;;) {
        std::optional<clock::time_point> next;
        if (limit_s != 0)
            next = clock::now() + seen.interval();
        while (wait_until(next))
            report_asked();
        seen.look();
    }
    return nullptr;
}

}  // namespace

void ask_for_watchdog() {
    const settings& s = process_settings();
    watchdog_is_due.store(s.watchdog_s != 0 || s.watchdog_on_quit, std::memory_order_relaxed);
}

void start_watchdog() {
    watchdog_is_due.store(false, std::memory_order_relaxed);
    const int error = machine::start_thread(watch, nullptr, 0);
    if (error != 0)
        return watchdog_refused_with.store(error, std::memory_order_relaxed);
    runs.store(true, std::memory_order_relaxed);
    if (process_settings().watchdog_on_quit)
        machine::call_on_quit(ask);
}

void say_watchdog_was_refused() {
    if (const int error = watchdog_refused_with.exchange(0, std::memory_order_relaxed))
        std::fprintf(stderr, "bough: the watchdog could not be started (%s); going on without\n",
                     std::strerror(error));
}

void begin_watchdog_in_child() noexcept {
    // relaxed, all: there is one thread. A watchdog that was due in the parent, and not started yet, stays due.
    if (runs.exchange(false, std::memory_order_relaxed))
        watchdog_is_due.store(true, std::memory_order_relaxed);
    machine::forget_quit();  // no thread would answer
    asked.store(0, std::memory_order_relaxed);
}

bool is_watchdog_running() noexcept {
    return runs.load(std::memory_order_relaxed);
}

}  // namespace bough
