#pragma once
// A bounded channel: many senders, one receiver. The receiver may close it, which tells senders that it will not
// receive, and open it again. A message is one word. README.md argues the orderings.

#include <array>
#include <cstdint>

#include "bough/config.h"
#include "machine/atomics.h"

namespace bough {

// What became of a message.
enum class sent : std::uint8_t { yes, closed, full };

template <class Atomics, std::uint32_t capacity = 64>
class basic_mpsc_channel {
    static_assert((capacity & (capacity - 1)) == 0);

public:
    using message = std::uint64_t;  // never 0

    explicit basic_mpsc_channel(bool is_open) : next_(is_open ? 0 : closed_bit) {}

    // ---- any thread ----

    sent try_send(message m) {
        std::uint64_t at = next_.load(std::memory_order_relaxed);
        do {
            if ((at & closed_bit) != 0)
                return sent::closed;
            // acquire: pairs with the store of received_ in receive(); the cell is free. A value that is out of date
            // shows less room than there is. If `at` is out of date the difference may be negative: then the
            // compare-and-swap fails.
            const auto ahead = place_of(at) - received_.load(std::memory_order_acquire);
            if (ahead >= capacity && static_cast<std::int32_t>(ahead) > 0)
                return sent::full;
            // relaxed: senders that are ordered by what they do elsewhere get their places in that order (README.md).
        } while (!next_.compare_exchange_weak(at, at + one_place, std::memory_order_relaxed,
                                              std::memory_order_relaxed));
        // release: pairs with the load of the cell in receive().
        cell(place_of(at)).store(m, std::memory_order_release);
        return sent::yes;
    }
    // Waits while the channel is full. False: it is closed.
    bool send(message m) {
        typename Atomics::spin_wait receiver;
        for (;; receiver.pause())
            if (const sent how = try_send(m); how != sent::full)
                return how == sent::yes;
    }

    bool is_open() const { return (next_.load(std::memory_order_relaxed) & closed_bit) == 0; }
    // Open, and every message has been received. seq_cst: the last look of a thread that parks. It pairs with open(),
    // and with a receiver that reads the alarm after a receive() (README.md).
    bool is_open_and_empty() const {
        const std::uint64_t at = next_.load(std::memory_order_seq_cst);
        return (at & closed_bit) == 0 && place_of(at) == received_.load(std::memory_order_seq_cst);
    }

    // Messages that are not received yet; a hint.
    std::uint32_t pending() const {
        return place_of(next_.load(std::memory_order_relaxed)) - received_.load(std::memory_order_relaxed);
    }

    // ---- the receiver ----

    // The oldest message; 0 if there is none, or if its sender has not finished.
    message receive() {
        const std::uint32_t place = received_.load(std::memory_order_relaxed);
        // acquire: pairs with the store of the cell in try_send(). What the sender did before is visible.
        const message oldest = cell(place).load(std::memory_order_acquire);
        if (oldest == 0)
            return 0;
        cell(place).store(0, std::memory_order_relaxed);
        // release: pairs with the load of received_ in try_send(), which uses the cell again.
        received_.store(place + 1, std::memory_order_release);
        return oldest;
    }
    bool has_message() const { return peek() != 0; }
    // As receive(), but the message stays.
    message peek() const {
        return cells_[received_.load(std::memory_order_relaxed) & (capacity - 1)].load(
            std::memory_order_relaxed);
    }

    // No message is sent from here on. Those that were sent before are still to be received: receive_last().
    // relaxed: a sender's compare-and-swap comes before this operation or fails.
    void close() { next_.fetch_or(closed_bit, std::memory_order_relaxed); }
    // Of a closed channel: the next message; 0 if none is left. Waits for a sender that is in between.
    message receive_last() {
        const std::uint32_t end = place_of(next_.load(std::memory_order_relaxed));
        if (received_.load(std::memory_order_relaxed) == end)
            return 0;
        typename Atomics::spin_wait sender;
        message m;
        while ((m = receive()) == 0)
            sender.pause();
        return m;
    }
    // seq_cst: a publication. Store-load pair with the alarm, which the receiver reads next (park/README.md).
    void open() { next_.fetch_and(~closed_bit, std::memory_order_seq_cst); }

private:
    using atomic_word = typename Atomics::template atomic<message>;
    using atomic_place = typename Atomics::template atomic<std::uint32_t>;

    static constexpr std::uint64_t closed_bit = 1, one_place = 2;

    static std::uint32_t place_of(std::uint64_t next) { return static_cast<std::uint32_t>(next / one_place); }
    atomic_word& cell(std::uint32_t place) { return cells_[place & (capacity - 1)]; }

    alignas(cache_line) atomic_word next_;          // places that senders took, and the closed bit
    alignas(cache_line) atomic_place received_{0};  // written by the receiver
    alignas(cache_line) std::array<atomic_word, capacity> cells_{};
};

using mpsc_channel = basic_mpsc_channel<machine::atomics>;

}  // namespace bough
