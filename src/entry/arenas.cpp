// What task_arena and this_task_arena call.

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "arena/own_slots.h"
#include "bough/detail/bounds.h"
#include "bough/detail/dispatch.h"
#include "bough/detail/raise.h"
#include "bough/detail/spin_wait.h"
#include "bough/task_arena.h"
#include "entry/run_enqueued.h"
#include "entry/visit.h"
#include "profile/tuning.h"
#include "running.h"
#include "worker/arena_fp_scope.h"
#include "worker/crew.h"
#include "worker/fibers.h"
#include "worker/hand_off.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace {

constexpr int most_slots = detail::most_threads;

// A visitor's function that waits among the arena's tasks while the visitor waits for a slot.
struct delegated : task {
    explicit delegated(detail::arena_function function) : f(function) {
        run = [](task& t, bool) {
            auto& self = static_cast<delegated&>(t);
            try {
                const inside_execute here(*current_slot);
                self.f.call(self.f.data);
            } catch (...) {
                if (detail::terminates_on_exception())
                    std::terminate();
                self.error = std::current_exception();
            }
            // seq_cst: see work_until(). The visitor may destroy the task from here on.
            self.is_done.store(true, std::memory_order_seq_cst);
            detail::unpark_all(&t);
        };
    }
    detail::goal done() const {
        return {[](const void* t) {
                    return static_cast<const delegated*>(static_cast<const task*>(t))
                        ->is_done.load(std::memory_order_seq_cst);
                },
                static_cast<const task*>(this)};
    }

    detail::arena_function f;
    std::atomic<bool> is_done{false};
    std::exception_ptr error;
};

// Waits for a free slot and takes it. Null: the goal was reached before a slot came free. The task is published
// already, so without memory for a slot the thread can only wait for the task. If the thread is a worker, it counts as
// blocked meanwhile: otherwise no replacement worker would come, and the task may wait for one.
slot* wait_for_slot(arena& a, const detail::goal& done) {
    std::optional<crew::blocked_worker> blocked;
    if (slot* its = served_slot(current_slot))
        blocked.emplace(*its, false);
    const auto is_reached = [&] { return done.is_reached(done.subject); };
    while (!is_reached()) {
        try {
            if (slot* free = a.take_application_slot())
                return free;
            const std::uint64_t most_ns = process_crew().ask_before_sleep();
            a.sleep_for_slot(
                done.subject, [&] { return is_reached() || crew::should_have_asked(most_ns); }, most_ns);
        } catch (const std::bad_alloc&) {
            process_crew().ask_before_sleep();
            nap();
        }
    }
    return nullptr;
}

void delegate(arena& a, detail::arena_function f) {
    delegated t(f);
    const detail::goal done = t.done();
    // A worker comes for t, as for every enqueued task. The arena may need that worker: the threads that have the slots
    // may wait for the visitor.
    detail::post_in(a, t, detail::lane::enqueued);
    local_queue::expose_all_here();
    if (slot* const free = wait_for_slot(a, done)) {
        const visit inside(*free);
        detail::work_until(done);
    }
    if (t.error)
        detail::raise_again(std::move(t.error));
}

}  // namespace

namespace detail {

unsigned planned_concurrency(int max_concurrency) {
    return max_concurrency < 0 ? std::max(process_tuning().threads, 1u)
                               : static_cast<unsigned>(max_concurrency);
}

static arena* try_to_make_arena(const arena_settings& wanted) {
    if (wanted.max_concurrency < -1 || wanted.max_concurrency == 0 || wanted.max_concurrency > most_slots)
        throw std::invalid_argument(
            "bough::task_arena: max_concurrency is " + std::to_string(wanted.max_concurrency) +
            "; allowed are task_arena::automatic (-1) and 1 to " + std::to_string(most_slots));
    process_crew();
    const unsigned n = planned_concurrency(wanted.max_concurrency);
    if (wanted.reserved > n)
        throw std::invalid_argument("bough::task_arena: reserved_for_masters is " +
                                    std::to_string(wanted.reserved) + "; allowed are 0 to " +
                                    std::to_string(n) + " (max_concurrency)");
    auto a = std::make_unique<arena>(slot_layout{.application = static_cast<std::uint16_t>(wanted.reserved),
                                                 .concurrency = static_cast<std::uint16_t>(n),
                                                 .application_threads_may_use_all = true},
                                     wanted);
    process_crew().adopt(*a);
    return a.release();
}

arena* make_arena(const arena_settings& wanted) {
    return or_terminate([&wanted] { return try_to_make_arena(wanted); });
}

void keep_arena(arena& a) noexcept {
    process_crew().keep_handle(a);
}

void drop_arena(arena* a) noexcept {
    a->handles.fetch_sub(1, std::memory_order_relaxed);  // a hint for idle workers
    process_crew().release(*a);
}

arena_settings settings_of(const arena& a) {
    return {.max_concurrency = static_cast<int>(a.concurrency()),
            .reserved = a.application_slots(),
            .priority = a.priority,
            .waiting = a.tag ? arena_waiting::descendants : arena_waiting::any,
            .leaves_fast = a.leaves_fast,
            .cpus = a.cpus};
}

unsigned bound_of_slots(const arena& a) noexcept {
    return a.bound_of_slots(current_slot);
}

void execute_in(arena& a, arena_function f) {
    const checks::inside_call here("task_arena::execute");
    if (current_slot && &current_slot->home == &a) {
        slot& s = *current_slot;
        const as_arena_computes settings(s);
        const inside_execute here_again(s);
        return f.call(f.data);
    }
    if (current_slot)  // in the new slot nesting begins at 0 again, so the stack is checked here
        check_stack();
    slot* free = or_terminate([&a] { return a.take_application_slot(); });
    if (!free) {
        if (slot* own = own_slot_in(a)) {  // perhaps no other thread ever gives a slot back
            const return_visit inside(*own);
            const inside_execute here_again(*own);
            return f.call(f.data);
        }
        return delegate(a, f);
    }
    const visit inside(*free);
    f.call(f.data);
}

void work_until_empty(arena& a) {
    const auto work = [](void* data) {
        arena& here = *static_cast<arena*>(data);
        slot& s = *current_slot;
        const unsigned self = s.is_worker ? 1 : 0;
        const only_below anything(s, nullptr);
        const auto everything = [&s] {
            reach r = reach_of(s);
            r.others = true;  // also the work that this thread leaves to others
            return r;
        };
        machine::spin_wait others;
        while (here.has_published_work(everything()) || here.watch.workers().all() > self) {
            here.leave_at_once.store(
                true, std::memory_order_relaxed);  // workers leave even with BOUGH_SPIN_US=forever
            here.watch.rouse(process_parking_lot());
            if (run_own_task(s) || run_at_work_if_any(s, take_back_task(s)) || find_and_run(s))
                others = {};
            else
                others.pause();
        }
    };
    execute_in(a, {work, &a});
}

void begin_phase(arena& a) noexcept {
    a.leave_at_once.store(false, std::memory_order_relaxed);
    a.phases.fetch_add(1, std::memory_order_relaxed);
}

void end_phase(arena& a, bool leave_at_once) noexcept {
    // relaxed, both: hints for idle workers.
    if (a.phases.fetch_sub(1, std::memory_order_relaxed) == 1 && leave_at_once)
        a.leave_at_once.store(true, std::memory_order_relaxed);
}

bool stop_workers() {
    if (current_slot && (current_slot->nesting != 0 || current_slot->is_worker || !is_in_own_arena()))
        return false;
    const bool all_ended = process_crew().dismiss();
    run_enqueued_if_nobody_will();  // what was enqueued meanwhile
    return all_ended;
}

int current_slot_index() noexcept {
    return current_slot ? current_slot->index : task_arena::not_initialized;
}

}  // namespace detail

namespace this_task_arena {

int max_concurrency() {
    // A thread without a slot would take one in an arena of its own, which has the default number of slots.
    return static_cast<int>(current_slot ? current_slot->home.bound_of_slots(current_slot)
                                         : detail::planned_concurrency(task_arena::automatic));
}

}  // namespace this_task_arena
}  // namespace bough
