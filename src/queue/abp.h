#pragma once
// The deque of Arora, Blumofe and Plaxton (SPAA 1998): a fixed array, one bottom for the owner, and a top with a tag
// that thieves and owner change together. It begins anew at cell 0 whenever its owner finds it empty; the tag tells a
// thief that slept over it. README.md argues the orderings.

#include <cstdint>
#include <memory>

#include "bough/config.h"
#include "machine/atomics.h"
#include "queue/steal_result.h"

namespace bough {

// Where thieves are, in one word: the cell, and how often the queue has begun anew.
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

    // 32 KiB; a queue of tasks that are forked and joined is rarely deeper than a hundred.
    explicit basic_abp(std::uint32_t capacity = 4096)
        : capacity_(capacity), cells_(std::make_unique<cell[]>(capacity)) {}

    // May be out of date at once. seq_cst: the last look of a parking thread, against push() (park/README.md).
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

private:
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

    // False: no room, also where thieves have emptied some cells but not all. Nothing is done then.
    bool push(task& t) {
        std::uint32_t b = q_.bottom_.load(std::memory_order_relaxed);
        if (b == q_.capacity_) {
            // Thieves have taken all: else a task that runs in place, and spawns the next one, would never come to an
            // end.
            const Age age = q_.age_.load(std::memory_order_acquire);
            if (age.top != b)
                return false;
            begin_anew(age);
            b = 0;
        }
        q_.cells_[b].store(&t, std::memory_order_relaxed);
        // release: pairs with the load of bottom in steal; the task is visible.
        q_.bottom_.store(b + 1, std::memory_order_release);
        // Store-load pair with the alarm that the spawning thread reads next; the heavy fence is in alarm::raise().
        Atomics::light_fence();
        return true;
    }

    // The newest task, or null.
    task* pop() {
        const std::uint32_t b = q_.bottom_.load(std::memory_order_relaxed);
        return b == 0 ? nullptr : take(b - 1, q_.cells_[b - 1].load(std::memory_order_relaxed));
    }

    // Pops t if it is the newest task, and nobody steals it.
    bool pop(task& t) {
        const std::uint32_t b = q_.bottom_.load(std::memory_order_relaxed);
        return b != 0 && q_.cells_[b - 1].load(std::memory_order_relaxed) == &t && take(b - 1, &t) != nullptr;
    }

private:
    task* take(std::uint32_t b, task* t) {
        // seq_cst: store-load pair with thief::steal (loads age, then bottom).
        q_.bottom_.store(b, std::memory_order_seq_cst);
        Age age = q_.age_.load(std::memory_order_seq_cst);
        if (b > age.top)
            return t;
        // The last one, or none. Bottom first, so that whoever sees the new age sees that.
        q_.bottom_.store(0, std::memory_order_relaxed);
        // release: pairs with the load of age in steal; bottom is 0 there.
        if (b == age.top && q_.age_.compare_exchange_strong(age, age.anew(), std::memory_order_release,
                                                            std::memory_order_relaxed))
            return t;
        begin_anew(age);
        return nullptr;
    }

    // Nothing is left at this age.
    void begin_anew(Age age) {
        q_.bottom_.store(0, std::memory_order_relaxed);
        // release: pairs with the load of age in steal, as above.
        q_.age_.store(age.anew(), std::memory_order_release);
    }

    basic_abp& q_;
};

template <class Atomics, class Age>
class basic_abp<Atomics, Age>::thief {
public:
    explicit thief(basic_abp& q) : q_(q) {}

    // The oldest task. retry: somebody else moved age; there may be more.
    steal_result steal() {
        // seq_cst, both: the other half of take()'s store-load pair; acquire: pairs with take() and with push.
        Age age = q_.age_.load(std::memory_order_seq_cst);
        const std::uint32_t b = q_.bottom_.load(std::memory_order_seq_cst);
        if (b <= age.top)
            return {steal_status::empty};
        task* t = q_.cells_[age.top].load(std::memory_order_relaxed);
        // release: pairs with take(), after which push uses the cell again.
        if (!q_.age_.compare_exchange_strong(age, age.next(), std::memory_order_release,
                                             std::memory_order_relaxed))
            return {steal_status::retry};
        return {steal_status::success, t};
    }

private:
    basic_abp& q_;
};

using abp = basic_abp<machine::atomics>;

}  // namespace bough
