#pragma once
// The list of contexts that a thread has bound: contexts.cpp says what it is for.

#include <bough/config.h>
#include <bough/detail/asymmetric_fence.h>
#include <bough/detail/owner_lock.h>
#include <bough/detail/spin_wait.h>

#include <oneapi/tbb/task_group.h>

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <utility>

namespace tbb::detail::r1 {

struct list_atomics {
    template <class T>
    using atomic = std::atomic<T>;
    static void light_fence() noexcept { bough::machine::light_fence(); }
    static bool try_light_fence() noexcept { return bough::machine::try_light_fence(); }
    static void heavy_fence() noexcept { bough::machine::heavy_fence(); }
    using spin_wait = bough::machine::spin_wait;
};

class alignas(64) context_list {
public:
    using node = d1::intrusive_list_node;

    // The calling thread's.
    static context_list& mine() noexcept { return mine_ ? *mine_ : take_over(); }

    // What f() returns, under the lock. f is small, and copied: so all of it stays in registers on the short way.
    template <class F>
    bool locked(F f) noexcept {
        return is_locked_quickly() ? unlocked_after(f) : locked_slowly(f);
    }
    // On the short way or not at all; false: f() said so, or locked_slowly(f) goes on from here.
    template <class F>
    bool locked_quickly(F f) noexcept {
        return is_locked_quickly() && unlocked_after(f);
    }
    template <class F>
    BOUGH_NOINLINE bool locked_slowly(F f) noexcept {
        const bool is_owner = this == mine_;
        if (is_forking_)
            return is_owner ? unlocked_after(f) : f();
        is_owner ? lock_.lock_as_owner() : lock_.lock_as_other();
        const bool result = f();
        is_owner ? lock_.unlock_as_owner() : lock_.unlock_as_other();
        return result;
    }

    void enter(node& n) noexcept {
        n.my_prev_node = nullptr;
        n.my_next_node = first_;
        if (first_)
            first_->my_prev_node = &n;
        first_ = &n;
    }
    void leave(const node& n) noexcept {
        node* const next = n.my_next_node;
        node* const previous = n.my_prev_node;
        if (next)
            next->my_prev_node = previous;
        if (previous)
            previous->my_next_node = next;
        else
            first_ = next;
    }

    // Is it so of each that is entered? Under the lock.
    template <class See>
    bool all_of(See&& see) {
        for (node* n = first_; n; n = n->my_next_node)
            if (!see(*n))
                return false;
        return true;
    }

    // Locks the tree of contexts, which guards who owns which list, too, and all lists. No other way leads to two
    // locks.
    static void lock_all() noexcept {
        if (is_forking_)
            return;
        tree_.lock();
        for (context_list* l = all_; l; l = l->next_)
            l->lock_.announce_other();
        list_atomics::heavy_fence();
        for (context_list* l = all_; l; l = l->next_)
            l->lock_.await_owner();
    }
    static void unlock_all() noexcept {
        if (is_forking_)
            return;
        for (context_list* l = all_; l; l = l->next_)
            l->lock_.unlock_as_other();
        tree_.unlock();
    }
    // The same for a thread that forks: until it calls one of the two below it has all locks, whatever handlers of
    // others do meanwhile.
    static void begin_fork() noexcept {
        lock_all();
        is_forking_ = true;
    }
    static void end_fork_in_parent() noexcept {
        is_forking_ = false;
        unlock_all();
    }
    // No other thread owns a list, or is about to lock one.
    static void end_fork_in_child() noexcept {
        is_forking_ = false;
        for (context_list* l = all_; l; l = l->next_) {
            l->lock_.begin_anew();
            l->is_owned_.store(l == mine_ || l == &without_owner_, std::memory_order_relaxed);
        }
        tree_.unlock();
    }

    // The rest is for who has all locks.

    // Calls see(node) for each that is entered.
    template <class See>
    static void each(See&& see) {
        for (context_list* l = all_; l; l = l->next_)
            for (node* n = l->first_; n; n = n->my_next_node)
                see(*n);
    }
    // So, and empties the lists.
    template <class See>
    static void empty(See&& see) {
        for (context_list* l = all_; l; l = l->next_)
            for (node* n = std::exchange(l->first_, nullptr); n;)
                see(*std::exchange(n, n->my_next_node));
    }

private:
    bool is_locked_quickly() noexcept { return this == mine_ && lock_.try_lock_as_owner(); }
    template <class F>
    bool unlocked_after(F& f) noexcept {
        const bool result = f();
        lock_.unlock_as_owner();
        return result;
    }

    static context_list& take_over() noexcept;
    static context_list* left_by_another() noexcept;
    static void add(context_list& l) noexcept;
    static void hand_back(void* list) noexcept;
    static std::unique_lock<std::mutex> locked_tree() {
        return is_forking_ ? std::unique_lock<std::mutex>() : std::unique_lock(tree_);
    }

    bough::detail::basic_owner_lock<list_atomics> lock_;
    node* first_ = nullptr;
    context_list* next_ = nullptr;
    std::atomic<bool> is_owned_{true};  // or nobody's for good

    static constinit std::mutex tree_;
    static constinit thread_local bool is_forking_;
    static constinit thread_local context_list* mine_;
    static pthread_key_t at_exit_;
    static const bool has_key_;
    static constinit context_list without_owner_;
    static constinit context_list* all_;
};

}  // namespace tbb::detail::r1
