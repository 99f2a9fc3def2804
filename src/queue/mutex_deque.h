#pragma once
// A deque under a mutex. The papers measure the other queues against it.

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>

#include "bough/statistics.h"
#include "machine/atomics.h"
#include "queue/steal_result.h"

namespace bough {

template <class Atomics>
class basic_mutex_deque {
public:
    class owner;
    class thief;

    // May be out of date at once. seq_cst: the last look of a thread that parks; pairs with push() (park/README.md).
    bool is_empty() const { return count_.load(std::memory_order_seq_cst) == 0; }
    bool has_tasks() const { return count_.load(std::memory_order_relaxed) != 0; }
    // For a report: may be out of date at once.
    std::size_t size() const { return count_.load(std::memory_order_relaxed); }

    // Owner: where the next task will lie.
    queue_index next_place() const { return next_.load(std::memory_order_relaxed); }
    // Where the oldest task lies, if there is one.
    queue_index oldest_place() const { return first_.load(std::memory_order_acquire); }

    // The owner locks it around a process fork.
    std::mutex& mutex() { return mutex_; }

private:
    // `from` takes a task off one end, or returns null.
    template <class From>
    task* take(From&& from) {
        if (!has_tasks())
            return nullptr;
        Atomics::count(event::cas_tried, 1);
        const std::lock_guard lock(mutex_);
        if (tasks_.empty())
            return nullptr;
        task* const taken = from(tasks_);
        if (!taken)
            return nullptr;
        count_.fetch_sub(1, std::memory_order_relaxed);
        if (tasks_.empty())  // its place is not used again
            first_.fetch_add(1, std::memory_order_relaxed);
        note_next();
        return taken;
    }
    // Under the mutex. A steal leaves it as it was.
    void note_next() {
        next_.store(first_.load(std::memory_order_relaxed) + static_cast<queue_index>(tasks_.size()),
                    std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> count_{0};
    std::atomic<queue_index> first_{0},
        next_{0};  // places of the oldest and of the next task; written under the mutex
    std::mutex mutex_;
    std::deque<task*> tasks_;
};

template <class Atomics>
class basic_mutex_deque<Atomics>::owner {
public:
    explicit owner(basic_mutex_deque& q) : q_(q) {}

    // False: no memory, and the queue is unchanged.
    bool push(task& t) {
        Atomics::count(event::cas_tried, 1);
        const std::lock_guard lock(q_.mutex_);
        try {
            q_.tasks_.push_back(&t);
        } catch (const std::bad_alloc&) {
            return false;
        }
        q_.note_next();
        // seq_cst: store-load pair with the load of the alarm, which the caller does next (park/README.md).
        q_.count_.fetch_add(1, std::memory_order_seq_cst);
        return true;
    }

    // The newest task, or null.
    task* pop() { return q_.take(newest); }

    // Pops t if it is the newest task.
    bool pop(task& t) {
        return q_.take([&](auto& tasks) { return tasks.back() == &t ? newest(tasks) : nullptr; }) != nullptr;
    }

private:
    static task* newest(std::deque<task*>& tasks) {
        task* t = tasks.back();
        tasks.pop_back();
        return t;
    }

    basic_mutex_deque& q_;
};

template <class Atomics>
class basic_mutex_deque<Atomics>::thief {
public:
    explicit thief(basic_mutex_deque& q) : q_(q) {}

    // The oldest task.
    steal_result steal() { return steal(q_.oldest_place()); }
    // The same, if it lies at this place, where oldest_place() saw one.
    steal_result steal(queue_index place) {
        task* t = q_.take([&](auto& tasks) -> task* {
            if (q_.first_.load(std::memory_order_relaxed) != place)
                return nullptr;
            task* oldest = tasks.front();
            tasks.pop_front();
            if (!tasks.empty())
                q_.first_.fetch_add(1, std::memory_order_relaxed);
            return oldest;
        });
        if (!t)
            return {q_.has_tasks() ? steal_status::retry : steal_status::empty};
        return {steal_status::success, t};
    }

private:
    basic_mutex_deque& q_;
};

using mutex_deque = basic_mutex_deque<machine::atomics>;

}  // namespace bough
