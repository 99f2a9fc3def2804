#pragma once
// One piece of work that a thread has claimed and not begun. No other thread has it or will find it, so it must be run:
// run() consumes it (run.cpp). find_work() makes it (find_work.cpp).

#include <cassert>
#include <cstdint>
#include <utility>

#include "share/hand_off_cell.h"

namespace bough {

class [[nodiscard]] found {
public:
    enum class kind : std::uint8_t {
        nothing,
        handed,         // through the slot's cell: an interval of a loop, or a task
        taken_back,     // the same, which this thread had handed off, and its receiver has not begun
        interval,       // pieces of a loop that were stolen
        own_task,       // of the slot's queues
        mailed_task,    // of its mailbox
        stolen_task,    // of another slot's queue
        critical_task,  // of the arena's critical stream
        enqueued_task,  // of the arena's enqueued stream
    };

    found() = default;
    found(kind k, const assignment& a) : kind_(k), work_(a) {}
    // Nothing, if t is null.
    found(kind k, detail::task* t) : kind_(t ? k : kind::nothing), work_{.whole = t} {}

    found(found&& other) noexcept : kind_(std::exchange(other.kind_, kind::nothing)), work_(other.work_) {}
    found& operator=(found&& other) noexcept {
        assert(kind_ == kind::nothing);
        kind_ = std::exchange(other.kind_, kind::nothing);
        work_ = other.work_;
        return *this;
    }
    ~found() { assert(kind_ == kind::nothing); }

    explicit operator bool() const { return kind_ != kind::nothing; }
    bool is(kind k) const { return kind_ == k; }

    // For run(): from here on the caller has to run work().
    kind consume() { return std::exchange(kind_, kind::nothing); }
    const assignment& work() const { return work_; }

private:
    kind kind_ = kind::nothing;
    assignment work_;
};

// A wait's question whether it is over, asked between two slots: a look at 100 slots takes 10 us.
class wait_end {
public:
    wait_end() = default;  // never over
    // done() has to live as long as the look.
    template <class Done>
    explicit wait_end(const Done& done)
        : asks_([](const void* d) { return (*static_cast<const Done*>(d))(); }), done_(&done) {}

    bool has_come() const { return asks_ && asks_(done_); }

private:
    bool (*asks_)(const void*) = nullptr;
    const void* done_ = nullptr;
};

}  // namespace bough
