#include "model/explorer.h"

#include <algorithm>
#include <array>
#include <memory>
#include <sstream>

#include "machine/stack.h"
#include "model/decisions.h"
#include "model/memory.h"
#include "model/sites.h"

namespace bough::model {
namespace {

constexpr unsigned nobody = ~0U;

struct thread_state {
    views seen;
    bool is_done = true;
    bool has_signal = false;
    bool in_handler = false;
    bool has_just_loaded = false;
    bool spins = false;                  // since its last pause it has stored nothing
    std::vector<location> loaded;        // since then
    const void* sleeps_on = nullptr;     // a futex
    std::function<bool()> is_held_back;  // empty: it can go on
    body main;
    body on_signal;

    bool can_go_on() const { return !is_done && !(is_held_back && is_held_back()); }
};

}  // namespace

class explorer {
public:
    explorer(const program& p, const bounds& b) : program_(p), bounds_(b) {
        if (b.seed != 0)
            decisions_.begin_random(b.seed);
        for (std::size_t i = 0; i <= most_threads; ++i)
            stacks_.push_back(std::make_unique<fiber>(*this, i));
        current = this;
    }
    ~explorer() { current = nullptr; }

    static inline explorer* current = nullptr;

    result explore() {
        result r;
        do {
            execute();
            ++r.executions;
        } while (failure_.empty() && r.executions < bounds_.executions && decisions_.next_execution());
        r.is_complete = failure_.empty() && r.executions < bounds_.executions;
        r.accesses = sites_.all();
        if (failure_.empty())
            return r;
        r.schedule = decisions_.text();
        r.failure = failure_;
        if (!is_stuck_)
            r.trace = trace_of(r.schedule);
        return r;
    }

    std::vector<std::string> trace_of(const std::string& schedule) {
        decisions_ = {};
        decisions_.follow(schedule);
        traced_.emplace();
        execute();
        return std::move(*traced_);
    }

    // ---- what a program calls ----

    location make_location(word value) {
        if (memory_.is_full())
            return fail("too many locations"), location{0};
        const location l = memory_.add(value);
        retired_[l] = false;
        return l;
    }

    word load(location l, access a) {
        arrive(a);
        const std::size_t last = memory_.last(l);
        const std::size_t i = last - decisions_.choose(last - memory_.oldest(seen(), l, a.order) + 1);
        const word value = read(l, i, a.order);
        note(a, l, value);
        return value;
    }

    void store(location l, word value, access a) {
        if (!arrive(a))
            return;
        begin_write(l);
        memory_.write(seen(), l, value, a.order);
        note(a, l, value);
    }

    word modify(location l, access a, const std::function<word(word)>& change) {
        arrive(a);
        const word before = read(l, memory_.last(l), a.order);
        begin_write(l);
        memory_.write_over(seen(), l, change(before), a.order);
        note(a, l, before);
        return before;
    }

    bool compare_exchange(location l, word& expected, word desired, access a) {
        arrive(a);
        // The last modification, or an earlier one that has another value.
        const std::size_t last = memory_.last(l);
        std::vector<std::size_t> sides{last};
        for (std::size_t i = last; i-- > memory_.oldest(seen(), l, a.on_failure);)
            if (memory_.value(l, i) != expected)
                sides.push_back(i);
        const std::size_t i = sides[decisions_.choose(sides.size())];
        const bool fits = memory_.value(l, i) == expected;
        const word found = read(l, i, fits ? a.order : a.on_failure);
        if (fits) {
            begin_write(l);
            memory_.write_over(seen(), l, desired, a.order);
        }
        expected = found;
        note(a, l, found, fits ? " done" : " failed");
        return fits;
    }

    void fence(access a) {
        const bool is_made = arrive(a);
        if (a.what == kind::fence)
            memory_.fence(seen(), a.order);
        else if (a.what == kind::heavy_fence && is_made)
            interrupt_all();
        else if (a.what == kind::heavy_fence || is_made)
            memory_.light_fence(seen());
        note(a, 0, 0);
    }

    void plain_read(location l) {
        if (!memory_.plain_read(seen(), l, running_ == nobody ? most_actors - 1 : running_))
            fail("a read races with a write that is not atomic");
    }
    void plain_write(location l) {
        if (!memory_.plain_write(seen(), l))
            fail("a write that is not atomic races with another access");
    }
    void retire(location l) { retired_[l] = true; }

    // ---- waiting ----

    // Another round of a loop that waits, and stores nothing, would read the same, or what is as old: only one that
    // reads something newer leads elsewhere. What it reads then is the newest; rounds in between are left out.
    void pause() {
        thread_state& t = running();
        if (running_ == nobody)
            return;
        if (t.spins) {
            const auto nothing_new = [this, &t] {
                return std::all_of(t.loaded.begin(), t.loaded.end(),
                                   [&](location l) { return memory_.has_seen_all(t.seen, l); });
            };
            hold_back(nothing_new);
            for (const location l : t.loaded)
                memory_.catch_up(t.seen, l);
        }
        t.spins = true;
        t.loaded.clear();
    }

    void lock(location l) {
        if (running_ != nobody) {
            count_step();
            let_others_go();
            hold_back([this, l] { return memory_.value(l, memory_.last(l)) != 0; });
        }
        read(l, memory_.last(l), std::memory_order_acquire);
        begin_write(l);
        memory_.write_over(seen(), l, 1, std::memory_order_relaxed);
    }
    void unlock(location l) { memory_.write(seen(), l, 0, std::memory_order_release); }

    // The kernel compares with what is newest, and a waker that has stored before it calls finds whoever compared
    // before.
    void futex_wait(const void* address, location l, word expected) {
        thread_state& t = running();
        count_step();
        let_others_go();
        if (memory_.value(l, memory_.last(l)) != expected)
            return memory_.catch_up(t.seen, l);  // the thread has read it, if in the kernel
        if (running_ == nobody)
            return fail("nobody is left to wake the sleeper");
        t.sleeps_on = address;
        hold_back([&t] { return t.sleeps_on != nullptr; });
    }
    void futex_wake(const void* address, unsigned count) {
        if (running_ != nobody) {
            count_step();
            let_others_go();
        }
        for (unsigned i = 0; i < threads_used_ && count != 0; ++i)
            if (threads_[i].sleeps_on == address) {
                threads_[i].sleeps_on = nullptr;
                --count;
            }
    }

    void check(bool holds, const char* what) {
        if (!holds)
            fail(what);
    }
    void raise_signal(unsigned thread) { threads_[thread].has_signal = true; }

private:
    // Keeps its stack for the next execution.
    struct fiber {
        fiber(explorer& e, std::size_t i)
            : owner(e), number(i),
              stack(std::size_t{256} << 10, [](void* f) { static_cast<fiber*>(f)->live(); }, this) {}
        void live() {
            for (;;) {
                owner.threads_[number].main();
                owner.end_thread();
            }
        }
        explorer& owner;
        std::size_t number;
        machine::stack stack;
    };

    // ---- one execution ----

    void execute() {
        memory_.begin();
        steps_ = preemptions_ = 0;
        outside_ = {};
        threads_used_ = 0;
        run r;
        program_(r);
        const std::size_t count = r.threads_.size();
        for (std::size_t i = 0; i < count; ++i)
            begin_thread(i, std::move(r.threads_[i].main), std::move(r.threads_[i].on_signal));
        threads_used_ = count;
        run_threads();
        if (!r.last_ || is_stuck_)
            return;
        begin_thread(count, std::move(r.last_), {});
        threads_used_ = count + 1;
        run_threads();
    }

    void begin_thread(std::size_t i, body main, body on_signal) {
        threads_[i] = thread_state{};
        threads_[i].seen.now = outside_.seen.now;
        memory::settle(threads_[i].seen);
        threads_[i].is_done = false;
        threads_[i].main = std::move(main);
        threads_[i].on_signal = std::move(on_signal);
    }

    void run_threads() {
        if (const unsigned first = choose_next(); first != nobody)
            change_to(first);
        for (std::size_t i = 0; i < threads_used_; ++i) {
            thread_state& t = threads_[i];
            outside_.seen.now.join(t.seen.now);
            t.main = nullptr;
            t.on_signal = nullptr;
            if (!t.is_done && !is_stuck_) {
                is_stuck_ = true;
                fail("all threads wait for each other");
            }
        }
    }

    unsigned choose_next() {
        std::array<unsigned, most_threads> ready{};
        std::size_t count = 0;
        for (unsigned i = 0; i < threads_used_; ++i)
            if (threads_[i].can_go_on())
                ready[count++] = i;
        return count == 0 ? nobody : ready[decisions_.choose(count)];
    }

    // Returns when the thread that leaves, if any, is chosen again.
    void change_to(unsigned next) {
        machine::stack& from = running_ == nobody ? own_ : stacks_[running_]->stack;
        running_ = next;
        machine::stack::change(from, next == nobody ? own_ : stacks_[next]->stack);
    }

    void end_thread() {
        running().is_done = true;
        change_to(choose_next());
    }

    // Before an access: others may go first, and a signal may come. False: it is not to be made.
    bool arrive(access& a) {
        const bool is_made = sites_.enter(a, bounds_.changed);
        if (running_ == nobody)
            return is_made;
        count_step();
        thread_state& t = running();
        // After a load that may read what is old, nothing is gained: others can go before it instead.
        if (!t.has_just_loaded)
            let_others_go();
        t.has_just_loaded = a.what == kind::load && a.order != std::memory_order_seq_cst;
        if (t.has_signal && !t.in_handler && decisions_.choose(2) == 1) {
            t.has_signal = false;
            t.in_handler = true;
            t.on_signal();
            t.in_handler = false;
            let_others_go();
            t.has_just_loaded = false;
        }
        return is_made;
    }

    void count_step() {
        if (++steps_ <= bounds_.steps || running_ == nobody)
            return;
        is_stuck_ = true;
        fail("no end in sight");
        change_to(nobody);  // and never come back
    }

    void let_others_go() {
        if (preemptions_ == bounds_.preemptions || running_ == nobody)
            return;
        std::array<unsigned, most_threads> ready{};
        std::size_t count = 1;
        ready[0] = running_;
        for (unsigned i = 0; i < threads_used_; ++i)
            if (i != running_ && threads_[i].can_go_on())
                ready[count++] = i;
        const unsigned next = ready[decisions_.choose(count)];
        if (next == running_)
            return;
        ++preemptions_;
        change_to(next);
    }

    // Others go on until the running thread can.
    void hold_back(std::function<bool()> condition) {
        thread_state& t = running();
        t.is_held_back = std::move(condition);
        if (!t.can_go_on())
            change_to(choose_next());
        t.is_held_back = nullptr;
    }

    // ---- memory ----

    // The others one after the other, and they go on in between.
    void interrupt_all() {
        memory_.fence(seen(), std::memory_order_seq_cst);
        for (unsigned i = 0; i < threads_used_; ++i) {
            if (i == running_)
                continue;
            if (!threads_[i].is_done)
                let_others_go();
            memory_.interrupt(threads_[i].seen);
        }
        memory_.fence(seen(), std::memory_order_seq_cst);
    }

    thread_state& running() { return running_ == nobody ? outside_ : threads_[running_]; }
    views& seen() { return running().seen; }

    word read(location l, std::size_t i, std::memory_order o) {
        if (retired_[l])
            fail("used after its end");
        running().loaded.push_back(l);
        return memory_.read(seen(), l, i, o);
    }
    void begin_write(location l) {
        if (retired_[l])
            fail("used after its end");
        running().spins = false;
    }

    // ---- failures ----

    void note(const access& a, location l, word value, const char* more = "") {
        if (!traced_)
            return;
        std::ostringstream line;
        if (running_ == nobody)
            line << "outside";
        else
            line << "thread " << running_ << (threads_[running_].in_handler ? " handler" : "");
        line << ": " << sites::text(a);
        if (a.what < kind::fence)
            line << " location " << l << " value " << value << more;
        traced_->push_back(line.str());
    }

    void fail(const char* what) {
        if (failure_.empty())
            failure_ = what;
        if (traced_)
            traced_->push_back(std::string("fails: ") + what);
    }

    const program& program_;
    const bounds bounds_;
    decisions decisions_;
    std::array<thread_state, most_threads + 1> threads_;  // and who comes last
    std::size_t threads_used_ = 0;
    thread_state outside_;
    unsigned running_ = nobody;
    unsigned steps_ = 0;
    unsigned preemptions_ = 0;
    memory memory_;
    std::array<bool, most_locations> retired_{};
    sites sites_;
    std::string failure_;
    bool is_stuck_ = false;
    std::optional<std::vector<std::string>> traced_;
    machine::stack own_;
    std::vector<std::unique_ptr<fiber>> stacks_;
};

result explore(const program& p, const bounds& b) {
    return explorer(p, b).explore();
}

result replay(const program& p, const std::string& schedule, const bounds& b) {
    result r;
    explorer e(p, b);
    r.trace = e.trace_of(schedule);
    r.executions = 1;
    r.schedule = schedule;
    return r;
}

void check(bool holds, const char* what) {
    explorer::current->check(holds, what);
}
void raise_signal(unsigned thread) {
    explorer::current->raise_signal(thread);
}
location new_location(word value) {
    return explorer::current->make_location(value);
}
word load(location l, const access& a) {
    return explorer::current->load(l, a);
}
void store(location l, word value, const access& a) {
    explorer::current->store(l, value, a);
}
word modify(location l, const access& a, const std::function<word(word)>& change) {
    return explorer::current->modify(l, a, change);
}
bool compare_exchange(location l, word& expected, word desired, const access& a) {
    return explorer::current->compare_exchange(l, expected, desired, a);
}
void fence(const access& a) {
    explorer::current->fence(a);
}
void retire(location l) {
    if (explorer::current)
        explorer::current->retire(l);
}
void pause() {
    explorer::current->pause();
}
void lock(location l) {
    explorer::current->lock(l);
}
void unlock(location l) {
    explorer::current->unlock(l);
}
void futex_wait(const void* address, location l, word expected) {
    explorer::current->futex_wait(address, l, expected);
}
void futex_wake(const void* address, unsigned count) {
    explorer::current->futex_wake(address, count);
}
void plain_read(location l) {
    explorer::current->plain_read(l);
}
void plain_write(location l) {
    explorer::current->plain_write(l);
}

}  // namespace bough::model
