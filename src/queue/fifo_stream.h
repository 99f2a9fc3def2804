#pragma once
// Tasks of an arena that are taken first in, first out: enqueued, critical and resumed ones. Any thread may post and
// take. One mutex suffices: these tasks are rare, and posting one costs a wake-up anyway. The list goes through the
// tasks' own links, so posting needs no memory and cannot fail.

#include <atomic>
#include <cstdint>
#include <mutex>

#include "bough/detail/task.h"
#include "machine/atomics.h"

namespace bough {

using detail::task;

template <class Atomics>
class basic_fifo_stream {
public:
    void post(task& t) {
        t.link = nullptr;
        const std::lock_guard lock(mutex_);
        *end_ = &t;
        end_ = &t.link;
        // seq_cst: store-load pair with the load of the alarm, which the caller does next (park/README.md).
        count_.fetch_add(1, std::memory_order_seq_cst);
    }

    // The oldest task with this isolation tag, or with tag 0 the oldest of all; null if there is none.
    task* take(std::uintptr_t tag) {
        if (!has_tasks())
            return nullptr;
        const std::lock_guard lock(mutex_);
        for (task** at = &first_; *at; at = &(*at)->link) {
            if (tag == 0 || (*at)->isolation == tag)
                return unlink(at);
        }
        return nullptr;
    }

    // relaxed: a hint, for threads that look again.
    bool has_tasks() const { return count_.load(std::memory_order_relaxed) != 0; }
    // For a report: may be out of date at once.
    std::size_t size() const { return count_.load(std::memory_order_relaxed); }
    // The last look of a thread that parks. seq_cst: pairs with post().
    bool is_empty() const { return count_.load(std::memory_order_seq_cst) == 0; }
    // The same, for a thread that may take only tasks with this tag.
    bool has_tagged(std::uintptr_t tag) const {
        if (is_empty())
            return false;
        const std::lock_guard lock(mutex_);
        for (task* t = first_; t; t = t->link)
            if (t->isolation == tag)
                return true;
        return false;
    }

private:
    task* unlink(task** at) {
        task* t = *at;
        *at = t->link;
        if (end_ == &t->link)
            end_ = at;
        // release: pairs with the load in is_empty(). A thread that misses the task sees what its taker announced
        // before it took the task.
        count_.fetch_sub(1, std::memory_order_release);
        return t;
    }

    typename Atomics::template atomic<std::uint32_t> count_{0};
    mutable typename Atomics::mutex mutex_;
    task* first_ = nullptr;
    task** end_ = &first_;
};

using fifo_stream = basic_fifo_stream<machine::atomics>;

}  // namespace bough
