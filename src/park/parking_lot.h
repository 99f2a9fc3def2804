#pragma once
// Where threads sleep that wait for something other than work: callers that wait in an arena, and users' threads that
// wait for an address (entry/parking.cpp). A waker finds sleepers by the key they wait for, or the place they sit in.
// Keys are compared, never dereferenced: a waker may name an object that is gone.
// A sleeper pays for a mutex (a futex call follows anyway). A waker that finds no sleeper pays one load.
// README.md has the argument, scenarios.md the wakers.

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>

#include "bough/config.h"
#include "park/atomics.h"
#include "stats/counters.h"

namespace bough {

template <class Atomics>
class basic_parking_lot {
public:
    static constexpr std::uint64_t forever = ~std::uint64_t{0};

    // Enters the list, then asks ready(), once: is there nothing to wait for? If there is, sleeps until woken, but at
    // most most_ns. ready() may throw. May return early, so callers loop.
    template <class Ready>
    void sleep(const void* key, const void* place, Ready&& ready, std::uintptr_t context = 0,
               std::uint64_t most_ns = forever) {
        stay here(*this, key, place, context);
        if (!ready())
            here.wait(most_ns);
    }

    // Before it wakes, this thread must have changed what ready() looks at, by a seq_cst operation: see README.md.
    void wake_all(const void* key) {
        wake_if(bucket_of(key), everybody, [key](const sleeper& s) { return s.key == key; });
    }
    // Wakes the thread that has slept longest.
    void wake_one(const void* key) {
        wake_if(bucket_of(key), 1, [key](const sleeper& s) { return s.key == key; });
    }
    // Wakes those for whose context matches(context, value) holds.
    using match = bool (*)(std::uintptr_t context, std::uintptr_t value);
    void wake_matching(const void* key, match matches, std::uintptr_t value) {
        wake_if(bucket_of(key), everybody,
                [=](const sleeper& s) { return s.key == key && matches(s.context, value); });
    }
    // Wakes all that sleep in the place, whatever their key.
    void wake_at(const void* place) {
        for (bucket& b : buckets_)
            wake_if(b, everybody, [place](const sleeper& s) { return s.place == place; });
    }
    // Wakes those of them that have this context.
    void wake_at(const void* place, std::uintptr_t context) {
        for (bucket& b : buckets_)
            wake_if(b, everybody, [=](const sleeper& s) { return s.place == place && s.context == context; });
    }
    // Calls see(key, place, context) for every sleeper; see() must not wait. Passes over lists that are locked now, and
    // returns false then.
    template <class See>
    bool try_each(See&& see) {
        bool all = true;
        for (bucket& b : buckets_) {
            const std::unique_lock lock(b.guard, std::try_to_lock);
            all = all && lock.owns_lock();
            for (const sleeper* s = lock.owns_lock() ? b.first : nullptr; s; s = s->next)
                see(s->key, s->place, s->context);
        }
        return all;
    }
    // In a child process: no thread sleeps.
    void begin_in_child() { new (this) basic_parking_lot; }

private:
    using flag = typename Atomics::template atomic<std::uint32_t>;
    using mutex = typename Atomics::mutex;
    static constexpr std::size_t everybody = static_cast<std::size_t>(-1);

    // Fields without a comment are guarded by the bucket's mutex.
    struct sleeper {
        const void* key;  // constant, as are place and context
        const void* place;
        std::uintptr_t context;
        flag woken{0};  // a waker touches this last
        bool listed = false;
        sleeper* next = nullptr;  // once a waker has taken the sleeper off the list: that waker's own
        sleeper* previous = nullptr;
    };

    struct alignas(cache_line) bucket {
        flag asleep{0};  // length of the list
        mutex guard;
        sleeper* first = nullptr;
        sleeper* last = nullptr;

        void append(sleeper& s) {
            s.previous = last;
            (last ? last->next : first) = &s;
            last = &s;
            s.listed = true;
        }
        void unlink(sleeper& s) {
            (s.previous ? s.previous->next : first) = s.next;
            (s.next ? s.next->previous : last) = s.previous;
            s.next = nullptr;
            s.listed = false;
            // relaxed: a waker that reads too high a count searches the list in vain.
            asleep.fetch_sub(1, std::memory_order_relaxed);
        }
    };

    // While it lives the thread stands in the list, or a waker has taken it off.
    class stay {
    public:
        stay(basic_parking_lot& l, const void* key, const void* place, std::uintptr_t context)
            : bucket_(l.bucket_of(key)), me_{key, place, context} {
            {
                const std::lock_guard lock(bucket_.guard);
                // Under the mutex: a waker that reads it finds this thread in the list. relaxed: the fence below orders
                // this side.
                bucket_.asleep.fetch_add(1, std::memory_order_relaxed);
                bucket_.append(me_);
            }
            // The sleeper's half of the store-load pair with wake_if(). A fence, because ready() comes next, and its
            // loads may have any order (relaxed in oneTBB's headers).
            Atomics::full_fence();
        }
        ~stay() {
            // acquire: pairs with the release in wake_listed; the waker is done with this object.
            if (me_.woken.load(std::memory_order_acquire))
                return;
            {
                const std::lock_guard lock(bucket_.guard);
                if (me_.listed) {
                    bucket_.unlink(me_);
                    return;
                }
            }
            wait_for_waker();  // the waker has just taken this object off the list, and will touch it once more
        }
        stay(const stay&) = delete;
        stay& operator=(const stay&) = delete;

        void wait(std::uint64_t most_ns) {
            count(event::parked);
            if (most_ns == forever)
                wait_for_waker();
            else if (!me_.woken.load(std::memory_order_relaxed))  // the destructor acquires
                Atomics::futex_wait_for(me_.woken, 0, most_ns);
        }

    private:
        void wait_for_waker() {
            // acquire: pairs with the release in wake_listed.
            while (!me_.woken.load(std::memory_order_acquire))
                Atomics::futex_wait(me_.woken, 0);
        }

        bucket& bucket_;
        sleeper me_;
    };

    bucket& bucket_of(const void* key) {
        // Fibonacci hashing: the product's upper bits depend on all bits of the address.
        const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(key) * std::uint64_t{0x9e3779b97f4a7c15};
        return buckets_[mixed >> 32 >>
                        (32 - Atomics::parking_lot_bits)];  // in two steps: there may be one list only
    }

    template <class Which>
    void wake_if(bucket& b, std::size_t most, Which is_meant) {
        // seq_cst: the waker's half of the store-load pair with the fence in stay::stay.
        if (b.asleep.load(std::memory_order_seq_cst) != 0) [[unlikely]]
            wake_listed(b, most, is_meant);
    }

    template <class Which>
    BOUGH_NOINLINE void wake_listed(bucket& b, std::size_t most, Which is_meant);

    bucket buckets_[std::size_t{1} << Atomics::parking_lot_bits];
};

template <class Atomics>
template <class Which>
void basic_parking_lot<Atomics>::wake_listed(bucket& b, std::size_t most, Which is_meant) {
    sleeper* taken = nullptr;
    sleeper** end = &taken;
    {
        const std::lock_guard lock(b.guard);
        for (sleeper* s = b.first; s && most != 0;) {
            sleeper* const next = s->next;
            if (is_meant(*s)) {
                b.unlink(*s);
                *end = s;
                end = &s->next;
                --most;
            }
            s = next;
        }
    }
    while (taken) {  // outside of the mutex: a thread that wakes may want it at once
        sleeper* const s = std::exchange(taken, taken->next);
        const flag* const word = &s->woken;
        // release: pairs with the acquires in ~stay and stay::wait_for_waker. The sleeper may be gone right after: only
        // its address is used below.
        s->woken.store(1, std::memory_order_release);
        Atomics::futex_wake(word, 1);
        count(event::woken);
    }
}

using parking_lot = basic_parking_lot<parking_atomics>;

// The parking lot of this process; never destroyed, since workers may outlive static objects.
extern constinit parking_lot the_parking_lot;
inline parking_lot& process_parking_lot() {
    return the_parking_lot;
}

}  // namespace bough
