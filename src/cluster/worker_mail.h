#pragma once
// What workers tell their rank's agent, from any thread, without waiting. Only the best bound matters, so one atomic
// maximum takes the place of a queue. What a worker tells before its task ends, the agent reads before it finds the
// locality idle: is_idle() is an acquire.

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>

namespace bough::cluster {

class worker_mail {
public:
    static constexpr std::int64_t no_bound = std::numeric_limits<std::int64_t>::min();

    // ---- workers

    // A better bound than this worker knew; higher is better.
    void found_bound(std::int64_t value) {
        std::int64_t known = bound_.load(std::memory_order_relaxed);
        // release: pairs with the acquire in take_bound; a value is all that travels, so relaxed would do, but a
        // reader of a solution found with it may rely on this.
        while (value > known && !bound_.compare_exchange_weak(known, value, std::memory_order_release,
                                                              std::memory_order_relaxed)) {
        }
    }
    // The target of a decision search is found: all ranks stop.
    void found_target() { target_.store(true, std::memory_order_release); }
    // A worker found the pool empty. A hint: the agent looks at once instead of after its pause.
    void starved() { starved_.store(true, std::memory_order_release); }

    // ---- the agent

    // The best bound since the last call.
    std::optional<std::int64_t> take_bound() {
        if (bound_.load(std::memory_order_relaxed) == no_bound)
            return std::nullopt;
        return bound_.exchange(no_bound, std::memory_order_acquire);  // pairs with the release in found_bound
    }
    bool target_found() const { return target_.load(std::memory_order_acquire); }
    bool take_starved() {
        return starved_.load(std::memory_order_relaxed) &&
               starved_.exchange(false, std::memory_order_acquire);
    }
    // Between searches, when no worker runs.
    void reset() {
        bound_.store(no_bound, std::memory_order_relaxed);
        target_.store(false, std::memory_order_relaxed);
        starved_.store(false, std::memory_order_relaxed);
    }

private:
    std::atomic<std::int64_t> bound_{no_bound};
    std::atomic<bool> target_{false};
    std::atomic<bool> starved_{false};
};

}  // namespace bough::cluster
