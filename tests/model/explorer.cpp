#include "model/explorer.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <sstream>
#include <tuple>

#include "machine/stack.h"
#include "model/decisions.h"

namespace bough::model {
namespace {

constexpr std::size_t most_locations = 64;
constexpr std::size_t most_threads = 4;
constexpr unsigned nobody = ~0U;

// Of each location the first entry of its modification order that may still be read.
struct view {
    std::array<std::uint16_t, most_locations> seen{};

    void join(const view& other) {
        for (std::size_t i = 0; i < most_locations; ++i)
            seen[i] = std::max(seen[i], other.seen[i]);
    }
};

// An entry of a location's modification order. Modifications are ordered as they are executed.
struct message {
    word value;
    view carried;  // what one who acquires it has seen
};

bool acquires(std::memory_order o) {
    return o != std::memory_order_relaxed && o != std::memory_order_release;
}
bool releases(std::memory_order o) {
    return o == std::memory_order_release || o == std::memory_order_acq_rel || o == std::memory_order_seq_cst;
}

const char* name_of(kind k) {
    constexpr std::array names{"load", "store", "exchange", "add", "compare_exchange", "fence"};
    return names[static_cast<std::size_t>(k)];
}
// "task* bough::chase_lev<A>::owner::take(long) [with ...]" -> "take"
std::string base_name(std::string function) {
    function = function.substr(0, function.find('('));
    const std::size_t before = function.find_last_of(": ");
    return before == std::string::npos ? function : function.substr(before + 1);
}

std::string where(const std::source_location& at) {
    const std::string file = at.file_name();
    return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.line()) + ":" +
           std::to_string(at.column());
}

struct thread_state {
    view now;
    view acquired;  // by relaxed loads: an acquire fence makes it seen
    view released;  // by the last release fence: relaxed stores carry it
    bool is_done = true;
    bool has_signal = false;
    bool in_handler = false;
    bool has_just_loaded = false;
    body main;
    body on_signal;
};

}  // namespace

const char* name_of(std::memory_order o) {
    constexpr std::array names{"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    return names[static_cast<std::size_t>(o)];
}

class explorer {
public:
    explorer(const program& p, const bounds& b) : program_(p), bounds_(b) {
        if (b.seed != 0)
            decisions_.begin_random(b.seed);
        for (std::size_t i = 0; i < most_threads; ++i)
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
        r.accesses = accesses();
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
        if (locations_used_ == most_locations)
            return fail("too many locations"), location{0};
        const auto l = static_cast<location>(locations_used_++);
        modifications_[l].clear();
        modifications_[l].push_back({value, {}});
        return l;
    }

    word load(location l, access a) {
        arrive(a);
        const word value = read(l, choose_message(l, a.order), a.order);
        note(a, l, value);
        return value;
    }

    void store(location l, word value, access a) {
        if (!arrive(a))
            return;
        write(l, value, a.order, nullptr);
        note(a, l, value);
    }

    word modify(location l, access a, const std::function<word(word)>& change) {
        arrive(a);
        const std::size_t last = modifications_[l].size() - 1;
        const word before = read(l, last, a.order);
        write(l, change(before), a.order, &modifications_[l][last]);
        note(a, l, before);
        return before;
    }

    bool compare_exchange(location l, word& expected, word desired, access a) {
        arrive(a);
        // The last modification, or an earlier one that has another value.
        const std::size_t last = modifications_[l].size() - 1;
        std::vector<std::size_t> sides{last};
        for (std::size_t i = last; i-- > oldest(l, a.on_failure);)
            if (modifications_[l][i].value != expected)
                sides.push_back(i);
        const std::size_t i = sides[decisions_.choose(sides.size())];
        const bool fits = modifications_[l][i].value == expected;
        const word seen = read(l, i, fits ? a.order : a.on_failure);
        if (fits)
            write(l, desired, a.order, &modifications_[l][i]);
        expected = seen;
        note(a, l, seen, fits ? " done" : " failed");
        return fits;
    }

    void fence(access a) {
        arrive(a);
        thread_state& t = running();
        if (acquires(a.order))
            t.now.join(t.acquired);
        if (a.order == std::memory_order_seq_cst) {
            t.now.join(sequential_);
            sequential_ = t.now;
        }
        if (releases(a.order))
            t.released = t.now;
        note(a, 0, 0);
    }

    void plain_read(location written, location read) {
        if (running().now.seen[written] + 1U != modifications_[written].size())
            fail("a read races with a write that is not atomic");
        write(read, 0, std::memory_order_relaxed, nullptr);
    }
    void plain_write(location written, location read) {
        const view& now = running().now;
        if (now.seen[written] + 1U != modifications_[written].size() ||
            now.seen[read] + 1U != modifications_[read].size())
            fail("a write that is not atomic races with another access");
        write(written, 0, std::memory_order_relaxed, nullptr);
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
        locations_used_ = 0;
        steps_ = preemptions_ = 0;
        sequential_ = {};
        outside_ = {};
        run r;
        program_(r);
        const std::size_t count = r.threads_.size();
        for (std::size_t i = 0; i < count; ++i) {
            threads_[i] = thread_state{};
            threads_[i].now = outside_.now;
            threads_[i].is_done = false;
            threads_[i].main = std::move(r.threads_[i].main);
            threads_[i].on_signal = std::move(r.threads_[i].on_signal);
        }
        threads_used_ = count;
        if (const unsigned first = choose_next(); first != nobody)
            change_to(first);
        for (std::size_t i = 0; i < count; ++i) {
            outside_.now.join(threads_[i].now);
            threads_[i].main = nullptr;
            threads_[i].on_signal = nullptr;
        }
        if (r.last_ && !is_stuck_)
            r.last_();
    }

    unsigned choose_next() {
        std::array<unsigned, most_threads> ready{};
        std::size_t count = 0;
        for (unsigned i = 0; i < threads_used_; ++i)
            if (!threads_[i].is_done)
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
        const bool is_made = enter_site(a);
        if (running_ == nobody)
            return is_made;
        if (++steps_ > bounds_.steps) {
            is_stuck_ = true;
            fail("no end in sight");
            change_to(nobody);  // and never come back
        }
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

    void let_others_go() {
        if (preemptions_ == bounds_.preemptions)
            return;
        std::array<unsigned, most_threads> ready{};
        std::size_t count = 1;
        ready[0] = running_;
        for (unsigned i = 0; i < threads_used_; ++i)
            if (i != running_ && !threads_[i].is_done)
                ready[count++] = i;
        const unsigned next = ready[decisions_.choose(count)];
        if (next == running_)
            return;
        ++preemptions_;
        change_to(next);
    }

    // ---- memory ----

    thread_state& running() { return running_ == nobody ? outside_ : threads_[running_]; }

    std::size_t oldest(location l, std::memory_order o) {
        const std::size_t seen = running().now.seen[l];
        // Not before what is first in the order of all seq_cst operations.
        return o == std::memory_order_seq_cst ? std::max<std::size_t>(seen, sequential_.seen[l]) : seen;
    }

    std::size_t choose_message(location l, std::memory_order o) {
        const std::size_t last = modifications_[l].size() - 1;
        return last - decisions_.choose(last - oldest(l, o) + 1);
    }

    word read(location l, std::size_t i, std::memory_order o) {
        thread_state& t = running();
        const message& m = modifications_[l][i];
        const auto at = static_cast<std::uint16_t>(i);
        t.now.seen[l] = std::max(t.now.seen[l], at);
        (acquires(o) ? t.now : t.acquired).join(m.carried);
        if (o == std::memory_order_seq_cst)
            sequential_.seen[l] = std::max(sequential_.seen[l], at);
        return m.value;
    }

    // `before`: what an atomic modification has read; it goes on with the release sequence of that.
    void write(location l, word value, std::memory_order o, const message* before) {
        thread_state& t = running();
        const auto at = static_cast<std::uint16_t>(modifications_[l].size());
        t.now.seen[l] = at;
        message m{value, releases(o) ? t.now : t.released};
        m.carried.seen[l] = at;
        if (before)
            m.carried.join(before->carried);
        modifications_[l].push_back(m);
        if (o == std::memory_order_seq_cst)
            sequential_.seen[l] = at;
    }

    // ---- sites, failures ----

    bool enter_site(access& a) {
        const auto key = std::make_tuple(a.at.file_name(), a.at.line(), a.at.column());
        auto at = sites_.find(key);
        if (at == sites_.end())
            at = sites_
                     .emplace(key, site{where(a.at), base_name(a.at.function_name()), a.what, a.order,
                                        is_changed(a)})
                     .first;
        if (!at->second.is_changed)
            return true;
        a.order = bounds_.changed->order;
        return !bounds_.changed->is_dropped;
    }

    bool is_changed(const access& a) const {
        return bounds_.changed && bounds_.changed->where == where(a.at);
    }

    std::vector<result::access> accesses() const {
        std::vector<result::access> all;
        std::map<std::string, unsigned> numbers;
        for (const auto& [key, s] : sites_) {
            const std::string name = s.function + " " + name_of(s.what);
            const unsigned number = ++numbers[name];
            all.push_back(
                {number == 1 ? name : name + " " + std::to_string(number), s.where, s.what, s.order});
        }
        return all;
    }

    void note(const access& a, location l, word value, const char* more = "") {
        if (!traced_)
            return;
        std::ostringstream line;
        if (running_ == nobody)
            line << "outside";
        else
            line << "thread " << running_ << (threads_[running_].in_handler ? " handler" : "");
        line << ": " << base_name(a.at.function_name()) << " " << where(a.at) << " " << name_of(a.what) << " "
             << name_of(a.order);
        if (a.what != kind::fence)
            line << " location " << l << " value " << value << more;
        traced_->push_back(line.str());
    }

    void fail(const char* what) {
        if (failure_.empty())
            failure_ = what;
        if (traced_)
            traced_->push_back(std::string("fails: ") + what);
    }

    struct site {
        std::string where;
        std::string function;
        kind what;
        std::memory_order order;
        bool is_changed;
    };

    const program& program_;
    const bounds bounds_;
    decisions decisions_;
    std::array<thread_state, most_threads> threads_;
    std::size_t threads_used_ = 0;
    thread_state outside_;
    unsigned running_ = nobody;
    unsigned steps_ = 0;
    unsigned preemptions_ = 0;
    std::array<std::vector<message>, most_locations> modifications_;
    std::size_t locations_used_ = 0;
    view sequential_;  // what all seq_cst operations so far have written and read
    std::map<std::tuple<const char*, std::uint_least32_t, std::uint_least32_t>, site> sites_;
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
void plain_read(location written, location read) {
    explorer::current->plain_read(written, read);
}
void plain_write(location written, location read) {
    explorer::current->plain_write(written, read);
}

}  // namespace bough::model
