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

// At most max_concurrency threads at a time work in the arena; reserved_for_masters of the slots are kept for threads
// that call execute. Where that leaves none for workers, one comes on top for what is enqueued, and for functions of
// threads that find no slot. All members but the constructor, initialize and terminate are thread-safe. Memory is taken
// at the first use. initialize captures the floating-point settings (rounding, denormals) of the thread that calls it,
// or the first execute or enqueue: everything in the arena computes with them.
class task_arena {
public:
    static constexpr int automatic = -1;
    static constexpr int not_initialized =
        -2;  // this_task_arena::current_thread_index() outside of every arena

    // Workers go to the arenas of highest priority that want them, and leave others for them between two pieces of
    // work.
    using priority = detail::arena_priority;
    // What a thread may run while it waits here for a loop or a group. any: all that the arena has, as with oneTBB.
    // descendants: only what descends from what it waits for, so a body may wait while it holds a lock that others of
    // its kind want; tasks are pushed and taken under a lock then. What has no group to descend from (tokens of
    // pipelines, tasks of oneTBB's own classes, what runs under an isolated context) is left to others by those who
    // wait for something else, and who waits for such takes anything; so does a thread whose task is suspended.
    // by_environment: BOUGH_WAIT, else any.
    using waiting = detail::arena_waiting;

    // Which CPUs its threads keep to: info.h.
    using constraints = detail::arena_constraints;

    // Throws std::invalid_argument at the first use when max_concurrency is 0, below -1 or over 4096, or smaller than
    // the reserved slots.
    explicit task_arena(int max_concurrency = automatic, unsigned reserved_for_masters = 1,
                        priority p = priority::normal, waiting w = waiting::by_environment)
        : task_arena(constraints().set_max_concurrency(max_concurrency), reserved_for_masters, p, w) {}
    // The threads inside, those that call execute too, keep to the CPUs that meet the constraints, and have their own
    // again outside. automatic as max_concurrency: as many slots as there are such CPUs, info::default_concurrency(c).
    explicit task_arena(const constraints& c, unsigned reserved_for_masters = 1,
                        priority p = priority::normal, waiting w = waiting::by_environment)
        : constraints_(c), reserved_(reserved_for_masters), priority_(p), waiting_(w) {}
    // Shares the arena that the calling thread is in, which lives on as long as one of those who share it; outside of
    // all, as task_arena().
    struct attach {};
    explicit task_arena(attach) : task_arena() { share_arena_here(); }
    // Another arena with the same settings; of one that is shared, all but the CPUs.
    task_arena(const task_arena& other)
        : task_arena(other.constraints_, other.reserved_, other.priority_, other.waiting_) {}
    task_arena& operator=(const task_arena&) = delete;
    ~task_arena() { terminate(); }

    // Throws std::bad_alloc, and std::invalid_argument as the constructor says; the arena is not initialized then.
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
        // acq_rel: pairs with native(). No lock: a child of fork() would wait for it if another thread had it.
        if (!arena_.compare_exchange_strong(none, made, std::memory_order_acq_rel))
            detail::drop_arena(made);  // another thread was first
    }
    // With other settings than the constructor's; nothing of this where the arena is initialized already.
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

    // As the constructor does, and initialize() where there is nothing to share.
    void initialize(attach) {
        if (!is_active() && !share_arena_here())
            initialize();
    }

    // Gives the arena up. No thread may be in it, or in a call of one of its members.
    void terminate() {
        // acquire, as in native(): another thread may have made it.
        if (detail::arena* const a = arena_.exchange(nullptr, std::memory_order_acquire))
            detail::drop_arena(a);
    }

    bool is_active() const { return native() != nullptr; }

    // For the library; null before the arena is initialized. acquire: pairs with initialize().
    detail::arena* native() const { return arena_.load(std::memory_order_acquire); }

    // Slots, those for application threads included, and one more while a worker is inside, or due, that has come on
    // top. The first call in a process may throw std::bad_alloc.
    int max_concurrency() const {
        const detail::arena* const a = native();
        return static_cast<int>(a ? detail::bound_of_slots(*a) : detail::planned_concurrency(slots()));
    }

    // Runs f() in the arena, with the arena's floating-point settings, and returns what it returns; then the thread has
    // its own settings again. A thread that is in the arena already calls f in its slot. While every slot is taken it
    // waits until one is free, or until a thread that sits there inside nothing else has run f. In f the thread counts
    // as inside nothing else, and in no isolated region: its waits take what is enqueued. Throws what f does; before f
    // is called, what initialize() does, std::bad_alloc when there is no memory for a slot, and nesting_too_deep in a
    // thread that has a slot in another arena.
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

    // f() runs once, in the arena, by a thread that is inside nothing else there; one worker comes for it even under a
    // limit of one thread. Tasks begin in the order in which they were enqueued. Returns at once: f must not throw
    // (std::terminate). It runs even if the arena is given up before. Where there is no worker and the system refuses
    // one, f runs in the calling thread, before enqueue returns. Throws std::bad_alloc, what initialize() does, and
    // what copying f does; f was not enqueued then.
    template <class F>
    void enqueue(F&& f) {
        initialize();
        detail::enqueue(*native(), std::forward<F>(f));
    }

    // The same for a task that a group has deferred, whichever group; the handle is empty then. It computes with the
    // group's floating-point settings, never runs if the group is cancelled before, and may throw: that comes out of
    // the group's wait(). Throws what initialize() does, and std::invalid_argument when the handle is empty; the handle
    // is as it was then.
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

    // group.wait() in the arena: whoever waits runs the arena's tasks meanwhile. Throws what execute() and wait() do.
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

    // Without constraints: as the library says, which need not look at the machine for that.
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

// An arena for each of info::numa_nodes(), in that order, with its numa_id and else as c says. Throws std::bad_alloc.
inline std::vector<task_arena> create_numa_task_arenas(task_arena::constraints c = {},
                                                       unsigned reserved_for_masters = 0) {
    std::vector<task_arena> arenas;
    for (const numa_node_id id : info::numa_nodes())
        arenas.emplace_back(c.set_numa_id(id), reserved_for_masters);
    return arenas;
}

namespace this_task_arena {

// Number of the calling thread's slot in its arena, from 0; task_arena::not_initialized outside of every arena.
inline int current_thread_index() {
    return detail::current_slot_index();
}

// As task_arena::enqueue, in the arena that the calling thread is in, or else in the one that it takes for itself now.
// Throws std::bad_alloc, and what that does; nothing was enqueued then.
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

// Calls f() and returns what it returns. While it waits in there the thread runs only what was spawned in there, by any
// thread; so it may hold a lock that other tasks want. Other threads may take what is spawned in there. Throws what f
// does; std::bad_alloc, before f is called, when there is no memory for the thread's slot.
template <class F>
auto isolate(F&& f) -> std::invoke_result_t<F> {
    const detail::isolated_region inside;
    return std::forward<F>(f)();
}

}  // namespace this_task_arena
}  // namespace bough
