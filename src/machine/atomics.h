#pragma once
// The atomics that lock-free parts are parameterised with, so that the same code runs under the explorer of all
// executions (tests/model) and with its operations counted.

#include <atomic>
#include <mutex>

#include "bough/detail/asymmetric_fence.h"
#include "bough/detail/spin_wait.h"
#include "machine/pause.h"

namespace bough::machine {

struct atomics {
    template <class T>
    using atomic = std::atomic<T>;
    using mutex = std::mutex;

    // Not atomic; an access must happen before, or after, any other that writes.
    template <class T>
    class plain {
    public:
        plain() = default;
        constexpr explicit plain(T value) : value_(value) {}
        const T& get() const { return value_; }
        void set(const T& value) { value_ = value; }
        template <class Write>
        void write(Write&& write) {
            write(value_);
        }

    private:
        T value_{};
    };

    // Memory that is no longer in use may be given back by the page.
    static constexpr bool has_pages = true;

    // The side of a store-load pair that is taken often; its partner is heavy_fence().
    static void light_fence() { machine::light_fence(); }
    static void heavy_fence() { machine::heavy_fence(); }
    static void full_fence() { machine::full_fence(); }
    // Keeps accesses in order for a signal handler of the same thread.
    static void signal_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

    // In a loop that waits for another thread's next step.
    using spin_wait = machine::spin_wait;
    // The end of an object that others may still know the address of.
    template <class T>
    static void dispose(T* object) {
        delete object;
    }

    // What only the counting twin does.
    template <class Event>
    static void count(Event, unsigned long) {}
};

}  // namespace bough::machine
