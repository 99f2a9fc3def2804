// tbb::queuing_rw_mutex: a fair reader-writer lock; waiters queue up and each spins on a byte of its own. Any thread; a
// scoped_lock belongs to one thread. QUEUING_RW_MUTEX.md has the protocol, the proof and the memory orders.
// Invariant, while nobody holds the queue: the list from its head to its tail is a run of active entries (one writer,
// or readers of which at most one is upgrading), then waiting ones.

#include <bough/detail/spin_wait.h>

#include <oneapi/tbb/detail/_utils.h>
#include <oneapi/tbb/queuing_rw_mutex.h>

namespace tbb::detail::r1 {

struct queuing_rw_mutex_impl {
    using mutex = d1::queuing_rw_mutex;
    using node = mutex::scoped_lock;

    enum state : unsigned char {
        waiting_reader,
        waiting_writer,
        active_reader,
        upgrading_reader,  // holds the lock as a reader, waits for the other readers to go
        active_writer
    };

    // Two bits of the tail word; programs only ask it whether it is null.
    static constexpr std::uintptr_t held = 1;             // a thread holds the queue
    static constexpr std::uintptr_t upgrade_pending = 2;  // one of the active readers is upgrading
    static_assert(alignof(node) > (held | upgrade_pending) && sizeof(node) == 4 * sizeof(void*));
    static_assert(sizeof(mutex) == sizeof(void*));

    // The exclusive right to the links and states of all entries, for a few instructions. Nothing waits inside.
    class queue {
    public:
        explicit queue(mutex& m) : word_(m.q_tail) {
            bough::machine::spin_wait holder;
            for (;; holder.pause()) {
                node* seen = word_.load(std::memory_order_relaxed);
                // acquire: pairs with ~queue and with the fast paths' releases; acq_rel keeps the orders of all alike.
                if (!(bits(seen) & held) &&
                    word_.compare_exchange_strong(seen, pointer(bits(seen) | held), std::memory_order_acq_rel,
                                                  std::memory_order_relaxed)) {
                    tail = pointer(bits(seen) & ~upgrade_pending);
                    has_upgrade = (bits(seen) & upgrade_pending) != 0;
                    return;
                }
            }
        }
        ~queue() {
            // release: pairs with the next holder's acquire. The last touch of the mutex: entries that were activated
            // cannot leave before it.
            word_.store(pointer(bits(tail) | (has_upgrade ? upgrade_pending : 0)), std::memory_order_release);
        }
        queue(const queue&) = delete;
        queue& operator=(const queue&) = delete;

        node* tail;
        bool has_upgrade;

    private:
        std::atomic<node*>& word_;
    };

    // ---- fields; relaxed: they are guarded by the queue, or not yet visible to others ----

    static std::uintptr_t bits(node* n) { return reinterpret_cast<std::uintptr_t>(n); }
    static node* pointer(std::uintptr_t bits) { return reinterpret_cast<node*>(bits); }

    static node* before(const node& n) { return pointer(n.my_prev.load(std::memory_order_relaxed)); }
    static node* after(const node& n) { return pointer(n.my_next.load(std::memory_order_relaxed)); }
    static void set_before(node& n, node* p) { n.my_prev.store(bits(p), std::memory_order_relaxed); }
    static void set_after(node& n, node* p) { n.my_next.store(bits(p), std::memory_order_relaxed); }
    static state state_of(const node& n) {
        return static_cast<state>(n.my_state.load(std::memory_order_relaxed));
    }
    static void set_state(node& n, state s) { n.my_state.store(s, std::memory_order_relaxed); }
    static bool is_active(const node* n) { return n && state_of(*n) >= active_reader; }

    // ---- transitions, by the thread that holds the queue ----

    static void activate(node& n, state s) {
        set_state(n, s);
        // release: pairs with wait(); the entry may go as soon as the queue is free.
        n.my_going.store(1, std::memory_order_release);
    }

    static void admit_readers(node* first) {
        for (node* n = first; n && state_of(*n) == waiting_reader; n = after(*n))
            activate(*n, active_reader);
    }

    // The entries in front of `first` have gone.
    static void admit(node* first) {
        if (first && state_of(*first) == waiting_writer)
            activate(*first, active_writer);
        else
            admit_readers(first);
    }

    static bool is_only_active(const node& n) { return !before(n) && !is_active(after(n)); }

    static void unlink(queue& q, node& n) {
        node* const p = before(n);
        node* const s = after(n);
        if (p)
            set_after(*p, s);
        if (s)
            set_before(*s, p);
        else
            q.tail = p;
    }

    static void leave(queue& q, node& n) {
        node* const p = before(n);
        node* const s = after(n);
        unlink(q, n);
        if (!q.has_upgrade) {
            if (!p)
                admit(s);
            return;
        }
        // The upgrading reader goes on when it is alone; then it is the neighbour.
        node* const neighbour = p ? p : s;
        if (state_of(*neighbour) == upgrading_reader && is_only_active(*neighbour)) {
            q.has_upgrade = false;
            activate(*neighbour, active_writer);
        }
    }

    static void append(queue& q, node& n, state s) {
        set_state(n, s);
        set_before(n, q.tail);
        if (q.tail)
            set_after(*q.tail, &n);
        q.tail = &n;
    }

    // ---- what a thread does with its own entry ----

    static void prepare(mutex& m, node& n, bool write) {
        n.my_mutex = &m;
        set_before(n, nullptr);
        set_after(n, nullptr);
        n.my_going.store(0, std::memory_order_relaxed);
        set_state(n, write ? active_writer : active_reader);
    }

    // acquire: pairs with the last holder's release; release: the entry's fields are visible to those who queue up.
    static bool take_if_free(mutex& m, node& n) {
        node* nobody = nullptr;
        return m.q_tail.compare_exchange_strong(nobody, &n, std::memory_order_acq_rel,
                                                std::memory_order_relaxed);
    }

    // As a reader to readers, or into an empty queue.
    static bool may_join(const queue& q, bool write) {
        return !q.tail || (!write && !q.has_upgrade && state_of(*q.tail) == active_reader);
    }

    static void wait(node& n) {
        // acquire: pairs with activate(); all that was done under the lock before is visible.
        spin_wait_until_eq(n.my_going, static_cast<unsigned char>(1), std::memory_order_acquire);
    }

    static void acquire(mutex& m, node& n, bool write) {
        prepare(m, n, write);
        if (take_if_free(m, n))
            return;
        {
            queue q(m);
            if (may_join(q, write))
                return append(q, n, write ? active_writer : active_reader);
            append(q, n, write ? waiting_writer : waiting_reader);
        }
        wait(n);
    }

    static bool try_acquire(mutex& m, node& n, bool write) {
        prepare(m, n, write);
        if (take_if_free(m, n))
            return true;
        // relaxed: a hint that spares the queue; a writer that others stand before fails.
        if (!write || !m.q_tail.load(std::memory_order_relaxed)) {
            queue q(m);
            if (may_join(q, write)) {
                append(q, n, write ? active_writer : active_reader);
                return true;
            }
        }
        n.my_mutex = nullptr;
        return false;
    }

    static void release(node& n) {
        mutex& m = *n.my_mutex;
        n.my_mutex = nullptr;
        // relaxed: only this thread can make it non-null, so null means that nobody stands before.
        if (!before(n)) {
            node* mine = &n;
            // release: pairs with the next one's acquire. acq_rel, for what earlier readers have released.
            if (m.q_tail.compare_exchange_strong(mine, nullptr, std::memory_order_acq_rel,
                                                 std::memory_order_relaxed))
                return;
        }
        queue q(m);
        leave(q, n);
    }

    static bool upgrade(node& n) {
        if (is_writer(n))
            return true;
        mutex& m = *n.my_mutex;
        switch (begin_upgrade(m, n)) {
        case upgrade_step::done:
            return true;
        case upgrade_step::must_wait:
            wait(n);
            return true;
        case upgrade_step::has_left:
            break;
        }
        acquire(m, n, true);
        return false;
    }

    enum class upgrade_step { done, must_wait, has_left };

    static upgrade_step begin_upgrade(mutex& m, node& n) {
        queue q(m);
        if (q.has_upgrade) {  // two that wait for each other to leave would wait for ever
            leave(q, n);
            return upgrade_step::has_left;
        }
        if (is_only_active(n)) {
            set_state(n, active_writer);
            return upgrade_step::done;
        }
        n.my_going.store(0, std::memory_order_relaxed);
        set_state(n, upgrading_reader);
        q.has_upgrade = true;
        return upgrade_step::must_wait;
    }

    static void downgrade(node& n) {
        if (!is_writer(n))
            return;
        const queue q(*n.my_mutex);
        set_state(n, active_reader);
        admit_readers(after(n));
    }

    // relaxed: for the entry's own thread, which has seen what made it active.
    static bool is_writer(const node& n) { return state_of(n) == active_writer; }
};

void acquire(d1::queuing_rw_mutex& m, d1::queuing_rw_mutex::scoped_lock& s, bool write) {
    queuing_rw_mutex_impl::acquire(m, s, write);
}

bool try_acquire(d1::queuing_rw_mutex& m, d1::queuing_rw_mutex::scoped_lock& s, bool write) {
    return queuing_rw_mutex_impl::try_acquire(m, s, write);
}

void release(d1::queuing_rw_mutex::scoped_lock& s) {
    queuing_rw_mutex_impl::release(s);
}

bool upgrade_to_writer(d1::queuing_rw_mutex::scoped_lock& s) {
    return queuing_rw_mutex_impl::upgrade(s);
}

bool downgrade_to_reader(d1::queuing_rw_mutex::scoped_lock& s) {
    queuing_rw_mutex_impl::downgrade(s);
    return true;
}

bool is_writer(const d1::queuing_rw_mutex::scoped_lock& s) {
    return queuing_rw_mutex_impl::is_writer(s);
}

// Older headers call it to name the mutex to tracing tools; the newest no longer declare it.
TBB_EXPORT void construct(d1::queuing_rw_mutex&);
void construct(d1::queuing_rw_mutex&) {}

}  // namespace tbb::detail::r1
