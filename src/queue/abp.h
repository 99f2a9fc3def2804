#pragma once
// The deque of Arora, Blumofe and Plaxton (SPAA 1998): a fixed array, a bottom that the owner moves, and a top with a
// tag, in one word that thieves and owner change. Whenever the owner finds the queue empty, the queue begins anew at
// cell 0 with the next tag. So the CAS of a thief that slept meanwhile fails. orderings.md argues the orderings.

#include <cstdint>
#include <memory>

#include "bough/config.h"
#include "machine/atomics.h"
#include "queue/steal_result.h"

namespace bough {

// One word: the cell from which thieves take next, and how often the queue has begun anew.
struct abp_age {
    std::uint32_t top;
    std::uint32_t tag;

    abp_age next() const { return {top + 1, tag}; }
    abp_age anew() const { return {0, tag + 1}; }
};

template <class Atomics, class Age = abp_age>
class basic_abp {
public:
    class owner;
    class thief;

    // 32 KiB. A queue of fork-join tasks is rarely deeper than a hundred.
    explicit basic_abp(std::uint32_t capacity = 4096)
        : capacity_(capacity), cells_(std::make_unique<cell[]>(capacity)) {}

    // May be out of date at once. seq_cst: the last look of a thread that parks; pairs with push() (park/README.md).
    bool is_empty() const {
        return bottom_.load(std::memory_order_seq_cst) <= age_.load(std::memory_order_seq_cst).top;
    }

    // Owner: anything to pop?
    bool has_tasks() const {
        return bottom_.load(std::memory_order_relaxed) > age_.load(std::memory_order_relaxed).top;
    }

    // For a report: may be out of date at once.
    std::size_t size() const {
        const auto bottom = bottom_.load(std::memory_order_relaxed);
        const auto top = age_.load(std::memory_order_relaxed).top;
        return bottom > top ? static_cast<std::size_t>(bottom - top) : 0;
    }

    // Owner: where the next task will lie. The tag makes places of later ages come later.
    queue_index next_place() const {
        return place(age_.load(std::memory_order_relaxed), bottom_.load(std::memory_order_relaxed));
    }
    // Where the oldest task lies, if there is one. seq_cst: see thief::steal().
    queue_index oldest_place() const {
        const Age age = age_.load(std::memory_order_seq_cst);
        return place(age, age.top);
    }

private:
    static queue_index place(Age age, std::uint32_t index) {
        return static_cast<queue_index>(age.tag) << 32 | index;
    }
    static Age age_at(queue_index place) {
        Age age{};
        age.top = static_cast<std::uint32_t>(place);
        age.tag = static_cast<std::uint32_t>(place >> 32);
        return age;
    }

    using cell = typename Atomics::template atomic<task*>;

    alignas(cache_line) typename Atomics::template atomic<Age> age_{Age{}};
    alignas(cache_line) typename Atomics::template atomic<std::uint32_t> bottom_{0};
    const std::uint32_t capacity_;
    std::unique_ptr<cell[]> cells_;
};

template <class Atomics, class Age>
class basic_abp<Atomics, Age>::owner {
public:
    explicit owner(basic_abp& q) : q_(q) {}

    // False: no room, and the queue is unchanged. Cells that thieves have emptied give no room until all are empty.
    bool push(task& t) {
        std::uint32_t b = q_.bottom_.load(std::memory_order_relaxed);
        if (b == q_.capacity_) {
            // If thieves have taken all tasks, the queue begins anew. Otherwise it would stay full for as long as each
            // task that runs in place spawns the next one.
            // acquire: pairs with the thief's CAS on age; all cells may be used again.
            const Age age = q_.age_.load(std::memory_order_acquire);
            if (age.top != b)
                return false;
            begin_anew(age);
            b = 0;
        }
        q_.cells_[b].store(&t, std::memory_order_relaxed);
        // release: pairs with the load of bottom in steal(); the task is visible.
        q_.bottom_.store(b + 1, std::memory_order_release);
        // Orders the store before the load of the alarm, which the caller does next. Pairs with the heavy fence in
        // alarm::raise().
        Atomics::light_fence();
        return true;
    }

    // The newest task, or null.
    task* pop() {
        const std::uint32_t b = q_.bottom_.load(std::memory_order_relaxed);
        return b == 0 ? nullptr : take(b - 1, q_.cells_[b - 1].load(std::memory_order_relaxed));
    }

    // Pops t if it is the newest task and no thief takes it.
    bool pop(task& t) {
        const std::uint32_t b = q_.bottom_.load(std::memory_order_relaxed);
        return b != 0 && q_.cells_[b - 1].load(std::memory_order_relaxed) == &t && take(b - 1, &t) != nullptr;
    }

private:
    task* take(std::uint32_t b, task* t) {
        // seq_cst, both: store-load pair with thief::steal(), which loads age, then bottom.
        q_.bottom_.store(b, std::memory_order_seq_cst);
        Age age = q_.age_.load(std::memory_order_seq_cst);
        if (b > age.top)
            return t;
        // The last task, or none. Bottom comes first: a thief that sees the new age sees this bottom, or a later one.
        q_.bottom_.store(0, std::memory_order_relaxed);
        // release: pairs with the load of age in steal(); the thief sees bottom 0, or a later bottom.
        if (b == age.top && q_.age_.compare_exchange_strong(age, age.anew(), std::memory_order_release,
                                                            std::memory_order_relaxed))
            return t;
        begin_anew(age);
        return nullptr;
    }

    // No task is left at this age.
    void begin_anew(Age age) {
        q_.bottom_.store(0, std::memory_order_relaxed);
        // release: pairs with the load of age in steal(), as in take().
        q_.age_.store(age.anew(), std::memory_order_release);
    }

    basic_abp& q_;
};

template <class Atomics, class Age>
class basic_abp<Atomics, Age>::thief {
public:
    explicit thief(basic_abp& q) : q_(q) {}

    // The oldest task. retry: another thread changed age; there may be more tasks.
    steal_result steal() { return steal(q_.oldest_place()); }
    // The same, if it lies at this place, where oldest_place() saw one.
    steal_result steal(queue_index place) {
        const Age age = age_at(place);
        // seq_cst, here and in oldest_place(): the other half of take()'s store-load pair. As acquire, they pair with
        // the releases in take() and begin_anew() (age) and push() (bottom).
        if (q_.bottom_.load(std::memory_order_seq_cst) <= age.top)
            return {steal_status::empty};
        task* t = q_.cells_[age.top].load(std::memory_order_relaxed);
        // release: pairs with the loads of age in take() and push(), after which push() uses the cell again.
        Age expected = age;
        if (!q_.age_.compare_exchange_strong(expected, age.next(), std::memory_order_release,
                                             std::memory_order_relaxed))
            return {steal_status::retry};
        return {steal_status::success, t};
    }

private:
    basic_abp& q_;
};

using abp = basic_abp<machine::atomics>;

}  // namespace bough
