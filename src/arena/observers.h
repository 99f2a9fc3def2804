#pragma once
// The observers of an arena, and which of them a slot's thread has told that it has entered. Cold, but for one load.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "bough/observer.h"

namespace bough::detail {

// Shared by the arena's list, by the slots whose threads have entered, and by the observer.
struct observation {
    explicit observation(observer_calls c) : calls(c) {}

    // Calls entry or exit, unless the observation has ended.
    void tell(bool entry, bool is_worker);
    // When this returns, no call is under way in another thread, and none will be made.
    void end();
    // In a child process only calls of the thread that forked are under way.
    void begin_in_child();

    const observer_calls calls;

private:
    // Calls that this thread is inside of.
    std::uint32_t own_calls() const;

    std::atomic<bool> on_{true};
    std::atomic<std::uint32_t> calls_under_way_{0};
};

using observation_ref = std::shared_ptr<observation>;

class observer_list {
public:
    void add(observation_ref o);
    void remove(const observation& o);

    // Changes with every add. relaxed: a thread that has just entered looks again before it takes more.
    std::uint32_t version() const { return version_.load(std::memory_order_relaxed); }
    std::vector<observation_ref> all() const;
    // fork() is called between lock() and unlock(), or begin_in_child().
    void lock() { mutex_.lock(); }
    void unlock() { mutex_.unlock(); }
    void begin_in_child();

private:
    std::atomic<std::uint32_t> version_{0};
    mutable std::mutex mutex_;
    std::vector<observation_ref> observers_;
};

// A slot's side. Only the slot's thread calls it.
class told_observers {
public:
    bool has_news(const observer_list& list) const { return list.version() != seen_; }
    // False: there was no memory to note new observers. They were not told; the next look tries again.
    bool look(const observer_list& list, bool is_worker) {
        if (has_news(list)) [[unlikely]]
            return tell_new(list, is_worker);
        return true;
    }
    void leave(bool is_worker);

private:
    bool tell_new(const observer_list& list, bool is_worker) noexcept;

    std::uint32_t seen_ = 0;
    std::vector<observation_ref> told_;
};

}  // namespace bough::detail
