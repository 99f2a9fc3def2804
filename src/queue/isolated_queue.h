#pragma once
// The isolated tasks of a slot. A thread inside an isolated region may take only tasks with the region's tag, wherever
// in the queue they lie, which no deque without a lock can offer; so they lie here, and the slot's lock-free queue stays
// free of tags. Any thread; the owner takes the newest, others the oldest.

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>

#include "bough/detail/task.h"

namespace bough {

using detail::task;

class isolated_queue {
public:
    // Throws std::bad_alloc, and then the queue is as it was.
    void push(task& t) {
        const std::lock_guard lock(mutex_);
        tasks_.push_back(&t);
        // seq_cst: store-load pair with the alarm that the spawning thread reads next (park/README.md).
        count_.fetch_add(1, std::memory_order_seq_cst);
    }

    // `tag` 0: whatever its tag.
    task* pop_newest(std::uintptr_t tag) {
        if (!has_tasks())
            return nullptr;
        const std::lock_guard lock(mutex_);
        for (auto at = tasks_.end(); at != tasks_.begin();)
            if (may_take(**--at, tag))
                return erase(at);
        return nullptr;
    }
    task* steal_oldest(std::uintptr_t tag) {
        if (!has_tasks())
            return nullptr;
        const std::lock_guard lock(mutex_);
        for (auto at = tasks_.begin(); at != tasks_.end(); ++at)
            if (may_take(**at, tag))
                return erase(at);
        return nullptr;
    }

    // relaxed: a hint for those who look again.
    bool has_tasks() const { return count_.load(std::memory_order_relaxed) != 0; }
    // The last look of a parking thread; pairs with push().
    bool is_empty() const { return count_.load(std::memory_order_seq_cst) == 0; }
    bool has_tagged(std::uintptr_t tag) const {
        if (is_empty())
            return false;
        const std::lock_guard lock(mutex_);
        for (const task* t : tasks_)
            if (t->isolation == tag)
                return true;
        return false;
    }

private:
    static bool may_take(const task& t, std::uintptr_t tag) { return tag == 0 || t.isolation == tag; }

    task* erase(std::deque<task*>::iterator at) {
        task* t = *at;
        tasks_.erase(at);
        count_.fetch_sub(1, std::memory_order_relaxed);
        return t;
    }

    std::atomic<std::uint32_t> count_{0};
    mutable std::mutex mutex_;
    std::deque<task*> tasks_;
};

}  // namespace bough
