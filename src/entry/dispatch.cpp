// Posts free tasks, and reads and sets what the calling thread is inside of, for runtimes that are built on bough.

#include "bough/detail/dispatch.h"

#include <utility>

#include "entry/run_enqueued.h"
#include "worker/crew.h"
#include "worker/publish.h"
#include "worker/rare.h"
#include "worker/this_thread.h"
#include "worker/worker.h"

namespace bough {
namespace detail {

// Makes t a free task, with the isolation tag of the calling thread's slot. Returns that slot.
static slot& adopt(task& t) {
    slot& s = this_slot();
    t.group = nullptr;
    t.isolation = s.isolation;
    return s;
}

void post(task& t) {
    std::uint16_t index = 0;
    post_from(t, &index);
}

void post_from(task& t, std::uint16_t* index) {
    slot& s = adopt(t);
    *index = s.index;
    if (publish(s, t))
        return;
    execute_in_place(s, t);
    rare::after_wait(s);
}

void post_to(task& t, std::uint16_t index) {
    slot& s = adopt(t);
    if (publish_mailed(s, t, {&index, 1}))
        return;
    execute_in_place(s, t);
    rare::after_wait(s);
}

static void put_in(arena& a, task& t, lane l) {
    if (t.isolation == 0)
        t.isolation = a.tag;
    (l == lane::critical ? a.critical : a.enqueued).post(t);
    const bool must_ask = workers_allowed(a, 0, crew_limits.stand_ins()) == 0 ||
                          crew_limits.started.load(std::memory_order_relaxed) == 0;
    if (l == lane::enqueued && must_ask) {
        call_for_enqueued(a);
    } else {
        call_if_unwatched(a);
    }
    if (l == lane::enqueued)
        run_enqueued_if_nobody_will(a);
}

void post_in(arena& a, task& t, lane l) {
    t.group = nullptr;
    put_in(a, t, l);
}

void enqueue_deferred(arena& a, task& t) {
    put_in(a, t, lane::enqueued);
}

bool has_critical_tasks() noexcept {
    return bough::has_critical_tasks(*current_slot);
}

std::uintptr_t current_isolation() noexcept {
    return current_slot ? filter_of(*current_slot).tag : 0;
}

std::uintptr_t enter_isolation(std::uintptr_t tag) {
    slot& s = this_slot();
    return std::exchange(s.isolation, tag ? tag : s.isolation_tags.next());
}

std::uintptr_t exchange_isolation(std::uintptr_t tag) noexcept {
    slot* s = current_slot;
    if (!s)
        return 0;
    const std::uintptr_t before = std::exchange(s->isolation, tag);
    rare::after_wait(*s);
    return before;
}

const cancel_node* exchange_scope(const cancel_node* scope) noexcept {
    return current_slot ? std::exchange(current_slot->scope, scope) : nullptr;
}

}  // namespace detail
}  // namespace bough
