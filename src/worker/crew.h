#pragma once
// The worker threads of the process, and who gets them. Everything here is the slow path: one mutex.
// Never destroyed: workers sleep until the process ends.

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include "arena/arena.h"
#include "arena/own_slots.h"
#include "machine/clock.h"

namespace bough {

// Read on the way to work, written under the crew's mutex.
struct crew_limits_type {
    std::atomic<unsigned> limit{1};   // threads that may be at work, application threads counted as one
    std::atomic<unsigned> active{0};  // workers that are not parked
    // Rank of the first arena that waits for a worker, 0: none. Idle ones should go.
    std::atomic<int> highest_request{0};
    // The arena that waits for a worker, if it is the only one; else null.
    std::atomic<const arena*> only_request{nullptr};

    std::atomic<bool> dismissing{false};  // idle workers go, and end

    // There is none but those that are blocked, and the system has refused one: enqueued tasks are run by whoever
    // enqueues (entry/run_enqueued.h).
    std::atomic<bool> without_workers{false};
    std::atomic<bool> start_failed{false};  // the last thread that was asked for was not started
    std::atomic<unsigned> started{0};       // workers that exist
    // Abandoned slots (arena::abandon), anywhere: while one waits for a worker, those that sleep make
    // room.
    std::atomic<unsigned> abandoned_slots{0};

    // Application threads that sleep in a wait: under a limit of one thread a worker may run what nobody would. Written
    // by them, without the mutex.
    std::atomic<unsigned> sleeping{0};

    unsigned stand_ins() const {
        return limit.load(std::memory_order_relaxed) == 1 && sleeping.load(std::memory_order_relaxed) != 0
                   ? 1
                   : 0;
    }
    unsigned workers_allowed(unsigned with) const { return limit.load(std::memory_order_relaxed) - 1 + with; }
    unsigned workers_allowed() const { return workers_allowed(stand_ins()); }
    // As far as is known: the limit allows workers, and the system has refused none lately.
    bool can_have_workers() const {
        return limit.load(std::memory_order_relaxed) > 1 && !start_failed.load(std::memory_order_relaxed);
    }
    // One worker that is idle should leave its arena.
    bool has_excess() const { return has_more_than(workers_allowed()); }
    bool has_more_than(unsigned allowed) const { return active.load(std::memory_order_relaxed) > allowed; }
    // Does an arena wait for a worker, other than the one that the asking thread is in? A worker that went for its own
    // arena's request would come back to where it was. Two relaxed loads: a hint, and asked again.
    bool is_requested_elsewhere(const arena& a) const {
        return highest_request.load(std::memory_order_relaxed) != 0 &&
               only_request.load(std::memory_order_relaxed) != &a;
    }
    static int rank(const arena& a) { return 1 + static_cast<int>(a.priority); }
};
inline crew_limits_type crew_limits;

// A refusal costs some 10 us: what is asked for so soon after one is not tried.
constexpr unsigned rest_after_refusal_ns = 100'000'000;

class crew {
public:
    // Workers for an arena, up to the limits. What cannot be had at once is remembered. Wakes or starts one thread;
    // that one wakes the next two. A thread that cannot be started is said once, and done without; later requests try
    // again.
    void request(arena& a, unsigned count);

    // A new arena, with its maker's reference. Throws std::bad_alloc.
    void adopt(arena& a);
    void keep(arena& a);
    // The same for a handle of the application's, by which threads can come back: the limits hold there again.
    void keep_handle(arena& a);
    // Gives up a reference; the last one destroys the arena, once nothing is left to do in it.
    void release(arena& a);
    // An arena in which something is enqueued and for which a worker was asked, with a reference; once for each
    // request, which stands. For a thread that stands in for workers that cannot be had. Null when there is none.
    arena* take_over_enqueued();

    // Ends all workers and waits for it; the next request starts new ones. False: some were at work for 1 s more, or
    // had not ended after 10 s, or somebody else is doing so. The calling thread is inside nothing.
    bool dismiss();

    // While a worker, which serves in the slot `its`, sleeps over suspended stacks, which it cannot leave, or for a
    // slot elsewhere, another one may take its place. `is_called`: it goes on when something is published in its arena
    // or its slot is called (slot_fibers::is_called), and for nothing else.
    class blocked_worker {
    public:
        blocked_worker(slot& its, bool is_called);
        ~blocked_worker();
        blocked_worker(const blocked_worker&) = delete;
        blocked_worker& operator=(const blocked_worker&) = delete;

    private:
        arena* const counted_in_;  // null: it is leaving, and counts as inside no more
        const bool is_called_;
    };

    // An application thread sleeps, inside nothing else: under a limit of one thread a worker stands in for it.
    class stand_in {
    public:
        explicit stand_in(slot& s);
        ~stand_in();
        stand_in(const stand_in&) = delete;
        stand_in& operator=(const stand_in&) = delete;

        // Would one come now, if this thread slept?
        static bool is_due(slot& s) {
            return is_outermost_wait(s) && crew_limits.limit.load(std::memory_order_relaxed) == 1;
        }

    private:
        static bool is_outermost_wait(slot& s) {
            return !served_slot(&s) && s.nesting == 0 && s.isolation == s.home.tag;
        }

        const bool counts_;
    };

    // Before a thread sleeps, in an arena or for a slot; how long it may, in ns. For ever, unless the system has
    // refused a thread: then each asks again now and then, as all that wait for one may be asleep.
    std::uint64_t ask_before_sleep();
    // Everybody who sleeps in an arena or for a slot looks again.
    void wake_sleepers();
    // In the list of sleepers, for so long: has one been refused since?
    static bool should_have_asked(std::uint64_t most_ns) {
        // relaxed: after the parking lot's fence; pairs with note_failed_start().
        return most_ns == parking_lot::forever && crew_limits.start_failed.load(std::memory_order_relaxed);
    }

    // Around fork(): nobody is in the middle of anything here. In the child there are no workers, and the thread sits
    // in `innermost` and in what it visits from there.
    void lock_for_process_fork();
    void unlock_in_parent();
    void begin_in_child(slot* innermost);
    // No worker is at work or on its way, as far as others can tell, once those are called that are due. Threads that
    // were started, in *started.
    bool is_at_rest(unsigned* started);

    // For a report: what is kept under the mutex.
    struct kept {
        const std::vector<arena*>& arenas;  // they stay as long as this is looked at
        std::size_t parked;
        unsigned blocked;
        bool is_refused;  // the last thread that was asked for was not started
    };
    // look(kept), which must not wait. False: the mutex was not to be had for some ms.
    template <class Look>
    bool try_look(Look&& look) {
        if (!try_lock_for_a_while())
            return false;
        const std::lock_guard held(mutex_, std::adopt_lock);
        look(kept{arenas_, parked_.size(), blocked_, refused_at_ != 0});
        return true;
    }

    void set_limit(unsigned threads);
    void set_stack_size(std::size_t bytes);
    // In bytes, of the workers and the stacks that are made from now on.
    std::size_t stack_size();

private:
    friend crew& process_crew();
    explicit crew(unsigned limit) { crew_limits.limit.store(limit, std::memory_order_relaxed); }

    struct worker {
        unsigned number;
        std::atomic<std::uint32_t> wake{0};
        arena* assigned = nullptr;
    };

    // What is left to do when the mutex is free again. Workers that were given an arena are woken: they would only run
    // into it. The first refusal of a thread is said: a thread that holds stderr's lock may be waiting for the mutex.
    struct woken {
        std::array<worker*, 2> workers{};
        void wake() const;
    };

    static void* run(void* w);
    arena* next_arena(worker& w);
    void note_end();
    void spread();
    // Under the mutex.
    void wake_lonely_waits();
    bool are_workers_idle() const;
    bool is_a_blocked_one_called() const;
    arena* next_request();
    void list_request(arena& a, unsigned count);
    woken grant(unsigned count);
    void drop_request(arena& a);
    bool may_serve(const arena& a) const;
    bool is_at_work() const;
    void note_requests();
    bool start(arena& a);
    void note_refusal(int error);
    void note_workers();
    void ask_again();
    void drop_idle_requests();
    bool is_refused() const;
    void note_failed_start();
    void wake_all_places();
    bool try_lock_for_a_while();

    std::mutex mutex_;
    std::vector<arena*> arenas_;
    std::vector<worker*> parked_;
    arena* first_request_ = nullptr;
    unsigned blocked_ = 0;
    unsigned not_called_ = 0;        // of these: what they wait for only they can tell
    bool knows_of_no_work_ = false;  // a child process, until its first wait
    machine::ticks refused_at_ = 0;  // 0: the last thread that was asked for was started
    bool said_ = false;
    std::condition_variable ended_;
    std::size_t stack_size_ = 0;
};

crew& process_crew();
crew* crew_if_made() noexcept;  // or null

}  // namespace bough
