#pragma once
// A lock that one thread takes again and again, its owner, and the others hardly ever: the owner takes it without a
// locked instruction, the others with a heavy fence.
//
//   owner                                    another, while no third one does
//   1  inside = true                         1  others = true
//   2  light fence                           2  heavy fence
//   3  others? then inside = false,          3  wait while inside
//      wait while others, and begin again
//
// Of the two fences one comes first: either the owner sees `others` and steps back, or the other one sees `inside` and
// waits. So both are never past step 3 at once. Nobody waits for somebody who waits for him: the owner waits with
// `inside` false. Each reads false in its step 3 from the store with which the side before it ended, so all that was
// done under the lock happens before what is done next.
//
// The owner may be another thread later, if that is told by an edge that happens-before knows. Without an owner the
// lock is an ordinary one. Not recursive: the owner may take it as another, though, while it is not inside.

#include <atomic>

namespace bough::detail {

template <class Atomics>
class basic_owner_lock {
public:
    void lock_as_owner() noexcept {
        // relaxed: the fence keeps it before the load.
        inside_.store(true, std::memory_order_relaxed);
        Atomics::light_fence();
        // acquire: pairs with unlock_as_other().
        while (others_.load(std::memory_order_acquire)) [[unlikely]] {
            step_back();
            inside_.store(true, std::memory_order_relaxed);
            Atomics::light_fence();
        }
    }
    // The same without a call; false: lock_as_owner() goes on from here.
    bool try_lock_as_owner() noexcept {
        inside_.store(true, std::memory_order_relaxed);
        return Atomics::try_light_fence() && !others_.load(std::memory_order_acquire);
    }
    // release: pairs with await_owner().
    void unlock_as_owner() noexcept { inside_.store(false, std::memory_order_release); }

    // As another. In two parts, with Atomics::heavy_fence() in between: one fence does for many locks.
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

    // In a child of fork(), by the one thread that there is: the owner may have been on its way in, and be gone.
    void begin_anew() noexcept {
        inside_.store(false, std::memory_order_relaxed);
        others_.store(false, std::memory_order_relaxed);
    }

private:
    void step_back() noexcept {
        // release: whoever reads it knows what the owner did under the lock before.
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
