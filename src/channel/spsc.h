#pragma once
// A bounded channel: one sender at a time, one receiver. All operations are wait-free. The receiver may close it, which
// tells the sender that it will not receive, and open it again. README.md argues the orderings.

#include <array>
#include <cstdint>

#include "bough/config.h"
#include "channel/mpsc.h"
#include "machine/atomics.h"

namespace bough {

// Message: any type that can be copied.
template <class Atomics, class Message, std::uint32_t capacity = 2>
class basic_spsc_channel {
    static_assert((capacity & (capacity - 1)) == 0);

public:
    explicit basic_spsc_channel(bool is_open) : next_(is_open ? 0 : closed_bit) {}

    // ---- the sender: whatever makes another thread the sender orders it after this one ----

    sent send(const Message& m) {
        std::uint64_t at = next_.load(std::memory_order_relaxed);
        if ((at & closed_bit) != 0)
            return sent::closed;
        const std::uint32_t place = place_of(at);
        // acquire: pairs with the store of received_ in receive(); the receiver has read the cell.
        if (place - received_.load(std::memory_order_acquire) >= capacity)
            return sent::full;
        cells_[place & (capacity - 1)].set(m);
        // release: pairs with the load of next_ in peek() and the exchange in close(). One attempt: only the receiver
        // changes the word besides, and by that it has closed the channel. *Why no store:* it would undo that.
        return next_.compare_exchange_strong(at, at + one_place, std::memory_order_release,
                                             std::memory_order_relaxed)
                   ? sent::yes
                   : sent::closed;
    }
    // Any thread: a hint.
    bool is_open() const { return (next_.load(std::memory_order_relaxed) & closed_bit) == 0; }

    // ---- the receiver ----

    // The oldest message, which stays; null if there is none.
    const Message* peek() const {
        const std::uint32_t place = received_.load(std::memory_order_relaxed);
        // acquire: pairs with send(); the message is visible.
        if (place_of(next_.load(std::memory_order_acquire)) == place)
            return nullptr;
        return &cells_[place & (capacity - 1)].get();
    }
    // Only after a peek() that was not null.
    Message receive() {
        const std::uint32_t place = received_.load(std::memory_order_relaxed);
        const Message m = cells_[place & (capacity - 1)].get();
        // release: pairs with the load of received_ in send(), which uses the cell again.
        received_.store(place + 1, std::memory_order_release);
        return m;
    }
    // No message is sent from here on; peek() sees all that were sent before.
    // relaxed: peek() acquires what it reads, which is this word or a later one.
    void close() { next_.fetch_or(closed_bit, std::memory_order_relaxed); }
    // relaxed: the sender learns by another message that it may send.
    void open() { next_.fetch_and(~closed_bit, std::memory_order_relaxed); }

private:
    using atomic_word = typename Atomics::template atomic<std::uint64_t>;
    using atomic_place = typename Atomics::template atomic<std::uint32_t>;

    static constexpr std::uint64_t closed_bit = 1, one_place = 2;

    static std::uint32_t place_of(std::uint64_t next) { return static_cast<std::uint32_t>(next / one_place); }

    alignas(cache_line) atomic_word next_;  // places that were used, and the closed bit
    atomic_place received_{0};              // written by the receiver
    std::array<typename Atomics::template plain<Message>, capacity> cells_{};
};

}  // namespace bough
