#pragma once
// task_arena: a bounded set of slots for threads, with oneTBB's meanings.

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "config.h"
#include "detail/arena.h"
#include "detail/dispatch.h"
#include "detail/enqueue.h"
#include "exports/constraints.h"
#include "info.h"
#include "task_group.h"
#include "task_handle.h"

namespace bough {

// At most max_concurrency threads work in the arena at a time. reserved_for_masters of the slots are kept for threads
// that call execute. If no slot is left for workers, one worker still comes for enqueued functions, and for functions
// of threads that find no slot. All members but the constructor, initialize and terminate are thread-safe. The arena
// takes memory at its first use. initialize, or the first execute or enqueue, captures the floating-point settings
// (rounding, denormals) of the calling thread. Everything in the arena computes with these settings.
class task_arena {
public:
    static constexpr int automatic = -1;
    static constexpr int not_initialized =
        -2;  // this_task_arena::current_thread_index() outside of every arena

    // Of the arenas that want workers, those of highest priority get them. Workers leave other arenas for these,
    // between two pieces of work.
    using priority = detail::arena_priority;
    // What a thread may run while it waits here for a loop or a group of tasks.
    // any: everything that the arena has, as with oneTBB.
    // descendants: only what descends from that loop or group. So a body may wait while it holds a lock that other
    // bodies of its kind want. Threads then push and take tasks under a lock. Some work has no group to descend from:
    // tokens of pipelines, tasks of oneTBB's own classes, what runs under an isolated context. A thread that waits for
    // something else leaves such work to other threads. A thread that waits for such work takes anything, and so does a
    // thread whose task is suspended.
    // by_environment: as BOUGH_WAIT says, else any.
    using waiting = detail::arena_waiting;

    // The CPUs to which the threads in the arena are bound: info.h.
    using constraints = detail::arena_constraints;

    // The first use throws std::invalid_argument if max_concurrency is 0, below -1 or over 4096, or smaller than the
    // number of reserved slots.
    explicit task_arena(int max_concurrency = automatic, unsigned reserved_for_masters = 1,
                        priority p = priority::normal, waiting w = waiting::by_environment)
        : task_arena(constraints().set_max_concurrency(max_concurrency), reserved_for_masters, p, w) {}
    // All threads inside, also those that call execute, are bound to the CPUs that meet the constraints. Outside they
    // have the CPUs again that they had before. If max_concurrency is automatic, there are as many slots as such CPUs:
    // info::default_concurrency(c).
    explicit task_arena(const constraints& c, unsigned reserved_for_masters = 1,
                        priority p = priority::normal, waiting w = waiting::by_environment)
        : constraints_(c), reserved_(reserved_for_masters), priority_(p), waiting_(w) {}
    // Shares the arena that the calling thread is in. The arena lives as long as one of the objects that share it.
    // Outside of all arenas this is task_arena().
    struct attach {};
    explicit task_arena(attach) : task_arena() { share_arena_here(); }
    // Another arena with the same settings. If `other` shares its arena (attach), its CPUs are not copied.
    task_arena(const task_arena& other)
        : task_arena(other.constraints_, other.reserved_, other.priority_, other.waiting_) {}
    task_arena& operator=(const task_arena&) = delete;
    ~task_arena() { terminate(); }

    // Throws std::bad_alloc, and std::invalid_argument as the constructor says; then the arena is not initialized.
    void initialize() {
        if (native())
            return;
        detail::arena_settings settings;
        settings.max_concurrency = slots();
        settings.reserved = reserved_;
        settings.priority = priority_;
        settings.waiting = waiting_;
        settings.cpus = detail::cpus_to_bind_to(detail::cpus_under(constraints_));
        detail::arena* const made = detail::make_arena(settings);
        detail::arena* none = nullptr;
        // acq_rel: pairs with native(). No lock: if another thread held it at a process fork, the child process would
        // wait for ever.
        if (!arena_.compare_exchange_strong(none, made, std::memory_order_acq_rel))
            detail::drop_arena(made);  // another thread was first
    }
    // Initializes with other settings than the constructor's. Does nothing if the arena is initialized already.
    void initialize(int max_concurrency, unsigned reserved_for_masters = 1) {
        initialize(constraints(constraints_).set_max_concurrency(max_concurrency), reserved_for_masters);
    }
    void initialize(const constraints& c, unsigned reserved_for_masters = 1) {
        if (is_active())
            return;
        constraints_ = c;
        reserved_ = reserved_for_masters;
        initialize();
    }

    // Shares the calling thread's arena, as the constructor does. Outside of all arenas this is initialize(). Does
    // nothing if the arena is initialized already.
    void initialize(attach) {
        if (!is_active() && !share_arena_here())
            initialize();
    }

    // Gives the arena up. No thread may be in it, or in a call of one of its members.
    void terminate() {
        // acquire, as in native(): another thread may have made the arena.
        if (detail::arena* const a = arena_.exchange(nullptr, std::memory_order_acquire))
            detail::drop_arena(a);
    }

    bool is_active() const { return native() != nullptr; }

    // For the library; null before the arena is initialized. acquire: pairs with initialize().
    detail::arena* native() const { return arena_.load(std::memory_order_acquire); }

    // The number of slots, those for application threads included. An arena whose only slot is for application threads
    // has one more while a worker sits in its spare slot, or is due there. The first call in a process may throw
    // std::bad_alloc.
    int max_concurrency() const {
        const detail::arena* const a = native();
        return static_cast<int>(a ? detail::bound_of_slots(*a) : detail::planned_concurrency(slots()));
    }

    // Runs f() in the arena, with the arena's floating-point settings, and returns what f returns. Afterwards the
    // thread has its own settings again. A thread that is in the arena already calls f in its slot. If every slot is
    // taken, the thread waits until a slot is free, or until a thread in the arena, which is inside nothing else, has
    // run f. In f the thread counts as inside nothing else, and in no isolated region: waits in f take what is
    // enqueued. Throws what f throws. Before f is called, throws what initialize() throws, std::bad_alloc if there is
    // no memory for a slot, and nesting_too_deep in a thread that has a slot in another arena.
    template <class F>
    auto execute(F&& f) -> std::invoke_result_t<F> {
        initialize();
        using result = std::invoke_result_t<F>;
        if constexpr (std::is_void_v<result>) {
            enter(f);
        } else if constexpr (std::is_reference_v<result>) {
            std::remove_reference_t<result>* value = nullptr;
            auto call = [&] {
                auto&& r = std::forward<F>(f)();
                value = std::addressof(r);
            };
            enter(call);
            return static_cast<result>(*value);
        } else {
            std::optional<result> value;
            auto call = [&] { value.emplace(std::forward<F>(f)()); };
            enter(call);
            return std::move(*value);
        }
    }

    // Enqueues f and returns at once. A thread in the arena, which is inside nothing else there, runs f() once. One
    // worker comes for it even under a limit of one thread. Functions begin in the order in which they were enqueued. f
    // must not throw (std::terminate). f runs even if the arena is given up before. If there is no worker and the
    // system refuses to start one, the calling thread runs f before enqueue returns. Throws std::bad_alloc, what
    // initialize() throws, and what copying f throws; then f was not enqueued.
    template <class F>
    void enqueue(F&& f) {
        initialize();
        detail::enqueue(*native(), std::forward<F>(f));
    }

    // The same for a deferred task of any group. The handle is empty afterwards. The task computes with the group's
    // floating-point settings, and never runs if the group is cancelled before. It may throw: the group's wait() throws
    // that exception. Throws what initialize() throws, and std::invalid_argument if the handle is empty; then the
    // handle is unchanged.
    void enqueue(task_handle&& h) {
        h.check("task_arena::enqueue", nullptr);
        initialize();
        detail::enqueue_deferred(*native(), h.release());
    }

    // enqueue(group.defer(f)).
    template <class F>
    void enqueue(F&& f, task_group& group) {
        enqueue(group.defer(std::forward<F>(f)));
    }

    // group.wait() in the arena: the waiting thread runs the arena's tasks meanwhile. Throws what execute() and wait()
    // throw.
    task_group_status wait_for(task_group& group) {
        return execute([&group] { return group.wait(); });
    }

private:
    template <class F>
    void enter(F& f) {
        using plain = std::remove_reference_t<F>;
        detail::execute_in(*native(), {[](void* data) { (*static_cast<plain*>(data))(); },
                                       const_cast<void*>(static_cast<const void*>(std::addressof(f)))});
    }

    bool share_arena_here() {
        detail::arena* const here = detail::current_arena();
        if (!here)
            return false;
        detail::keep_arena(*here);
        const detail::arena_settings its = detail::settings_of(*here);
        constraints_ = constraints().set_max_concurrency(its.max_concurrency);
        reserved_ = its.reserved;
        priority_ = its.priority;
        waiting_ = its.waiting;
        arena_.store(here, std::memory_order_release);  // pairs with native()
        return true;
    }

    // Without constraints the library knows the number of slots, and need not read the machine for it.
    int slots() const {
        return constraints_.max_concurrency == automatic
                   ? detail::concurrency_for(detail::cpus_under(constraints_))
                   : constraints_.max_concurrency;
    }

    constraints constraints_;
    unsigned reserved_;
    priority priority_;
    waiting waiting_;
    std::atomic<detail::arena*> arena_{nullptr};
};

// One arena for each of info::numa_nodes(), in that order: with the node's numa_id, and otherwise with the constraints
// c. Throws std::bad_alloc.
inline std::vector<task_arena> create_numa_task_arenas(task_arena::constraints c = {},
                                                       unsigned reserved_for_masters = 0) {
    std::vector<task_arena> arenas;
    for (const numa_node_id id : info::numa_nodes())
        arenas.emplace_back(c.set_numa_id(id), reserved_for_masters);
    return arenas;
}

namespace this_task_arena {

// The number of the calling thread's slot in its arena, from 0; task_arena::not_initialized outside of every arena.
inline int current_thread_index() {
    return detail::current_slot_index();
}

// As task_arena::enqueue, in the arena that the calling thread is in. Outside of every arena the thread first takes an
// arena for itself. Throws std::bad_alloc, and what task_arena::enqueue throws; then nothing was enqueued.
template <class F>
void enqueue(F&& f) {
    detail::enqueue(detail::arena_here(), std::forward<F>(f));
}
inline void enqueue(task_handle&& h) {
    h.check("this_task_arena::enqueue", nullptr);
    detail::arena& here = detail::arena_here();
    detail::enqueue_deferred(here, h.release());
}
template <class F>
void enqueue(F&& f, task_group& group) {
    this_task_arena::enqueue(group.defer(std::forward<F>(f)));
}

// Calls f() in an isolated region of its own, and returns what f returns. While the thread waits inside f, it runs only
// what any thread has spawned inside this region. So f may hold a lock that other tasks want. Other threads may take
// what is spawned in the region. Throws what f throws. Throws std::bad_alloc before f is called if there is no memory
// for the thread's slot.
template <class F>
auto isolate(F&& f) -> std::invoke_result_t<F> {
    const detail::isolated_region inside;
    return std::forward<F>(f)();
}

}  // namespace this_task_arena
}  // namespace bough
