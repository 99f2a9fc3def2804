#pragma once
// Proxies for one slot, received oldest first: many senders, one receiver. A ring with room for as many as a slot could
// want; the receiver takes a proxy without a locked operation. README.md argues the orderings.

#include <array>
#include <cstdint>

#include "bough/config.h"
#include "machine/atomics.h"
#include "mail/task_proxy.h"

namespace bough {

template <class Atomics, std::uint32_t capacity = 64>
class basic_mailbox {
    static_assert((capacity & (capacity - 1)) == 0);

public:
    using proxy = basic_task_proxy<Atomics>;

    // Any thread. False: full.
    bool send(proxy& p) {
        std::uint32_t place = next_.load(std::memory_order_relaxed);
        do {
            // acquire: pairs with the store of received_ in receive(); the cell is free. A value that is out of date
            // shows less room than there is.
            if (place - received_.load(std::memory_order_acquire) >= capacity)
                return false;
        } while (!next_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed,
                                              std::memory_order_relaxed));
        // release: pairs with the load of the cell in receive(); proxy and task are visible.
        cell(place).store(&p, std::memory_order_release);
        return true;
    }

    // The slot's thread only. The oldest proxy; null if there is none, or if its sender has not finished send().
    proxy* receive() {
        const std::uint32_t place = received_.load(std::memory_order_relaxed);
        // acquire: pairs with the store of the cell in send().
        proxy* const oldest = cell(place).load(std::memory_order_acquire);
        if (!oldest)
            return nullptr;
        cell(place).store(nullptr, std::memory_order_relaxed);
        // release: pairs with the load of received_ in send(), which uses the cell again.
        received_.store(place + 1, std::memory_order_release);
        return oldest;
    }
    bool has_mail() const { return oldest(std::memory_order_relaxed) != nullptr; }

    // The slot's thread only: frees the oldest proxies as long as other threads have taken their tasks. How many?
    unsigned drop_spent() {
        unsigned dropped = 0;
        // acquire: pairs with the store of the cell in send().
        for (const proxy* p = oldest(std::memory_order_acquire); p && p->is_spent();
             p = oldest(std::memory_order_acquire), ++dropped)
            proxy::take(*receive(), proxy::mailbox);
        return dropped;
    }

private:
    using atomic_cell = typename Atomics::template atomic<proxy*>;
    using atomic_place = typename Atomics::template atomic<std::uint32_t>;

    proxy* oldest(std::memory_order order) const {
        const std::uint32_t place = received_.load(std::memory_order_relaxed);
        return cells_[place & (capacity - 1)].load(order);
    }
    atomic_cell& cell(std::uint32_t place) { return cells_[place & (capacity - 1)]; }

    alignas(cache_line) atomic_place next_{0};      // written by senders
    alignas(cache_line) atomic_place received_{0};  // written by the receiver
    alignas(cache_line) std::array<atomic_cell, capacity> cells_{};
};

using mailbox = basic_mailbox<machine::atomics>;

}  // namespace bough
