#pragma once
// The isolated tasks of a slot. A thread inside an isolated region may take only tasks with the region's tag, wherever
// in the queue they lie. A lock-free deque cannot offer that. So isolated tasks lie here, and the slot's local queue
// knows no tags. Any thread may call; the owner takes the newest task, other threads the oldest.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <new>

#include "bough/detail/task.h"

namespace bough {

using detail::task;

// What a thread may take.
struct task_filter {
    std::uintptr_t tag = 0;                      // of the region that the thread is in; 0: any task
    const detail::cancel_node* below = nullptr;  // only tasks of groups below this node; null: any task

    bool admits_all() const { return tag == 0 && !below; }
    // The caller holds the lock of the queue in which t lies: so t's group lives, and all nodes above the group.
    bool admits(const task& t) const {
        return (tag == 0 || t.isolation == tag) && (!below || (t.group && t.group->node.is_below(below)));
    }
};

class isolated_queue {
public:
    // A task's number. No two tasks of a queue have the same one, and a later task has a larger one.
    using place = std::uint64_t;
    static constexpr place no_limit = ~place{0};

    // Places [begin, end).
    struct span {
        place begin = 0, end = no_limit;
    };

    // `queue_end`: where the slot's queue ends now; tasks before that are older. False: no memory, and the queue is
    // unchanged.
    bool push(task& t, std::int64_t queue_end) {
        const std::lock_guard lock(mutex_);
        const place p = next_.load(std::memory_order_relaxed);
        try {
            tasks_.push_back({&t, p, queue_end});
        } catch (const std::bad_alloc&) {
            return false;
        }
        // release: pairs with next_place().
        next_.store(p + 1, std::memory_order_release);
        note_oldest();
        // seq_cst: store-load pair with the load of the alarm, which the caller does next (park/README.md).
        count_.fetch_add(1, std::memory_order_seq_cst);
        return true;
    }

    task* pop_newest(task_filter f) {
        if (!has_tasks())
            return nullptr;
        const std::lock_guard lock(mutex_);
        for (auto at = tasks_.end(); at != tasks_.begin();)
            if (f.admits(*(--at)->which))
                return erase(at);
        return nullptr;
    }
    task* steal_oldest(task_filter f, span of) {
        if (!has_tasks_before(of.end))
            return nullptr;
        const std::lock_guard lock(mutex_);
        const auto first = std::lower_bound(tasks_.begin(), tasks_.end(), of.begin,
                                            [](const entry& e, place p) { return e.where < p; });
        for (auto at = first; at != tasks_.end() && at->where < of.end; ++at)
            if (f.admits(*at->which))
                return erase(at);
        return nullptr;
    }

    // The place of the next task. acquire: pairs with push(). Who sees a task's place also sees what its owner
    // published before it.
    place next_place() const { return next_.load(std::memory_order_acquire); }
    // The same for the owner, which pushes most of them itself: a hint where others do.
    place next_place_here() const { return next_.load(std::memory_order_relaxed); }
    // Hints. relaxed: push() stores them before the count, which has_tasks() acquires.
    bool has_tasks_before(place end) const {
        return has_tasks() && oldest_.load(std::memory_order_relaxed) < end;
    }
    // Is a task that lies there in the slot's queue older than all that lie here? (Not sure where the owner has left a
    // region without a wait for its tasks: places of the queue are used again.)
    bool has_only_later_than(std::int64_t queue_place) const {
        return queue_place < queue_end_at_oldest_.load(std::memory_order_relaxed);
    }

    // A hint, for threads that look again. acquire: pairs with push(). A worker that sees a task also sees a thread
    // limit that was set before the push (takes_nothing_new).
    bool has_tasks() const { return count_.load(std::memory_order_acquire) != 0; }
    // For a report: may be out of date at once.
    std::size_t size() const { return count_.load(std::memory_order_relaxed); }
    // The last look of a thread that parks. seq_cst: pairs with push().
    bool is_empty() const { return count_.load(std::memory_order_seq_cst) == 0; }
    bool has(task_filter f) const {
        if (is_empty())
            return false;
        const std::lock_guard lock(mutex_);
        return std::any_of(tasks_.begin(), tasks_.end(), [&](const entry& e) { return f.admits(*e.which); });
    }

    // The slot's owner locks it around a process fork.
    std::mutex& mutex() { return mutex_; }

private:
    struct entry {
        task* which;
        place where;
        std::int64_t queue_end;
    };

    task* erase(std::deque<entry>::iterator at) {
        task* t = at->which;
        tasks_.erase(at);
        note_oldest();
        count_.fetch_sub(1, std::memory_order_relaxed);
        return t;
    }

    void note_oldest() {
        if (tasks_.empty())
            return;
        oldest_.store(tasks_.front().where, std::memory_order_relaxed);
        queue_end_at_oldest_.store(tasks_.front().queue_end, std::memory_order_relaxed);
    }

    std::atomic<std::uint32_t> count_{0};
    std::atomic<place> next_{0};
    std::atomic<place> oldest_{0};
    std::atomic<std::int64_t> queue_end_at_oldest_{0};
    mutable std::mutex mutex_;
    std::deque<entry> tasks_;
};

}  // namespace bough
