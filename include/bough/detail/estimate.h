#pragma once
// Estimates from single measurements how long something takes that is done again and again. Any thread reads and adds;
// a lost update costs accuracy only.

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace bough::detail {

// The value falls at once to a time that two measurements in a row did not exceed: the first loops of a process may
// take a hundred times as long, while its threads share one CPU. The value rises slowly, so an interrupt counts little
// more than a slow loop.
class estimate {
public:
    float value() const { return value_.load(std::memory_order_relaxed); }
    bool is_new() const { return seen_.load(std::memory_order_relaxed) == 0; }
    bool is_settled() const { return seen_.load(std::memory_order_relaxed) >= first_few; }
    bool has_two() const { return seen_.load(std::memory_order_relaxed) >= 2; }
    void add(float took) {
        const float old = value(), two = std::max(took, last_.load(std::memory_order_relaxed));
        const std::uint32_t n = seen_.load(std::memory_order_relaxed);
        last_.store(took, std::memory_order_relaxed);
        value_.store(n == 0      ? took
                     : two < old ? two
                                 : old + (std::min(took, 4 * old) - old) / 8,
                     std::memory_order_relaxed);
        if (n < first_few)
            seen_.store(n + 1, std::memory_order_relaxed);
    }

private:
    static constexpr std::uint32_t first_few = 8;
    std::atomic<float> value_{0};
    std::atomic<float> last_{0};
    std::atomic<std::uint32_t> seen_{0};
};

}  // namespace bough::detail
