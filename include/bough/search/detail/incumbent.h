#pragma once
// The best objective found so far, and a node that has it. Any thread calls it.
//
// Objectives are keys here: higher is better, whichever way the search goes. The key only rises. It may rise without a
// node, when another process has found a better one.

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>

namespace bough::search::detail {

// Turns objectives around for a search for the smallest. ~ has no overflow, as - has.
template <bool Maximise>
constexpr std::int64_t key_of(std::int64_t objective) {
    return Maximise ? objective : ~objective;
}

inline constexpr std::int64_t no_key = std::numeric_limits<std::int64_t>::min();

template <class Node>
class incumbent {
public:
    // Relaxed: an old key prunes less and is never wrong.
    std::int64_t key() const { return key_.load(std::memory_order_relaxed); }

    // True if the key has risen to this one.
    bool raise(std::int64_t key) {
        std::int64_t old = key_.load(std::memory_order_relaxed);
        while (old < key)
            if (key_.compare_exchange_weak(old, key, std::memory_order_relaxed))
                return true;
        return false;
    }
    // The same, and keeps the node. Of two threads that raise the key, the one with the better node may come to the
    // lock first; so the node's own key decides.
    bool raise(std::int64_t key, const Node& n) {
        if (!raise(key))
            return false;
        const std::lock_guard lock(mutex_);
        if (!node_ || held_ < key) {
            node_.emplace(n);
            held_ = key;
        }
        return true;
    }

    // When no thread calls raise() any more: the best node found here. Another process may have a better one.
    std::optional<Node>& node() { return node_; }
    std::int64_t held() const { return held_; }

private:
    std::atomic<std::int64_t> key_{no_key};
    std::mutex mutex_;
    std::optional<Node> node_;
    std::int64_t held_ = no_key;
};

}  // namespace bough::search::detail
