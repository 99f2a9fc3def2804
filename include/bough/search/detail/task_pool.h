#pragma once
// The tasks of a search that wait in this process. Any thread calls it; one lock guards it.
//
// Tasks lie in levels, by depth or by their place in an order, each level first in, first out. Threads here take from
// the deepest level, or the first one of the order; other processes take from the shallowest, or the first. A level
// exists while tasks lie in it, so no mark of the lowest or deepest level can be wrong.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

namespace bough::search::detail {

template <class Node>
struct search_task {
    search_task(Node&& n, unsigned d, std::uint64_t l) : node(std::move(n)), depth(d), level(l) {}

    Node node;
    unsigned depth;
    std::uint64_t level;  // its depth, or its place in the order
    bool is_remote = false;
    std::unique_ptr<search_task> next;  // in its level
};

template <class Node>
class task_pool {
public:
    using task = search_task<Node>;
    using owned_task = std::unique_ptr<task>;

    // deepest_first: threads here take from the highest level.
    explicit task_pool(bool deepest_first) : deepest_first_(deepest_first) {}
    task_pool(const task_pool&) = delete;
    task_pool& operator=(const task_pool&) = delete;
    ~task_pool() {  // one by one: a chain of owners would nest its destructors
        while (take_local()) {
        }
    }

    std::size_t size() const { return size_.load(std::memory_order_relaxed); }

    // Throws std::bad_alloc; then the task is lost with the search.
    void push(owned_task t) {
        const std::lock_guard lock(mutex_);
        level& at = levels_[t->level];
        task* const last = t.get();
        (at.last ? at.last->next : at.first) = std::move(t);
        at.last = last;
        size_.store(size() + 1, std::memory_order_relaxed);
    }
    // Null if there is none.
    owned_task take_local() { return take(deepest_first_); }
    owned_task take_shallowest() { return take(false); }

private:
    struct level {
        owned_task first;
        task* last = nullptr;
    };

    owned_task take(bool highest) {
        const std::lock_guard lock(mutex_);
        if (levels_.empty())
            return nullptr;
        const auto at = highest ? std::prev(levels_.end()) : levels_.begin();
        level& l = at->second;
        owned_task t = std::move(l.first);
        l.first = std::move(t->next);
        if (!l.first)
            levels_.erase(at);
        size_.store(size() - 1, std::memory_order_relaxed);
        return t;
    }

    const bool deepest_first_;
    std::mutex mutex_;
    std::map<std::uint64_t, level> levels_;
    std::atomic<std::size_t> size_{0};  // written under the lock
};

}  // namespace bough::search::detail
