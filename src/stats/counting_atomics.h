#pragma once
// The twin of machine::atomics that counts: what a queue made of these does shows in the statistics of whoever does it.
// The other one compiles to nothing but the accesses.

#include <atomic>

#include "machine/atomics.h"
#include "stats/counters.h"

namespace bough {

struct counting_atomics : machine::atomics {
    template <class T>
    class atomic {
    public:
        constexpr explicit atomic(T value = T{}) : value_(value) {}

        T load(std::memory_order o) const { return value_.load(o); }
        void store(T value, std::memory_order o) {
            if (o == std::memory_order_seq_cst)
                bough::count(event::fence);
            value_.store(value, o);
        }
        T exchange(T value, std::memory_order o) {
            bough::count(event::cas_tried);
            return value_.exchange(value, o);
        }
        bool compare_exchange_strong(T& expected, T wanted, std::memory_order won, std::memory_order lost) {
            bough::count(event::cas_tried);
            const bool done = value_.compare_exchange_strong(expected, wanted, won, lost);
            if (!done)
                bough::count(event::cas_failed);
            return done;
        }

    private:
        std::atomic<T> value_;
    };

    static void light_fence() {
        if (!machine::detail::heavy_reaches_all.load(std::memory_order_relaxed))
            bough::count(event::fence);
        machine::light_fence();
    }

    static void count(event e, std::uint64_t n) { bough::count(e, n); }
};

}  // namespace bough
