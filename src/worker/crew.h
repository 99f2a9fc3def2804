#pragma once
// The worker threads of the process, and which arenas get them. Everything here is the slow path: one mutex.
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
#include "worker/requests.h"

namespace bough {

// Read on the way to work, written under the crew's mutex.
struct crew_limits_type {
    std::atomic<unsigned> limit{1};   // threads that may be at work, application threads counted as one
    std::atomic<unsigned> active{0};  // workers that are neither parked nor blocked
    bough::requests requests;
    std::atomic<bool> dismissing{false};  // idle workers leave and end

    // The system has refused a thread, and all workers that exist are blocked. Then a thread that enqueues a task runs
    // it (entry/run_enqueued.h).
    std::atomic<bool> without_workers{false};
    std::atomic<bool> start_failed{false};  // the last thread that was asked for was not started
    std::atomic<unsigned> started{0};       // workers that exist
    // Abandoned slots (arena::abandon), in all arenas. While one waits for a worker, a worker that sleeps counts as
    // blocked.
    std::atomic<unsigned> abandoned_slots{0};

    // Application threads that sleep in their outermost wait. Under a limit of one thread a worker then stands in for
    // them. Each thread counts itself, without the mutex.
    std::atomic<unsigned> sleeping{0};

    unsigned stand_ins() const {
        return limit.load(std::memory_order_relaxed) == 1 && sleeping.load(std::memory_order_relaxed) != 0
                   ? 1
                   : 0;
    }
    unsigned workers_allowed(unsigned with) const { return limit.load(std::memory_order_relaxed) - 1 + with; }
    unsigned workers_allowed() const { return workers_allowed(stand_ins()); }
    // The limit allows workers, and the system did not refuse the last one, as far as this thread knows.
    bool can_have_workers() const {
        return limit.load(std::memory_order_relaxed) > 1 && !start_failed.load(std::memory_order_relaxed);
    }
    // An idle worker should leave its arena.
    bool has_excess() const { return has_more_than(workers_allowed()); }
    bool has_more_than(unsigned allowed) const { return active.load(std::memory_order_relaxed) > allowed; }
    // Does an arena other than `a`, the asking worker's, wait for a worker?
    bool is_requested_elsewhere(const arena& a) const { return requests.highest_but(&a) != 0; }
    // Does one of higher priority?
    bool is_requested_higher(const arena& a) const { return requests.highest() > rank(a); }
    static requests::waiting waiting(const arena& a) { return {&a, rank(a)}; }
    static int rank(const arena& a) { return 1 + static_cast<int>(a.priority); }
};
inline crew_limits_type crew_limits;

// A refused start costs some 10 us. So the crew starts no thread so soon after one.
constexpr unsigned rest_after_refusal_ns = 100'000'000;

class crew {
public:
    // Asks for workers for an arena, up to the limits. The crew remembers a request that it cannot serve at once. It
    // wakes or starts one thread, which wakes the next two. If the system refuses a thread, bough prints one line,
    // once, and continues without it; later requests try again.
    void request(arena& a, std::size_t count);

    // Lists a new arena, which has its maker's reference. Throws std::bad_alloc.
    void adopt(arena& a);
    // Adds a reference.
    void keep(arena& a);
    // The same for a handle of the application's. Threads can come back by it, so the limits hold there again.
    void keep_handle(arena& a);
    // Gives up a reference; the last one destroys the arena, once nothing is left to do in it.
    void release(arena& a);
    // For a thread that stands in for workers that cannot be had. Returns an arena that has a request and in which
    // something is enqueued, with a reference; once for each request, which stands. Null if there is none.
    arena* take_over_enqueued();

    // Ends all workers and waits until they have ended; the next request starts new ones. False: a worker was at work
    // for 1 s more, or had not ended after 10 s, or another thread dismisses them now. The calling thread is inside
    // nothing.
    bool dismiss();

    // Lives while the worker that serves in the slot `its` sleeps over suspended stacks, which it cannot leave, for a
    // slot elsewhere, or while an abandoned slot waits for a worker: a replacement worker may come. `is_called`: the
    // worker goes on when something is published in its arena or its slot is called (slot_fibers::is_called), and for
    // nothing else.
    class blocked_worker {
    public:
        blocked_worker(slot& its, bool is_called);
        ~blocked_worker();
        blocked_worker(const blocked_worker&) = delete;
        blocked_worker& operator=(const blocked_worker&) = delete;

    private:
        arena* const counted_in_;  // null: the worker is leaving, and no longer counts as inside
        const bool is_called_;
    };

    // Lives while an application thread sleeps in its outermost wait: under a limit of one thread a worker stands in
    // for the thread.
    class stand_in {
    public:
        explicit stand_in(slot& s);
        ~stand_in();
        stand_in(const stand_in&) = delete;
        stand_in& operator=(const stand_in&) = delete;

        // Would a stand-in come now, if this thread slept?
        static bool is_due(slot& s) {
            return is_outermost_wait(s) && crew_limits.limit.load(std::memory_order_relaxed) == 1;
        }

    private:
        static bool is_outermost_wait(slot& s) {
            return !served_slot(&s) && s.nesting == 0 && s.isolation == s.home.tag;
        }

        const bool counts_;
    };

    // A thread calls this before it sleeps, in an arena or for a slot. Returns how long it may sleep, in ns: for ever,
    // unless the system has refused a thread. Then each sleeper asks for one now and then, as all threads that wait for
    // it may be asleep.
    std::uint64_t ask_before_sleep();
    // All threads that sleep in an arena or for a slot look again.
    void wake_sleepers();
    // Asked in the parking lot's list, by a thread that is about to sleep for most_ns: was a thread refused since
    // ask_before_sleep()?
    static bool should_have_asked(std::uint64_t most_ns) {
        // relaxed: after the parking lot's fence; pairs with note_failed_start().
        return most_ns == parking_lot::forever && crew_limits.start_failed.load(std::memory_order_relaxed);
    }

    // Around fork(). While the process is copied, no thread is in the middle of a change here. In the child there are
    // no workers, and the thread sits in `innermost` and in the slots from which it came there.
    void lock_for_process_fork();
    void unlock_in_parent();
    void begin_in_child(slot* innermost);
    // Calls a worker that is due. True: no worker is at work or on its way, as far as other threads can tell. *started:
    // how many workers exist.
    bool is_at_rest(unsigned* started);

    // For a report: what the crew keeps under the mutex.
    struct kept {
        const std::vector<arena*>& arenas;  // they exist as long as look() runs
        std::size_t parked;
        unsigned blocked;
        bool is_refused;  // the last thread that was asked for was not started
    };
    // Calls look(kept), which must not wait. False: this thread could not get the mutex for some ms.
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
    // In bytes, of the workers that are started and the stacks that are made from now on.
    std::size_t stack_size();

private:
    friend crew& process_crew();
    explicit crew(unsigned limit) { crew_limits.limit.store(limit, std::memory_order_relaxed); }

    struct worker {
        unsigned number;
        std::size_t stack_size;
        unsigned cpu = 0;  // on which it parked, by the system's number
        std::atomic<std::uint32_t> wake{0};
        arena* assigned = nullptr;
        // Those that this one wakes before it does anything else, or null.
        std::array<worker*, 2> wakes{};
    };

    // What is left to do when the mutex is free again. wake() wakes the first of the workers that were given an arena,
    // which wakes the others: under the mutex they would only run into it. It starts the threads of the workers that
    // are counted as started already. It prints the first refusal of a thread: under the mutex, a thread that holds
    // stderr's lock may be waiting for the mutex.
    struct woken {
        worker* first = nullptr;
        std::array<worker*, 2> starts{};  // or null
        void wake() const;
    };
    // Who starts a thread. A worker does it outside of the mutex: some 20 us, for which others would wait. An
    // application thread does it under the mutex. If the system refuses the thread there may be no other one, and who
    // asks meanwhile has to see that (note_workers).
    enum class starter : std::uint8_t { any_thread, worker };

    static void* run(void* w);
    arena* next_arena(worker& w);
    void note_end();
    void spread();
    std::unique_lock<std::mutex> lock_soon();
    // Under the mutex.
    void wake_lonely_waits();
    bool are_workers_idle() const;
    bool is_a_blocked_one_called() const;
    arena* next_request();
    void list_request(arena& a, unsigned count);
    woken grant(unsigned most_started = 1, starter by = starter::any_thread);
    void bring_nearest_to(std::size_t last, const arena& a);
    worker* take_parked(std::size_t count);
    void forget_surplus();
    static void let_go_on(worker& w);
    static void wake(worker& w);
    void drop_request(arena& a);
    bool may_serve(const arena& a) const;
    bool is_at_work() const;
    void note_requests();
    bool start(arena& a, starter by, woken& later);
    void begin(worker& w);
    void note_start();
    void note_refusal(int error);
    void note_workers();
    void ask_again();
    void rouse_watchers();
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
    unsigned not_called_ = 0;        // of these: other threads cannot tell when they may go on
    bool knows_of_no_work_ = false;  // a child process, until its first look (is_at_rest)
    machine::ticks refused_at_ = 0;  // 0: the last thread that was asked for was started
    bool said_ = false;
    std::condition_variable ended_;
    std::size_t stack_size_ = 0;
};

crew& process_crew();
crew* crew_if_made() noexcept;  // or null

}  // namespace bough
