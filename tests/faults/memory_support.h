#pragma once
// The n-th allocation of a call fails, for n = 1, 2, 3 ... until a call needs no n-th one. What is asked after each: it
// threw std::bad_alloc, or did all that it had to; no element was seen twice, and none after the call had ended; the
// pool works.

#include <chrono>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "faults/failing_memory.h"
#include "unit/api_support.h"

namespace bough_test {

// What one call does.
class trial {
public:
    explicit trial(std::size_t elements) : seen_(elements), numbers(elements) {
        for (std::size_t i = 0; i < elements; ++i)
            numbers[i] = static_cast<int>((i * 7919) %
                                          elements);  // a permutation, for elements that 7919 does not divide
        expected = elements * (elements - 1) / 2;
    }

    // What every body calls. Lets another thread come by, but does not insist: none may be able to.
    void visit(std::size_t i) {
        late_.fetch_add(over_.load() ? 1 : 0);
        seen_.hit(i);
        const auto me = std::this_thread::get_id();
        std::thread::id nobody;
        if (!first_.compare_exchange_strong(nobody, me) && nobody != me)
            are_several_ = true;
        for (int i_yield = 0; i_yield < 20 && !are_several_.load() && allowed_ > 1; ++i_yield)
            std::this_thread::yield();
    }
    // Found after the call.
    void find(std::size_t i) { seen_.hit(i); }
    void end() { over_ = true; }

    std::size_t size() const { return numbers.size(); }
    int late() const { return late_.load(); }
    const visits& seen() const { return seen_; }
    bool are_several() const { return are_several_.load(); }

private:
    visits seen_;
    std::atomic<std::thread::id> first_{};
    std::atomic<bool> are_several_{false};
    std::atomic<bool> over_{false};
    std::atomic<int> late_{0};
    const int allowed_ = allowed_threads();

public:
    std::vector<int> numbers;  // a permutation of 0, 1 ...
    std::size_t expected;      // their sum
};

// Blocks that are alive, once nobody frees any more: for 2 ms, as a worker may still be on its way out of an arena,
// which takes some 20 us. (Fifty yields on an idle CPU are shorter than that, and the worker's arena looked like a leak
// in each of 64 rounds.)
inline long live_at_rest() {
    using clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds quiet(2), most(2000);
    const clock::time_point begin = clock::now();
    clock::time_point since = begin;
    long last = failing_memory::live();
    for (clock::time_point now = begin; now - since < quiet && now - begin < most; now = clock::now()) {
        std::this_thread::yield();
        const long live = failing_memory::live();
        if (live != last)
            since = now;
        last = live;
    }
    return last;
}

// Loops and tasks with known answers.
inline bool works() {
    visits loop(100), tasks(20);
    bough::parallel_for(std::size_t{0}, std::size_t{100}, [&](std::size_t i) { loop.hit(i); });
    bough::task_group group;
    for (std::size_t i = 0; i < 20; ++i)
        group.run([&tasks, i] { tasks.hit(i); });
    group.wait();
    return loop.each_once() && tasks.each_once();
}

// How a call ended whose n-th allocation was refused, if it came to that.
struct fault_outcome {
    long refused = 0;
    bool threw = false;
    bool was_other = false;  // than std::bad_alloc
    bool answer = false;
};

template <class Call>
fault_outcome call_with_fault(failing_memory::whose w, failing_memory::how_many h, long n, trial& t,
                              Call& call) {
    fault_outcome o;
    failing_memory::arm(w, h, n);
    try {
        o.answer = call(t);
    } catch (const std::bad_alloc&) {
        o.threw = true;
    } catch (...) {
        o.threw = o.was_other = true;
    }
    o.refused = failing_memory::disarm();
    t.end();
    return o;
}

class fault_sweep {
public:
    fault_sweep(std::string name, std::size_t elements) : name_(std::move(name)), elements_(elements) {}

    // call(trial&) sees each element of the trial once and returns whether its answer is right; after(trial&) runs
    // when memory is there again.
    template <class Call, class After>
    void run(Call call, After after) {
        using failing_memory::how_many;
        using failing_memory::whose;
        // Every thread is there before one can be refused: for 100 ms after that no other is asked for (crew.cpp), and
        // bodies that wait for one another ask for none.
        ASSERT_TRUE(pool_is_usable()) << name_;
        for (int i = 0; i < 3; ++i) {
            trial t(elements_);
            ASSERT_TRUE(call(t) && (after(t, true), t.seen().each_once())) << name_ << ", with all memory";
        }
        for (const whose w : {whose::callers, whose::everybodys})
            for (const how_many h : {how_many::one, how_many::all_from_there})
                run_until_balanced(w, h, call, after);
        EXPECT_TRUE(pool_is_usable()) << name_;
    }
    template <class Call>
    void run(Call call) {
        run(call, [](trial&, bool) {});
    }

private:
    // Every refusal once more, if blocks are left: pools and queues grow to some size, a leak grows each time. With 8
    // threads the pools of stacks have been seen to grow for 13 rounds.
    template <class Call, class After>
    void run_until_balanced(failing_memory::whose w, failing_memory::how_many h, Call& call, After& after) {
        constexpr int most = 64;
        long growth = 1;
        for (int round = 0; round < most && growth > 0 && !::testing::Test::HasFatalFailure(); ++round) {
            const long before = live_at_rest();
            refuse_each(w, h, call, after);
            growth = live_at_rest() - before;
        }
        EXPECT_LE(growth, 0) << name_ << ": each of " << most << " times blocks are left, now " << growth;
    }

    template <class Call, class After>
    void refuse_each(failing_memory::whose w, failing_memory::how_many h, Call& call, After& after) {
        constexpr long most = 3000;
        std::vector<std::unique_ptr<trial>> trials;  // kept: bodies that come late find theirs
        for (long n = 1; n <= most; ++n) {
            trials.push_back(std::make_unique<trial>(elements_));
            trial& t = *trials.back();
            const fault_outcome o = call_with_fault(w, h, n, t, call);
            after(t, !o.threw);
            const auto where = [&] {
                return name_ + ": allocation " + std::to_string(n) +
                       (w == failing_memory::whose::callers ? " of the caller" : " of all threads") +
                       (h == failing_memory::how_many::one ? "" : " and all that follow");
            };
            ASSERT_FALSE(o.was_other) << where() << ": another exception than std::bad_alloc";
            ASSERT_TRUE(!o.threw || o.refused > 0) << where() << ": nothing was refused, yet it threw";
            ASSERT_TRUE(t.seen().none_twice()) << where();
            ASSERT_TRUE(o.threw || (o.answer && t.seen().each_once()))
                << where() << ": " << t.seen().each_once().message();
            ASSERT_TRUE(works()) << where();
            ASSERT_EQ(t.late(), 0) << where();
            if (o.refused == 0)
                return;
        }
        FAIL() << name_ << " wants more than " << most << " blocks of memory";
    }

    std::string name_;
    std::size_t elements_;
};

class faults_are_said : public ::testing::Environment {
    void TearDown() override {
        std::cout << "faults injected: " << failing_memory::refused_in_all() << std::endl;
    }
};

}  // namespace bough_test
