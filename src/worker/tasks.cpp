// Tasks: spawn, run, wait.

#include "bough/detail/task.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <utility>

#include "balancing.h"
#include "bough/detail/dispatch.h"
#include "bough/detail/fp_scope.h"
#include "bough/detail/spin_wait.h"
#include "bough/exports/termination.h"
#include "machine/clock.h"
#include "mail/task_proxy.h"
#include "park/parking_lot.h"
#include "running.h"
#include "share/tree_memory.h"
#include "worker/arena_fp_scope.h"
#include "worker/group_count.h"
#include "worker/hand_off.h"
#include "worker/mail_tasks.h"
#include "worker/nesting.h"
#include "worker/publish.h"
#include "worker/this_thread.h"
#include "worker/wait.h"
#include "worker/worker.h"

namespace bough {

using detail::task_group_state;

namespace {

void finish(task_group_state& g) {
    group_count::finish(g.pending, [](const void* key) { process_parking_lot().wake_all(key); });
}

void sleep(slot& s, task_group_state& g) {
    group_count::announce_sleep(g.pending);
    sleep_in_arena(s, &g.pending, [&] { return g.is_done() || !group_count::is_announced(g.pending); });
}

void wait_for(slot& s, task_group_state& g) {
    const arena_fp_scope fp(s);
    {
        const only_below its(s, &g.node);  // ends before the slot may become another thread's
        wait(s, until(s, [&] { return g.is_done(); }, [&] { sleep(s, g); }));
    }
    group_count::forget_sleeper(g.pending);
    if (s.nesting == 0) [[unlikely]]
        end_outermost_tree(s);
    rare::after_wait(s);
}

// The calling thread's slot, for a wait; null when there is no memory for one.
slot* slot_to_wait_in() noexcept {
    try {
        return current_slot ? current_slot : &try_to_attach();
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

// Takes the proxy's task out of the mailbox; null if a thread has taken the task from a queue.
task* open_mail(slot& s, task_proxy& p) {
    s.received_round = p.round;
    task* const t = task_proxy::take(p, task_proxy::mailbox);
    count(s.counted, t ? event::taken_from_mailbox : event::proxy_found_spent);
    return t;
}

}  // namespace

// A function of its own, so that a free task pays for no more registers than it needs.
BOUGH_NOINLINE static void execute_in_group(slot& s, task& t) {
    task_group_state* g = t.group;
    try {
        const bool fits = !is_nested_too_deep(s);
        const in_user_code inside(s, &g->node, t.isolation);
        const detail::fp_scope fp(s, g->fp_settings);
        const checks::running here(t);
        t.run(t, !fits || g->node.is_stopped());
        if (!fits) [[unlikely]]
            throw_nesting_too_deep();
    } catch (...) {
        if (detail::terminates_on_exception())
            std::terminate();
        g->fail(std::current_exception());
    }
    finish(*g);
}

void execute(slot& s, task& t) {
    count(s.counted, event::executed);
    if (t.group)
        return execute_in_group(s, t);
    const in_user_code inside(s, nullptr, t.isolation);
    const checks::running here(t);
    t.run(t, false);
}

// A critical task may have come since this thread looked for one. It runs first, and t becomes the slot's newest task:
// the critical task may wait for t, so other threads must be able to take t.
void execute_taken(slot& s, task& t) {
    if (!has_critical_tasks(s)) [[likely]]
        return execute(s, t);
    const bool kept =
        t.isolation != 0 ? s.isolated.push(t, s.queue.next_place()) : local_queue::owner(s.queue).push(t);
    if (!kept)
        return execute(s, t);
    call_if_unwatched(s.home);
    run_critical_tasks(s);
}

BOUGH_COLD bool may_interrupt_here(const slot& s) {
    const task_filter filter = filter_of(s);
    return !s.in_critical && !filter.below && (filter.tag == 0 || s.home.critical.has_tagged(filter.tag));
}

// Critical and isolated tasks, and the queue. run_own_task() looks at the queue first.
static found find_queued_task(slot& s, task_filter filter) {
    using kind = found::kind;
    if (!filter.below && !s.in_critical)
        if (task* t = s.home.critical.take(filter.tag))
            return {kind::critical_task, t};
    if (!filter.admits_all())
        return {kind::own_task, s.isolated.pop_newest(filter)};
    if (task* t = local_queue::owner(s.queue).pop()) {
        s.forget_older_tasks();
        return {kind::own_task, t};
    }
    // Left by a region that has ended, or in an arena with a tag.
    return {kind::own_task, s.isolated.pop_newest({})};
}

static found find_mailed_task(slot& s, task_filter filter) {
    // What keeps the thread from stealing keeps it from opening letters.
    if (!s.mail.has_mail() || !filter.admits_all() || takes_nothing_new(s))
        return {};
    // With little stack left the letters stay closed: their tasks lie in their senders' queues, too.
    while (s.mail.has_mail() && !is_nested_too_deep(s) && !leaves_work_to_others(s))
        if (task* t = open_mail(s, *s.mail.receive()))
            return {found::kind::mailed_task, t};
    return {};
}

static found find_other_own_task(slot& s, task_filter filter) {
    found f = find_queued_task(s, filter);
    return f ? std::move(f) : find_mailed_task(s, filter);
}

bool has_letters(slot& s) {
    if (!s.mail.has_mail())
        return false;
    count(s.counted, event::proxy_found_spent, s.mail.drop_spent());
    return s.mail.has_mail();
}
found find_queued_task(slot& s) {
    return find_queued_task(s, filter_of(s));
}
found find_mailed_task(slot& s) {
    return find_mailed_task(s, filter_of(s));
}
found find_own_task(slot& s) {
    return find_other_own_task(s, filter_of(s));
}

// A function of its own, so that a task of the queue pays for no more registers than it needs.
BOUGH_NOINLINE static bool run_other_own_task(slot& s, task_filter filter) {
    return run_at_work_if_any(s, find_other_own_task(s, filter));
}

bool run_own_task(slot& s) {
    const task_filter filter = filter_of(s);
    if (filter.admits_all() && !s.home.critical.has_tasks()) [[likely]] {
        if (task* t = local_queue::owner(s.queue).pop()) [[likely]] {
            s.forget_older_tasks();
            note(s.counted, activity::working);
            balancing::begin_own_task(s);
            execute(s, *t);
            return true;
        }
    }
    return run_other_own_task(s, filter);
}

void put_mail_into_queue(slot& s) {
    while (s.mail.has_mail())
        if (task* const t = open_mail(s, *s.mail.receive()); t && !local_queue::owner(s.queue).push(*t))
            execute(s, *t);
}

found find_enqueued_task(slot& s) {
    using kind = found::kind;
    arena& a = s.home;
    if (!a.is_spare_slot(s.index))
        return {kind::enqueued_task, a.enqueued.take(0)};
    // Counted before the task is taken: see is_spare_slot_in_use().
    a.enqueued_running.fetch_add(1, std::memory_order_relaxed);
    task* const t = a.enqueued.take(0);
    if (!t)
        a.enqueued_running.fetch_sub(1, std::memory_order_relaxed);
    return {kind::enqueued_task, t};
}

found find_streamed_task(slot& s) {
    const task_filter filter = filter_of(s);
    if (filter.below)
        return {};
    if (takes_critical_in_waits(s))
        if (task* t = s.home.critical.take(filter.tag))
            return {found::kind::critical_task, t};
    if (!takes_enqueued(s) || filter.tag != 0)
        return {};
    return find_enqueued_task(s);
}

BOUGH_COLD void run_critical_tasks(slot& s) {
    const task_filter filter = filter_of(s);
    while (!s.in_critical && !filter.below && !is_nested_too_deep(s)) {
        task* const t = s.home.critical.take(filter.tag);
        if (!t)
            return;
        run_at_work(s, {found::kind::critical_task, t});
    }
}

void run_proxied(task& t, bool) {
    slot& s = this_slot();
    count(s.counted, event::executed, ~std::uint64_t{0});  // minus one: a proxy is no task
    auto& proxy = static_cast<task_proxy&>(t);
    const mail_round round = proxy.round;
    task* const inner = task_proxy::take(proxy, task_proxy::queue);
    if (!inner)
        return count(s.counted, event::proxy_found_spent);
    // The round goes with the task: its slots have had no work from anybody.
    if (round.count == 0)
        return execute(s, *inner);
    const tree_here before = std::exchange(s.tree, tree_of_round(s, round));
    execute(s, *inner);
    s.tree = before;
}

slot* receiver_of(const slot& s, std::uint16_t index) {
    arena& a = s.home;
    if (s.isolation != 0 || crew_limits.has_excess() || crew_limits.is_requested_higher(a) ||
        index == s.index || index >= a.used_slots() || !a.is_occupied(index))
        return nullptr;
    return a.slot_at(index);
}

namespace {

// Proxies around t, one for each receiver. Each lies in its receiver's mailbox. The first is around t, each other one
// around the proxy before it, and the last one also lies in the queue. mail/README.md.
struct proxies {
    static constexpr std::size_t most = 8;
    struct letter {
        task_proxy* proxy;
        slot* receiver;
    };

    proxies(const slot& s, task& t, std::span<const std::uint16_t> preferred) : outermost(&t) {
        for (const std::uint16_t index : preferred) {
            slot* const receiver = receiver_of(s, index);
            auto* const proxy =
                receiver && count < most ? new (std::nothrow) task_proxy(*outermost, run_proxied) : nullptr;
            if (!proxy)
                continue;
            letters[count++] = {proxy, receiver};
            outermost = proxy;
        }
    }
    void send(slot& s) const {
        for (std::size_t i = 0; i < count; ++i) {
            if (letters[i].receiver->mail.send(*letters[i].proxy))
                bough::count(s.counted, event::mailed);
            else
                task_proxy::withdraw(*letters[i].proxy, task_proxy::mailbox);
        }
    }
    void burn() const {
        for (std::size_t i = 0; i < count; ++i)
            delete letters[i].proxy;
    }

    task* outermost;
    std::array<letter, most> letters;
    std::size_t count = 0;
};

bool hand_to_one_of(slot& s, task& t, std::span<const std::uint16_t> preferred) {
    return std::any_of(preferred.begin(), preferred.end(), [&](std::uint16_t index) {
        slot* const receiver = receiver_of(s, index);
        return receiver && hand_task_to(s, *receiver, t);
    });
}

}  // namespace

bool publish_mailed(slot& s, task& t, std::span<const std::uint16_t> preferred) {
    if (s.tree.tasks_go == spawning::to_the_queue_only)
        return push(s, t);
    if (s.tree.tasks_go == spawning::to_idle_workers && hand_to_one_of(s, t, preferred))
        return true;
    const proxies mail(s, t, preferred);
    if (mail.count == 0)
        return publish(s, t);
    if (!push(s, *mail.outermost)) {
        mail.burn();
        return false;
    }
    mail.send(s);
    return true;
}

void spawn_mailed(slot& s, task& t, std::span<const std::uint16_t> preferred) {
    t.isolation = s.isolation;
    t.group->pending.fetch_add(group_count::one_task, std::memory_order_relaxed);
    if (!publish_mailed(s, t, preferred))
        execute_in_place(s, t);
}

void execute_in_place(slot& s, task& t) {
    const arena_fp_scope fp(s);
    execute(s, t);
}

namespace detail {

std::atomic<std::uint32_t> nodes_to_ask{0};

void fail_group(task_group_state& group, std::exception_ptr e) noexcept {
    const std::lock_guard lock(group.ending);
    if (!group.error)
        group.error = std::move(e);
    group.node.stop();
}

void cancel_group(task_group_state& group) noexcept {
    const std::lock_guard lock(group.ending);
    group.node.stop();
}

bool restart_group(task_group_state& group, std::exception_ptr& taken) noexcept {
    const std::lock_guard lock(group.ending);
    const bool was_stopped = group.node.is_stopped();
    taken = std::exchange(group.error, nullptr);
    group.node.restart();
    return was_stopped;
}

// Publishes t; if there is no memory for that, runs it here and now.
static inline void start(slot& s, task& t) {
    if (publish(s, t)) [[likely]]
        return;
    execute_in_place(s, t);
    rare::after_wait(s);
}

void spawn(task& t) {
    slot& s = this_slot();
    t.isolation = s.isolation;
    t.group->pending.fetch_add(group_count::one_task, std::memory_order_relaxed);
    start(s, t);
}

void spawn_deferred(task& t) {
    slot& s = this_slot();
    t.isolation = s.isolation;
    start(s, t);
}

void count_deferred(task_group_state& group) noexcept {
    group.pending.fetch_add(group_count::one_task, std::memory_order_relaxed);
}

void give_up(task& t) noexcept {
    task_group_state& group = *t.group;
    t.run(t, true);
    finish(group);
}

void run_here(task& t) {
    slot& s = this_slot();
    t.isolation = s.isolation;
    t.group->pending.fetch_add(group_count::one_task, std::memory_order_relaxed);
    const arena_fp_scope fp(s);
    execute(s, t);
}

void wait(task_group_state& group) noexcept {
    const checks::inside_call here("a wait for a group of tasks", &group.node);
    if (group.is_done()) {
        if (current_slot && current_slot->nesting == 0)
            end_outermost_tree(*current_slot);
        return rare::after_wait();
    }
    if (slot* s = slot_to_wait_in())
        return wait_for(*s, group);
    machine::spin_wait others;  // without a slot this thread can run nothing; other threads do
    while (!group.is_done())
        others.pause();
}

BOUGH_NOINLINE static void look_around_until(slot& s, goal g) {
    const auto done = [&] { return g.is_reached(g.subject); };
    wait(s, until(s, done, [&] { sleep_in_arena(s, g.subject, done); }));
}

// As long as there are own tasks, the thread needs nothing of what the rest of a wait keeps in memory.
static void work_until_reached(slot& s, goal g) {
    const only_below anything(s, nullptr);
    while (!g.is_reached(g.subject)) {
        if (run_own_task(s)) [[likely]]
            continue;
        look_around_until(s, g);
        break;
    }
}

static void work_until(slot& s, goal g) {
    work_until_reached(s, g);
    rare::after_wait(s);
}

void work_until(goal g) noexcept {
    const checks::inside_call here("a wait");
    if (!current_slot && g.is_reached(g.subject))
        return;
    if (slot* s = slot_to_wait_in()) {
        const arena_fp_scope fp(*s);
        return work_until(*s, g);
    }
    machine::spin_wait others;
    while (!g.is_reached(g.subject))
        others.pause();
}

// Chooses where the tasks of the tree go.
BOUGH_NOINLINE static void run_outermost_tree(slot& s, task& root, goal g, const void* kind) {
    tree_trial trial;
    const std::uint32_t number = ++s.loops;
    const bool handing = s.home.concurrency() != 1 && trial.begin(tree_memory::of(kind), number);
    const spawning mode = !handing                 ? spawning::to_the_queue_only
                          : s.tree.mail.count != 0 ? spawning::to_mailboxes
                                                   : spawning::to_idle_workers;
    const tree_here outer = std::exchange(s.tree, {mode, s.tree.mail, kind});
    s.tree.mail.is_judged = true;
    execute(s, root);
    s.tree = outer;
    leave_mail_round(s);  // the slots have had work
    work_until_reached(s, g);
    s.tree = outer;
    trial.end();
    rare::after_wait(s);  // from here on the slot may be another thread's
}

void run_tree(task& root, goal g, const void* kind) {
    const checks::inside_call here("a tree of tasks");
    slot& s = this_slot();
    root.group = nullptr;
    root.isolation = s.isolation;
    const arena_fp_scope fp(s);
    if (s.tree.kind != kind)
        return run_outermost_tree(s, root, g, kind);
    execute(s, root);
    work_until(s, g);
}

}  // namespace detail
}  // namespace bough
