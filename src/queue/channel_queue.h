#pragma once
// The local queue for the balancer of channels: only its owner touches the tasks; other threads ask for them by the
// channel `requests`, which the owner's thread answers (../balance/README.md). Invariant: while a task lies here the
// channel is open, or the owner sleeps and had no memory to give the task away.
//
// A push needs no memory: what finds no room lies in a list, newest first, and is newer than all in the cells. For a
// thread puts here what it was sent while it holds another task. If it ran that in place, and the body suspended its
// stack, the other task would lie on that stack, and nobody could run it.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

#include "bough/config.h"
#include "bough/detail/task.h"
#include "channel/mpsc.h"
#include "queue/steal_result.h"

namespace bough {

namespace detail {
class arena;
}
class channel_queue;

namespace balancing {
// Defined by the balancer: makes the queue's tasks public, for an owner that sleeps or leaves.
void expose_tasks(detail::arena& home, channel_queue& q);
}  // namespace balancing

class channel_queue {
    using task = detail::task;

public:
    explicit channel_queue(detail::arena& home) : home_(home) {}
    channel_queue(const channel_queue&) = delete;
    channel_queue& operator=(const channel_queue&) = delete;

    mpsc_channel requests{false};

    // ---- any thread ----

    // False: a request would be answered, as none lies there. May be out of date at once.
    bool is_empty() const { return !requests.is_open_and_empty(); }
    // Requests lie there, but fewer than there are tasks (a hint).
    bool has_more_than_asked() const { return requests.is_open() && size() > requests.pending(); }
    // Loops are published by the channel, too.
    static constexpr bool parts_are_published = false;

    // ---- for the owner; for others hints ----

    bool has_tasks() const { return size() != 0; }
    std::size_t size() const {
        const std::size_t bottom = bottom_.load(std::memory_order_relaxed);
        const std::size_t top = top_.load(std::memory_order_relaxed);
        return bottom > top ? bottom - top : 0;
    }

    // Where the next task will lie, and where the oldest one lies, if there is one.
    queue_index next_place() const {
        return static_cast<queue_index>(bottom_.load(std::memory_order_relaxed));
    }
    queue_index oldest_place() const {
        return static_cast<queue_index>(top_.load(std::memory_order_relaxed));
    }

    // ---- owner ----

    // Something can be given away. The caller reads the alarm next.
    void open() {
        if (is_open_) [[likely]]
            return;
        is_open_ = true;
        requests.open();
    }
    // There is nothing. What was sent before has still to be received.
    void close() {
        if (!is_open_)
            return;
        is_open_ = false;
        requests.close();
    }
    bool is_open() const { return is_open_; }

    class owner {
    public:
        explicit owner(channel_queue& q) : q_(q) {}

        // Amortised O(1). Always true.
        bool push(task& t) {
            const std::size_t b = q_.bottom_.load(std::memory_order_relaxed);
            if (b - q_.top_.load(std::memory_order_relaxed) >= q_.room_ || q_.listed_ != 0) [[unlikely]]
                q_.push_without_room(t, b);
            else
                q_.cells_[b & (q_.room_ - 1)] = &t;
            q_.bottom_.store(b + 1, std::memory_order_relaxed);
            q_.open();
            return true;
        }
        // The newest task, or null.
        task* pop() {
            const std::size_t b = q_.bottom_.load(std::memory_order_relaxed);
            if (b == q_.top_.load(std::memory_order_relaxed))
                return nullptr;
            q_.bottom_.store(b - 1, std::memory_order_relaxed);
            return q_.listed_ != 0 ? q_.unlist() : q_.cells_[(b - 1) & (q_.room_ - 1)];
        }
        // Pops t if it is the newest task.
        bool pop(task& t) {
            const std::size_t b = q_.bottom_.load(std::memory_order_relaxed);
            if (b == q_.top_.load(std::memory_order_relaxed) ||
                (q_.listed_ != 0 ? q_.list_ : q_.cells_[(b - 1) & (q_.room_ - 1)]) != &t)
                return false;
            pop();
            return true;
        }
        // So many tasks take_oldest() can take at once: all, but for a lack of memory. Not 0 if there are tasks.
        std::size_t within_reach() {
            if (q_.listed_ != 0 && q_.size() == q_.listed_)
                q_.move_oldest_into_cells();
            return q_.size() - q_.listed_;
        }
        // The oldest `count` tasks, as a chain by task::link: one, or no more than are within reach.
        task* take_oldest(std::size_t count) {
            within_reach();
            const std::size_t top = q_.top_.load(std::memory_order_relaxed);
            task* chain = nullptr;
            for (std::size_t i = top + count; i-- > top;) {
                task* const t = q_.cells_[i & (q_.room_ - 1)];
                t->link = chain;
                chain = t;
            }
            q_.top_.store(top + count, std::memory_order_relaxed);
            return chain;
        }
        // Undoes the last take_oldest(), of which the chain is left whole.
        void put_back(std::size_t count) {
            q_.top_.store(q_.top_.load(std::memory_order_relaxed) - count, std::memory_order_relaxed);
        }

    private:
        channel_queue& q_;
    };

    // ---- what a local queue needs besides (plain_queue.h) ----

    static void on_exposed(void (*)(detail::arena&)) {}

    void begin_owning() {
        beneath_ = newest_here;
        newest_here = this;
    }
    void end_owning() {
        channel_queue** at = &newest_here;
        while (*at && *at != this)
            at = &(*at)->beneath_;
        if (*at)
            *at = beneath_;
        balancing::expose_tasks(home_, *this);
    }
    static void expose_all_here() {
        for (channel_queue* q = newest_here; q; q = q->beneath_)
            balancing::expose_tasks(q->home_, *q);
    }

    void lock_for_process_fork() {}
    void unlock_after_process_fork() {}
    static void lock_all_for_process_fork() {}
    static void unlock_all_in_parent() {}
    // The threads that asked are gone, and may have been in the middle of that.
    static void begin_in_child() {
        for (channel_queue* q = newest_here; q; q = q->beneath_) {
            new (&q->requests) mpsc_channel(false);
            q->is_open_ = false;
            if (q->has_tasks())
                q->open();
        }
    }

private:
    // The task will lie in place b.
    BOUGH_NOINLINE void push_without_room(task& t, std::size_t b) {
        if (listed_ == 0 && grow()) {
            cells_[b & (room_ - 1)] = &t;
            return;
        }
        t.link = list_;
        list_ = &t;
        ++listed_;
    }
    task* unlist() {
        task* const t = list_;
        list_ = std::exchange(t->link, nullptr);
        --listed_;
        return t;
    }
    // All tasks lie in the list. Linear in their number.
    BOUGH_NOINLINE void move_oldest_into_cells() {
        const std::size_t moved = std::min(listed_, room_);
        task** at = &list_;
        for (std::size_t stays = listed_ - moved; stays != 0; --stays)
            at = &(*at)->link;
        task* t = std::exchange(*at, nullptr);
        const std::size_t top = top_.load(std::memory_order_relaxed);
        for (std::size_t i = top + moved; i-- > top;) {
            cells_[i & (room_ - 1)] = t;
            t = std::exchange(t->link, nullptr);
        }
        listed_ -= moved;
    }

    BOUGH_NOINLINE bool grow() {
        const std::size_t room = std::max<std::size_t>(64, 2 * room_);
        std::unique_ptr<task*[]> cells(new (std::nothrow) task*[room]);
        if (!cells)
            return false;
        for (std::size_t i = top_.load(std::memory_order_relaxed);
             i != bottom_.load(std::memory_order_relaxed); ++i)
            cells[i & (room - 1)] = cells_[i & (room_ - 1)];
        made_ = std::move(cells);
        cells_ = made_.get();
        room_ = room;
        return true;
    }

    // The queues that this thread owns, newest first.
    static inline constinit thread_local channel_queue* newest_here BOUGH_FAST_TLS = nullptr;

    // relaxed, both: written by the owner; for others they are hints.
    alignas(cache_line) std::atomic<std::size_t> top_{0};
    std::atomic<std::size_t> bottom_{0};
    std::array<task*, 4> first_cells_;
    std::unique_ptr<task*[]> made_;
    task** cells_ = first_cells_.data();
    std::size_t room_ = first_cells_.size();  // a power of two
    task* list_ = nullptr;                    // of tasks that found no room
    std::size_t listed_ = 0;
    bool is_open_ = false;
    channel_queue* beneath_ = nullptr;
    detail::arena& home_;
};

}  // namespace bough
