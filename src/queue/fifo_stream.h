#pragma once
// Tasks of an arena that are taken in the order in which they came: enqueued ones, critical ones, resumed ones. Any
// thread may post and take. One mutex: these tasks are the exception, and a posted one costs a wake-up anyway. The list
// goes through the tasks' own links, so posting needs no memory and cannot fail.

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
        // seq_cst: store-load pair with the alarm that the poster reads next (park/README.md).
        count_.fetch_add(1, std::memory_order_seq_cst);
    }

    // The oldest task that a thread may take which is isolated by `tag`; 0: any. Null when there is none.
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

    // relaxed: a hint for those who look again.
    bool has_tasks() const { return count_.load(std::memory_order_relaxed) != 0; }
    // For a report: may be out of date at once.
    std::size_t size() const { return count_.load(std::memory_order_relaxed); }
    // The last look of a parking thread; pairs with post().
    bool is_empty() const { return count_.load(std::memory_order_seq_cst) == 0; }
    // The same for one that may take only what has its tag.
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
        // release: pairs with is_empty(). What whoever takes has announced before is seen by those that miss the task.
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
