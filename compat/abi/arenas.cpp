// Arenas: oneTBB's task_arena keeps a pointer to one of the core's, and its settings.

#include <bough/detail/arena.h>
#include <bough/detail/bounds.h>
#include <bough/detail/dispatch.h>
#include <bough/detail/raise.h>
#include <bough/exports/constraints.h>
#include <bough/task_arena.h>

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "constraints.h"
#include "contexts.h"
#include "controls.h"
#include "newer.h"
#include "tasks.h"
#include "twins.h"

namespace core = bough::detail;
namespace abi = bough::compat::abi;

namespace tbb::detail::r1 {

// The fields of oneTBB's task_arena. No other file of this library touches them.
struct task_arena_impl {
    using base = d1::task_arena_base;

    static_assert(sizeof(base) == 48 && sizeof(d1::task_arena) == sizeof(base));

    static core::arena* native(const base& ta) {
        // acquire: pairs with set(), for threads that were not told by the arena's own initialization.
        return reinterpret_cast<core::arena*>(ta.my_arena.load(std::memory_order_acquire));
    }
    static void set(base& ta, core::arena* a) {
        ta.my_arena.store(reinterpret_cast<arena*>(a), std::memory_order_release);
    }

    static d1::constraints constraints_of(const base& ta) {
        return d1::constraints{}
            .set_numa_id(ta.my_numa_id)
            .set_max_concurrency(ta.my_max_concurrency)
            .set_core_type(ta.core_type())
            .set_max_threads_per_core(ta.max_threads_per_core());
    }

    static int planned_concurrency(const base& ta) {
        return ta.my_max_concurrency > 0 ? ta.my_max_concurrency
                                         : constraints_default_concurrency(constraints_of(ta), 0);
    }

    static void initialize(base& ta) {
        ta.my_max_concurrency = planned_concurrency(ta);
        core::arena_settings settings;
        settings.max_concurrency = std::clamp(ta.my_max_concurrency, 1, static_cast<int>(core::most_threads));
        settings.reserved =
            std::min(ta.my_num_reserved_slots, static_cast<unsigned>(settings.max_concurrency));
        settings.priority = priority_of(ta);
        settings.cpus = core::cpus_to_bind_to(abi::cpus_under(constraints_of(ta)));
        settings.leaves_fast = (ta.my_version_and_traits & abi::fast_leave_trait) != 0 || abi::leaves_fast();
        set(ta, core::make_arena(settings));
    }

    // Shares the arena that the thread is in.
    static bool attach(base& ta) {
        core::arena* here = core::current_arena();
        if (!here)
            return false;
        core::keep_arena(*here);
        const core::arena_settings settings = core::settings_of(*here);
        ta.my_max_concurrency = settings.max_concurrency;
        ta.my_num_reserved_slots = settings.reserved;
        ta.my_priority = priority_of(settings.priority);
        set(ta, here);
        return true;
    }

    static void terminate(base& ta) {
        core::arena* a = native(ta);
        set(ta, nullptr);
        core::drop_arena(a);
    }

private:
    static core::arena_priority priority_of(const base& ta) {
        switch (ta.my_priority) {
        case base::priority::low:
            return core::arena_priority::low;
        case base::priority::high:
            return core::arena_priority::high;
        default:
            return core::arena_priority::normal;
        }
    }
    static base::priority priority_of(core::arena_priority p) {
        return p == core::arena_priority::low    ? base::priority::low
               : p == core::arena_priority::high ? base::priority::high
                                                 : base::priority::normal;
    }
};

namespace {

// The arena that is meant: the given one, or the calling thread's.
core::arena& arena_of(const d1::task_arena_base* ta) {
    return ta ? *task_arena_impl::native(*ta) : core::arena_here();
}

void enqueue_in(core::arena& a, d1::task& t, d1::task_group_context& ctx) {
    auto& header = abi::prepare(t, ctx, d1::no_slot, d1::no_slot);
    header.isolation = 0;
    core::post_in(a, header, core::lane::enqueued);
}

void call_delegate(void* delegate) {
    const abi::outside_of_groups outside;
    (*static_cast<d1::delegate_base*>(delegate))();
}

}  // namespace

void initialize(d1::task_arena_base& ta) {
    abi::look_for_twins();
    core::or_terminate([&ta] { task_arena_impl::initialize(ta); });
}

void terminate(d1::task_arena_base& ta) {
    task_arena_impl::terminate(ta);
}

bool attach(d1::task_arena_base& ta) {
    return task_arena_impl::attach(ta);
}

void execute(d1::task_arena_base& ta, d1::delegate_base& d) {
    core::execute_in(arena_of(&ta), {call_delegate, &d});
}

void wait(d1::task_arena_base& ta) {
    core::work_until_empty(arena_of(&ta));
}

void enqueue(d1::task& t, d1::task_arena_base* ta) {
    enqueue_in(arena_of(ta), t, abi::default_context());
}

void enqueue(d1::task& t, d1::task_group_context& ctx, d1::task_arena_base* ta) {
    task_group_context_impl::bind(ctx);
    enqueue_in(arena_of(ta), t, ctx);
}

int max_concurrency(const d1::task_arena_base* ta) {
    if (!ta)
        return bough::this_task_arena::max_concurrency();
    const core::arena* a = task_arena_impl::native(*ta);
    return a ? static_cast<int>(core::bound_of_slots(*a)) : task_arena_impl::planned_concurrency(*ta);
}

void isolate_within_arena(d1::delegate_base& d, std::intptr_t tag) {
    const core::isolated_region inside(static_cast<std::uintptr_t>(tag));
    d();
}

d1::slot_id execution_slot(const d1::task_arena_base& ta) {
    const core::arena* a = task_arena_impl::native(ta);
    return a && core::current_arena() == a ? core::slot_index() : d1::slot_id(-1);
}

void enter_parallel_phase(d1::task_arena_base* ta, std::uintptr_t) {
    core::begin_phase(arena_of(ta));
}

void exit_parallel_phase(d1::task_arena_base* ta, std::uintptr_t flags) {
    core::end_phase(arena_of(ta), (flags & abi::end_fast_leave) != 0);
}

}  // namespace tbb::detail::r1
