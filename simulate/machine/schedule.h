#pragma once
// Which core goes next. Every simulated core has a clock; the running fiber goes on while its core's clock is the
// earliest, and looks whenever it does something that others can see (sync). One host thread, so none of this has a
// lock.

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <vector>

#include "core.h"
#include "core_heap.h"
#include "description.h"
#include "lines.h"
#include "noise.h"
#include "thread.h"
#include "trace.h"

namespace simulate {

// What a run is told besides the machine.
struct wishes {
    unsigned cores = 1;
    std::uint64_t seed = 1;
    picoseconds lose_every = 0;   // on average a core is lost so often; 0: never
    picoseconds lose_for = 0;     // at most
    picoseconds store_delay = 0;  // a store stays in its buffer for up to so much longer
    picoseconds end_at = never;   // then the program hangs, says the report
    bool scatter = false;         // threads start behind one cache after the other, as systems balance load
};

// Null, and the earliest possible horizon, before the machine starts.
extern core* here;
extern std::uint64_t horizon;

class schedule {
public:
    schedule(const description& machine, const wishes& w);

    // ---- the running thread

    thread& current() { return *here->running; }
    static void charge(picoseconds time) { here->clock += time; }
    // The same, of the program's own steps: here a slice may end, or the core be lost.
    static void compute(picoseconds time) {
        charge(time);
        if (here->clock >= here->limit) [[unlikely]]
            the->slice_is_over();
    }
    // Everything that happens before this moment has happened when it returns.
    static void sync() {
        if (core_heap::key(*here) > horizon) [[unlikely]]
            the->give_way();
    }
    // When the line of `address` is here; asked for at `site` of the program.
    picoseconds bring(std::uintptr_t address, bool write, const void* site);
    // As far as stores go, an ordered operation: the buffer is empty when it returns.
    void fence();
    // The instruction, or what the compiler makes of std::atomic_thread_fence(seq_cst).
    void full_fence() {
        fence();
        charge(machine.price.full_fence);
    }
    // Memory shows the store when its line has come.
    void store_later(void* address, unsigned bytes, std::uint64_t value, picoseconds comes);
    // Until another thread wakes it, or until `deadline`. False: that is over. `on` may be null.
    bool sleep(const void* on, const char* why, picoseconds deadline);
    // Lets others of its core go on, if there are any.
    void yield();
    [[noreturn]] void end();
    void slice_is_over();

    // ---- other threads

    // A thread that will run after let_run(). Null: the system refused it (error).
    thread* start(const pthread_attr_t* attributes, void* (*run)(void*), void* argument, int& error);
    void let_run(thread& t);  // started before: from now on it runs
    thread& start_main(std::size_t stack_bytes, void (*run)(void*));
    unsigned wake(const void* on, unsigned most);
    thread* find(pthread_t handle);
    thread* find_number(unsigned number);  // null: there is none
    void forget(thread& ended);
    bool allow(thread& t, const std::vector<bool>& cores);
    // All stores of all cores take effect; each other running core pays.
    void reach_all();

    [[noreturn]] void report_and_end(const char* what);
    void say_threads();
    void write_trace();

    const description& machine;
    const wishes wish;
    noise noises;
    lines memory;
    trace* tracing = nullptr;  // null: nothing is traced
    std::vector<std::unique_ptr<core>> cores;

    struct counts {
        std::uint64_t accesses = 0, changes = 0, lost = 0, wakes = 0, preempted = 0;
    } count;

    static schedule* the;

private:
    enum class kind { drain, timeout };
    struct event {
        picoseconds time;
        std::uint64_t order;  // of equals the older first
        kind what;
        unsigned number;  // core, or thread
        std::uint64_t sleep;
        bool operator>(const event& e) const { return time != e.time ? time > e.time : order > e.order; }
    };

    void give_way();
    void leaves(thread& t);  // it does not run any more: what it has used
    void go_on();            // runs the next one; returns when that is the caller again
    void find_horizon();
    void fire(const event& e);
    unsigned starts_on(unsigned number) const;
    void place_ready(thread& t, picoseconds time);
    void take_next(core& c);  // the core has no running thread
    void wake_idle_cores();
    void set_limit(core& c);
    void lose_core();
    void plan_loss(core& c);
    static void begin(void* self);
    void add_event(picoseconds time, kind what, unsigned number, std::uint64_t sleep);

    core_heap heap_;
    std::priority_queue<event, std::vector<event>, std::greater<>> events_;
    std::uint64_t next_event_ = 0;
    std::vector<std::unique_ptr<thread>> threads_;
    std::vector<thread*> to_forget_;
    std::unordered_map<const void*, std::deque<thread*>> sleepers_;
    fiber* on_ = nullptr;  // runs on the host
};

}  // namespace simulate
