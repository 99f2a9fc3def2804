#include "schedule.h"

#include <stdio.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "refuse.h"
#include "report.h"
#include "thread_end.h"

namespace simulate {

constinit core* here = nullptr;
constinit std::uint64_t horizon = 0;
constinit schedule* schedule::the = nullptr;

schedule::schedule(const description& m, const wishes& w)
    : machine(m), wish(w), noises(w.seed), memory(m, noises) {
    for (unsigned i = 0; i < w.cores; ++i) {
        cores.push_back(std::make_unique<core>());
        cores.back()->number = i;
        cores.back()->instruction = m.instruction_on(i);
    }
}

// ---- events

void schedule::add_event(picoseconds time, kind what, unsigned number, std::uint64_t sleep) {
    events_.push({time, next_event_++, what, number, sleep});
    horizon = std::min(horizon, core_heap::key(time));
}

void schedule::fire(const event& e) {
    if (e.what == kind::drain) {
        cores[e.number]->stores.drain_until(e.time);
        return;
    }
    thread& t = *threads_[e.number];
    if (t.now != thread::state::sleeps || t.sleep != e.sleep)
        return;
    if (t.waits_on != nullptr) {
        std::deque<thread*>& there = sleepers_[t.waits_on];
        there.erase(std::find(there.begin(), there.end(), &t));
    }
    t.woken = false;
    place_ready(t, e.time + noises.around(machine.price.wake_up));
}

void schedule::store_later(void* address, unsigned bytes, std::uint64_t value, picoseconds comes) {
    here->stores.add(address, bytes, value, comes + noises.below(wish.store_delay));
    add_event(here->stores.last_leaves(), kind::drain, here->number, 0);
}

// ---- changes

// Up to here the running core may go on without a look at others, or at the end of its time.
void schedule::find_horizon() {
    horizon = std::min(heap_.second(), core_heap::key(wish.end_at));
    if (!events_.empty())
        horizon = std::min(horizon, core_heap::key(events_.top().time));
}

void schedule::go_on() {
    for (;;) {
        while (!events_.empty() && (heap_.empty() || events_.top().time <= heap_.first().clock)) {
            const event e = events_.top();
            events_.pop();
            fire(e);
        }
        if (!heap_.empty())
            break;
        if (events_.empty())
            report_and_end("deadlock: no thread can run");
    }
    here = &heap_.first();
    if (here->clock > wish.end_at)
        report_and_end("no end: the time that the run may take is over");
    find_horizon();
    fiber& next = *here->running->body;
    if (&next == on_)
        return;
    ++count.changes;
    fiber& before = *on_;
    on_ = &next;
    fiber::change(before, next);
    // Back again, in this thread's turn. Threads that ended in the meantime are off their stacks.
    for (thread* const ended : std::exchange(to_forget_, {}))
        ended->body.reset();
}

void schedule::give_way() {
    charge(std::exchange(here->interrupted, 0));
    heap_.moved(*here);
    go_on();
}

picoseconds schedule::bring(std::uintptr_t address, bool write, const void* site) {
    const picoseconds began = here->clock, ended = memory.bring(here->number, address, write, began);
    if (tracing != nullptr && ended > began)
        tracing->wait(current().number, address, site, began, ended);
    return ended;
}

void schedule::leaves(thread& t) {
    t.ran += here->clock - t.began;
    if (tracing != nullptr)
        tracing->state(t.number, "runs", here->number, {}, t.began, here->clock);
    t.left = here->clock;
}

void schedule::write_trace() {
    if (tracing == nullptr)
        return;
    for (const auto& c : cores)
        if (c->running != nullptr)
            tracing->state(c->running->number, "runs", c->number, {}, c->running->began, c->clock);
    std::vector<std::string> names;
    for (const auto& t : threads_)
        names.emplace_back(t->name[0] != 0 ? t->name : t->number == 0 ? "main" : "thread");
    // What is done from here on is not the program's.
    const trace* const written = std::exchange(tracing, nullptr);
    end_tracing_allocations();
    core* const running = std::exchange(here, nullptr);  // the machine is not running while it writes
    written->write(names, running->clock);
    here = running;
}

void schedule::fence() {
    if (here->stores.last_leaves() > here->clock)
        here->clock = here->stores.last_leaves();
    sync();
    here->stores.drain();
}

bool schedule::sleep(const void* on, const char* why, picoseconds deadline) {
    fence();
    thread& t = current();
    t.now = thread::state::sleeps;
    t.waits_on = on;
    t.why = why;
    if (tracing != nullptr)
        t.where = trace::calls_here(t.body->top());
    t.woken = false;
    ++t.sleep;
    if (on != nullptr)
        sleepers_[on].push_back(&t);
    if (deadline != never)
        add_event(std::max(deadline, here->clock), kind::timeout, t.number, t.sleep);
    leaves(t);
    take_next(*here);
    go_on();
    return t.woken;
}

void schedule::take_next(core& c) {
    c.running = nullptr;
    if (c.ready.empty()) {
        // An idle core takes what waits elsewhere, as the system's balancer does.
        core* fullest = nullptr;
        for (const auto& other : cores)
            if (!other->ready.empty() && other->ready.back()->may_run_on[c.number] &&
                (fullest == nullptr || other->ready.size() > fullest->ready.size()))
                fullest = other.get();
        if (fullest != nullptr) {
            c.ready.push_back(fullest->ready.back());
            fullest->ready.pop_back();
            set_limit(*fullest);
        }
    }
    if (c.ready.empty()) {
        if (heap_.has(c))
            heap_.remove(c);
        set_limit(c);
        return;
    }
    thread& t = *c.ready.front();
    c.ready.pop_front();
    c.running = &t;
    t.core = c.number;
    t.now = thread::state::runs;
    c.clock = std::max(c.clock + machine.price.change_of_threads, t.ready_at);
    t.began = c.clock;
    if (tracing != nullptr && t.began > t.left)
        tracing->state(t.number, t.why, c.number, t.where, t.left, t.began);
    t.why = "is ready";
    t.where = {};
    c.slice_ends = never;
    set_limit(c);
    if (heap_.has(c))
        heap_.moved(c);
    else
        heap_.push(c);
}

// Only a thread with a rival on its core has a slice.
void schedule::set_limit(core& c) {
    if (c.ready.empty())
        c.slice_ends = never;
    else if (c.slice_ends == never)
        c.slice_ends = c.clock + machine.price.time_slice;
    if (c.lost_at == never && wish.lose_every != 0)
        plan_loss(c);
    c.limit = std::min(c.slice_ends, c.lost_at);
}

void schedule::place_ready(thread& t, picoseconds time) {
    t.now = thread::state::ready;
    t.ready_at = time;
    const auto count_of_cores = static_cast<unsigned>(cores.size());
    core* best = nullptr;
    for (unsigned i = 0; i < count_of_cores; ++i) {
        core& c = *cores[(t.core + i) % count_of_cores];
        if (!t.may_run_on[c.number])
            continue;
        if (c.running == nullptr && c.ready.empty()) {
            c.clock = std::max(c.clock, time);
            c.ready.push_back(&t);
            take_next(c);
            horizon = std::min(horizon, core_heap::key(c));
            return;
        }
        if (best == nullptr || c.ready.size() < best->ready.size())
            best = &c;
    }
    best->ready.push_back(&t);
    set_limit(*best);
}

unsigned schedule::wake(const void* on, unsigned most) {
    const auto found = sleepers_.find(on);
    if (found == sleepers_.end())
        return 0;
    unsigned woken = 0;
    while (woken < most && !found->second.empty()) {
        thread& t = *found->second.front();
        found->second.pop_front();
        t.woken = true;
        ++t.sleep;
        ++woken;
        ++count.wakes;
        charge(noises.around(machine.price.futex_wake));
        place_ready(t, here->clock + noises.around(machine.price.wake_up));
    }
    if (found->second.empty())
        sleepers_.erase(found);
    return woken;
}

void schedule::yield() {
    fence();
    if (here->ready.empty())
        return;
    thread& t = current();
    t.now = thread::state::ready;
    t.ready_at = here->clock;
    leaves(t);
    here->ready.push_back(&t);
    take_next(*here);
    go_on();
}

void schedule::slice_is_over() {
    if (here->clock >= here->lost_at)
        return lose_core();
    ++current().switches_taken;
    ++count.preempted;
    yield();
}

void schedule::plan_loss(core& c) {
    c.lost_at = c.clock + noises.below(2 * wish.lose_every);
}

// As when a hypervisor takes the processor away: what is in the buffer gets out, and nothing else happens here.
void schedule::lose_core() {
    ++count.lost;
    fence();
    charge(noises.below(wish.lose_for));
    plan_loss(*here);
    set_limit(*here);
    sync();
}

void schedule::reach_all() {
    sync();
    for (const auto& c : cores) {
        c->stores.drain();
        if (c.get() != here && c->running != nullptr)
            c->interrupted += machine.price.interrupt;
    }
}

// ---- threads

void schedule::begin(void* self) {
    auto& t = *static_cast<thread*>(self);
    t.result = t.run(t.argument);
    the->end();
}

// Where the search for a core of a new thread begins.
unsigned schedule::starts_on(unsigned number) const {
    const auto in_all = static_cast<unsigned>(cores.size());
    if (!wish.scatter)
        return (here->number + 1) % in_all;
    const unsigned each = machine.cores_per_cache, caches = (in_all + each - 1) / each;
    return number % caches * each;
}

thread* schedule::start(const pthread_attr_t* attributes, void* (*run)(void*), void* argument, int& error) {
    auto t = std::make_unique<thread>();
    t->number = static_cast<unsigned>(threads_.size());
    t->run = run;
    t->argument = argument;
    t->may_run_on = current().may_run_on;
    t->core = starts_on(t->number);
    t->body = std::make_unique<fiber>(attributes, begin, t.get());
    error = t->body->error();
    if (error != 0)
        return nullptr;
    threads_.push_back(std::move(t));
    return threads_.back().get();
}

void schedule::let_run(thread& t) {
    fence();
    charge(noises.around(machine.price.thread_start));
    place_ready(t, here->clock + noises.around(machine.price.wake_up));
}

thread& schedule::start_main(std::size_t stack_bytes, void (*run)(void*)) {
    threads_.push_back(std::make_unique<thread>());
    thread& t = *threads_.back();
    t.may_run_on.assign(cores.size(), true);
    t.body = std::make_unique<fiber>(stack_bytes, run, &t);
    t.now = thread::state::runs;
    here = cores[0].get();
    here->running = &t;
    heap_.push(*here);
    set_limit(*here);
    find_horizon();
    on_ = t.body.get();
    return t;
}

void schedule::end() {
    thread& t = current();
    end_thread(t);  // destructors run as any code
    fence();
    t.now = thread::state::ended;
    leaves(t);
    if (t.detached)
        to_forget_.push_back(&t);
    else
        wake(&t, ~0u);
    take_next(*here);
    go_on();
    __builtin_unreachable();
}

thread* schedule::find(pthread_t handle) {
    for (auto t = threads_.rbegin(); t != threads_.rend(); ++t)
        if ((*t)->body != nullptr && pthread_equal((*t)->body->handle(), handle) != 0)
            return t->get();
    return nullptr;
}

thread* schedule::find_number(unsigned number) {
    return number < threads_.size() ? threads_[number].get() : nullptr;
}

void schedule::forget(thread& ended) {
    ended.body.reset();
}

bool schedule::allow(thread& t, const std::vector<bool>& allowed) {
    if (std::find(allowed.begin(), allowed.end(), true) == allowed.end())
        return false;
    t.may_run_on = allowed;
    if (&t == &current() && !allowed[here->number]) {
        fence();
        leaves(t);
        core& left = *here;
        const picoseconds now = left.clock;
        take_next(left);
        place_ready(t, now + machine.price.change_of_threads);
        go_on();
    }
    wake_idle_cores();
    return true;
}

// An idle core takes what waits elsewhere and may run on it now.
void schedule::wake_idle_cores() {
    for (const auto& c : cores) {
        if (c->running != nullptr)
            continue;
        c->clock = std::max(c->clock, here->clock);
        take_next(*c);
        if (c->running != nullptr)
            horizon = std::min(horizon, core_heap::key(*c));
    }
}

void schedule::say_threads() {
    for (const auto& t : threads_) {
        if (t->now == thread::state::ended)
            continue;
        const char* const doing = t->now == thread::state::runs     ? "runs"
                                  : t->now == thread::state::sleeps ? t->why
                                                                    : "is ready";
        dprintf(STDERR_FILENO, "  thread %u %s on core %u: %s", t->number, t->name, t->core, doing);
        if (t->now == thread::state::sleeps && t->waits_on != nullptr)
            dprintf(STDERR_FILENO, " at %p", t->waits_on);
        dprintf(STDERR_FILENO, "\n");
        say_stack(t->body.get() == on_ ? nullptr : t->body->stack_pointer(), t->body->top());
    }
}

void schedule::report_and_end(const char* what) {
    write_trace();
    dprintf(STDERR_FILENO, "simulate: %s, at %.3f us, seed %llu\n", what,
            static_cast<double>(here->clock) / static_cast<double>(us),
            static_cast<unsigned long long>(wish.seed));
    say_threads();
    _exit(3);
}

}  // namespace simulate
