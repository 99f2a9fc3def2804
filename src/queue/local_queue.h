#pragma once
// The queue of a slot, of the kind that its arena wants. The path of the default, chase_lev, knows nothing of the
// others: to it a queue of another kind is a chase_lev queue that is full and empty at once, and what follows then is
// out of line.

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "bough/detail/arena.h"
#include "queue/chase_lev.h"
#include "queue/steal_result.h"

namespace bough {

using queue_kind = detail::arena_queue;

// A queue of another kind than the default.
class other_queue {
public:
    virtual ~other_queue() = default;

    virtual bool is_empty() const = 0;
    virtual bool has_tasks() const = 0;

    virtual bool push(task& t) = 0;
    virtual task* pop() = 0;
    virtual bool pop(task& t) = 0;
    // Also from a signal handler of the owner's thread.
    virtual void expose() = 0;
    virtual void expose_all() = 0;

    // Another thread is the owner from now on.
    virtual void change_owner() = 0;

    // Must its owner let the signal in?
    virtual bool takes_signals() const = 0;

    // Locked while the owner's process is forked; null: no lock is needed.
    virtual std::mutex* mutex() = 0;

    // `owner`: the thread that gets a signal, if a task is private and a signal makes it public.
    virtual steal_result steal(const std::atomic<int>& owner) = 0;

    // For a report.
    virtual std::size_t size() const = 0;
};

class local_queue {
public:
    class owner;
    class thief;

    // Throws std::bad_alloc.
    explicit local_queue(queue_kind kind) : local_queue(make_other(kind)) {}
    local_queue(const local_queue&) = delete;
    local_queue& operator=(const local_queue&) = delete;

    // May be out of date at once. seq_cst: the last look of a parking thread, against push() (park/README.md).
    bool is_empty() const { return other_ ? other_->is_empty() : fast_.is_empty(); }
    bool has_tasks() const { return fast_.has_tasks() || (other_ && other_->has_tasks()); }

    // For a report: may be out of date at once.
    std::size_t size() const { return other_ ? other_->size() : fast_.size(); }

    // Locked while the owner's process is forked; null: no lock is needed.
    std::mutex* mutex() { return other_ ? other_->mutex() : nullptr; }

    // Before the calling thread sleeps: others may need what only it could give away, from any queue that it owns.
    static void expose_all_here();
    // In a child of fork(): of all queues that the calling thread owns.
    static void begin_in_child();

private:
    explicit local_queue(std::unique_ptr<other_queue> other)
        : fast_(other ? chase_lev(chase_lev::closed()) : chase_lev()), other_(std::move(other)) {}

    static std::unique_ptr<other_queue> make_other(queue_kind kind);  // null: the default
    static void expose_here();

    chase_lev fast_;
    std::unique_ptr<other_queue> other_;
    std::atomic<int> thread_{0};      // the owner's, for signals
    bool was_blocked_ = false;        // its thread blocked the signal before
    local_queue* beneath_ = nullptr;  // what its thread owned before
};

class local_queue::owner {
public:
    explicit owner(local_queue& q) : q_(q) {}

    // The calling thread is the owner from now on, until it stands up; then nothing is private any more.
    void sit_down() {
        if (q_.other_)
            begin();
    }
    void stand_up() {
        if (q_.other_)
            end();
    }
    // Amortised O(1). False: no room and no memory for more. Then the queue is as it was.
    bool push(task& t) { return chase_lev::owner(q_.fast_).push_if_room(t) || push_slowly(t); }
    // The newest task, or null.
    task* pop() {
        task* const t = chase_lev::owner(q_.fast_).pop();
        return t || !q_.other_ ? t : q_.other_->pop();
    }
    // Pops t if it is the newest task, and nobody steals it.
    bool pop(task& t) { return chase_lev::owner(q_.fast_).pop(t) || (q_.other_ && q_.other_->pop(t)); }

private:
    void begin();
    void end();
    bool push_slowly(task& t);

    local_queue& q_;
};

class local_queue::thief {
public:
    explicit thief(local_queue& q) : q_(q) {}

    // The oldest task. private_work: the owner has been asked.
    steal_result steal() {
        return q_.other_ ? q_.other_->steal(q_.thread_) : chase_lev::thief(q_.fast_).steal();
    }

private:
    local_queue& q_;
};

}  // namespace bough
