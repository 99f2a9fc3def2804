#pragma once
// Runs a small concurrent program in all its executions, one after the other, under the C++ memory model: at every
// atomic access any thread may go on, and a load may return any value that coherence and what the thread has seen leave
// to it. README.md says what is modelled and what is not.
//
//     const model::result r = model::explore([](model::run& r) {
//         auto x = std::make_shared<model::atomic<int>>(0);
//         r.thread([x] { x->store(1, std::memory_order_release); });
//         r.thread([x] { model::check(x->load(std::memory_order_acquire) < 2, "what is wrong"); });
//         r.finally([x] { model::check(x->load(std::memory_order_relaxed) == 1, "what is wrong"); });
//     });
//
// Not for several threads: a process explores one program at a time.

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

namespace bough::model {

enum class kind : std::uint8_t {
    load,
    store,
    exchange,
    add,
    compare_exchange,
    fence,
    light_fence,
    heavy_fence
};

using body = std::function<void()>;

// One execution of the program; its state is made anew for each.
class run {
public:
    void thread(body b) { threads_.push_back({std::move(b), {}}); }
    // With a handler for signals that are sent to it (raise_signal); it may run before any of the thread's accesses.
    void thread(body b, body on_signal) { threads_.push_back({std::move(b), std::move(on_signal)}); }
    // After all threads, and with all that they did seen.
    void finally(body b) { last_ = std::move(b); }

private:
    friend class explorer;
    struct member {
        body main;
        body on_signal;
    };
    std::vector<member> threads_;
    body last_;
};

using program = std::function<void(run&)>;

// An access that is made with a weaker order than the source says, a store or a light fence that is left out, or a
// heavy fence that is only a light one, to see whether anybody notices.
struct mutant {
    std::string where;  // result::access::where
    std::memory_order order;
    bool is_dropped = false;  // of a heavy fence: it is a light one
};

struct bounds {
    unsigned preemptions = 3;  // switches away from a thread that could have gone on
    std::uint64_t executions = 20'000'000;
    std::uint64_t seed = 0;  // not 0: that many executions at random instead of all
    unsigned steps = 5'000;  // of one execution; more are a failure: nothing comes to an end
    std::optional<mutant> changed = {};
};

struct result {
    std::uint64_t executions = 0;
    bool is_complete = false;        // every execution within the bounds was seen
    std::string failure;             // empty: none
    std::string schedule;            // of the failure, for bounds of the same program: replay()
    std::vector<std::string> trace;  // of the failure, an access a line

    // As they stand in the source.
    struct access {
        std::string name;   // function, operation, and which of several such: "steal load 2"
        std::string where;  // file, line and column
        kind what;
        std::memory_order order;
    };
    std::vector<access> accesses;
};

result explore(const program& p, const bounds& b = {});
// The one execution that a failure printed.
result replay(const program& p, const std::string& schedule, const bounds& b = {});

// Inside a program. The first that does not hold ends the exploration.
void check(bool holds, const char* what);
// The thread with this number, in the order of run::thread, has a signal pending.
void raise_signal(unsigned thread);

// ---- what the atomics of a program call (model/atomics.h) ----

struct access {
    kind what;
    std::memory_order order;
    std::memory_order on_failure = std::memory_order_relaxed;
    std::source_location at;
};

using location = std::uint16_t;
using word = std::uint64_t;

location new_location(word value);
word load(location l, const access& a);
void store(location l, word value, const access& a);
// The value before; `change` makes the next one of it.
word modify(location l, const access& a, const std::function<word(word)>& change);
bool compare_exchange(location l, word& expected, word desired, const access& a);
void fence(const access& a);
// Of what is not atomic: an access that some other one does not happen before, or after, is a failure.
void plain_read(location l);
void plain_write(location l);
// What it belongs to is gone: any further access is a failure.
void retire(location l);

// In a loop that waits for others: they go on until there is something new to read.
void pause();
// A mutex that is a location: 0 while nobody holds it.
void lock(location l);
void unlock(location l);
// Sleeps if the newest value is `expected`, until woken by the address. Threads that all sleep, or wait, are a failure.
void futex_wait(const void* address, location l, word expected);
void futex_wake(const void* address, unsigned count);

}  // namespace bough::model
