#pragma once
// A lock that one thread, its owner, takes again and again, and other threads hardly ever. The owner takes it without a
// locked instruction. Another thread takes it with a heavy fence.
//
//   owner                                    another thread, one at a time
//   1  inside = true                         1  others = true
//   2  light fence                           2  heavy fence
//   3  others? then inside = false,          3  wait while inside
//      wait while others, and begin again
//
// Of the two fences one comes first. Either the owner sees `others` and steps back, or the other thread sees `inside`
// and waits. So the two are never past step 3 at the same time. They never wait for each other: the owner waits with
// `inside` false. In step 3 each thread reads the false that the other side stored when it left the lock. So everything
// that the other side did under the lock happens before what this thread does next.
//
// Another thread may become the owner later, if its first call happens after the last call of the owner before. Without
// an owner the lock is an ordinary lock. The lock is not recursive. But the owner may take it as another thread does,
// while it is not inside.

#include <atomic>

namespace bough::detail {

template <class Atomics>
class basic_owner_lock {
public:
    void lock_as_owner() noexcept {
        // relaxed: the fence keeps this store before the load.
        inside_.store(true, std::memory_order_relaxed);
        Atomics::light_fence();
        // acquire: pairs with unlock_as_other().
        while (others_.load(std::memory_order_acquire)) [[unlikely]] {
            step_back();
            inside_.store(true, std::memory_order_relaxed);
            Atomics::light_fence();
        }
    }
    // The same without a call. False: the caller must call lock_as_owner(), which goes on from here.
    bool try_lock_as_owner() noexcept {
        inside_.store(true, std::memory_order_relaxed);
        return Atomics::try_light_fence() && !others_.load(std::memory_order_acquire);
    }
    // release: pairs with await_owner().
    void unlock_as_owner() noexcept { inside_.store(false, std::memory_order_release); }

    // Another thread takes the lock in two parts, with Atomics::heavy_fence() in between. One fence serves many locks.
    void announce_other() noexcept {
        // acquire: pairs with unlock_as_other().
        while (others_.exchange(true, std::memory_order_acquire))
            await_others();
    }
    void await_owner() noexcept {
        // acquire: pairs with unlock_as_owner().
        typename Atomics::spin_wait owner;
        while (inside_.load(std::memory_order_acquire))
            owner.pause();
    }
    // release: pairs with lock_as_owner() and announce_other().
    void unlock_as_other() noexcept { others_.store(false, std::memory_order_release); }

    void lock_as_other() noexcept {
        announce_other();
        Atomics::heavy_fence();
        await_owner();
    }

    // For the only thread of a child process. At the process fork the owner may have been about to take the lock, and
    // the child process does not have that thread.
    void begin_anew() noexcept {
        inside_.store(false, std::memory_order_relaxed);
        others_.store(false, std::memory_order_relaxed);
    }

private:
    void step_back() noexcept {
        // release: pairs with await_owner(); what the owner did under the lock before is visible.
        inside_.store(false, std::memory_order_release);
        await_others();
    }
    void await_others() const noexcept {
        typename Atomics::spin_wait others;
        while (others_.load(std::memory_order_relaxed))
            others.pause();
    }

    typename Atomics::template atomic<bool> inside_{false};
    typename Atomics::template atomic<bool> others_{false};
};

}  // namespace bough::detail
