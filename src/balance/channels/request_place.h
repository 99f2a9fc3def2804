#pragma once
// Where the one request of a slot is: with its thief, with another thread, or in the arena's lobby, where any thread
// may take it out. Who has it, and only that thread, may send to the slot's inbox. README.md, "Messages".

#include <atomic>
#include <cstdint>

#include "machine/atomics.h"

namespace bough::balancing {

template <class Atomics>
class basic_request_place {
public:
    // ---- the thief ----

    // acquire: pairs with give_back(). The inbox has its next sender after the last one.
    bool is_with_thief() const { return !is_out_.load(std::memory_order_acquire); }
    // From here on whoever gets the request may give it back.
    void send() { is_out_.store(true, std::memory_order_relaxed); }
    // It was not sent after all, or has been taken back.
    void keep() { is_out_.store(false, std::memory_order_relaxed); }
    // Takes the request out of the lobby. False: it is not there, or another thread has taken it out.
    bool leave_lobby() {
        if (!is_in_lobby() || take_out() == 0)
            return false;
        keep();
        return true;
    }

    // ---- the thread that has it ----

    // release: pairs with is_with_thief().
    void give_back() { is_out_.store(false, std::memory_order_release); }
    // release: pairs with take_out().
    void put_into_lobby(std::uint64_t request) { in_lobby_.store(request, std::memory_order_release); }

    // ---- any thread ----

    // The request, which this thread has from now on; 0: it is not in the lobby. acquire: pairs with put_into_lobby();
    // the inbox has its next sender after the last one.
    std::uint64_t take_out() { return in_lobby_.exchange(0, std::memory_order_acquire); }
    // Hints.
    bool is_out() const { return is_out_.load(std::memory_order_relaxed); }
    bool is_in_lobby() const { return in_lobby_.load(std::memory_order_relaxed) != 0; }
    // With a thread that will come to it.
    bool is_with_victim() const { return is_out() && !is_in_lobby(); }

private:
    typename Atomics::template atomic<bool> is_out_{false};
    typename Atomics::template atomic<std::uint64_t> in_lobby_{0};  // the request, while it lies there
};

using request_place = basic_request_place<machine::atomics>;

}  // namespace bough::balancing
