#include "queue/local_queue.h"

#include <optional>
#include <type_traits>

#include "machine/interrupt.h"
#include "profile/settings.h"
#include "queue/abp.h"
#include "queue/mutex_deque.h"
#include "queue/split.h"

namespace bough {
namespace {

// What the calling thread owns, newest first. Read by the signal handler.
constinit thread_local local_queue* newest_here BOUGH_FAST_TLS = nullptr;

template <class Queue>
class queue_of final : public other_queue {
    static constexpr bool is_split = requires { Queue::needs_signal; };

public:
    explicit queue_of(void (*expose_here)()) {
        if constexpr (requires { requires Queue::needs_signal; })
            interrupts_.emplace(process_settings().signal, expose_here);
    }

    bool is_empty() const override { return queue_.is_empty(); }
    bool has_tasks() const override { return queue_.has_tasks(); }
    bool push(task& t) override { return typename Queue::owner(queue_).push(t); }
    task* pop() override { return typename Queue::owner(queue_).pop(); }
    bool pop(task& t) override { return typename Queue::owner(queue_).pop(t); }

    void expose() override {
        if constexpr (is_split)
            typename Queue::owner(queue_).expose();
    }
    void expose_all() override {
        if constexpr (is_split)
            typename Queue::owner(queue_).expose_all();
    }

    steal_result steal([[maybe_unused]] int owner) override {
        typename Queue::thief thief(queue_);
        const steal_result r = thief.steal();
        if constexpr (is_split) {
            if (r.status == steal_status::private_work && thief.ask() && Queue::needs_signal)
                machine::interrupts::send(owner);
        }
        return r;
    }

private:
    std::optional<machine::interrupts> interrupts_;
    Queue queue_;
};

template <class Share, exposure By>
using split = basic_split<machine::atomics, Share, By>;

}  // namespace

void local_queue::expose_here() {
    for (local_queue* q = newest_here; q; q = q->beneath_)
        q->other_->expose();
}

std::unique_ptr<other_queue> local_queue::make_other(queue_kind kind) {
    const auto make = [](auto* type) -> std::unique_ptr<other_queue> {
        return std::make_unique<queue_of<std::remove_pointer_t<decltype(type)>>>(expose_here);
    };
    switch (kind == queue_kind::by_environment ? process_settings().queue : kind) {
    case queue_kind::mutex:
        return make(static_cast<mutex_deque*>(nullptr));
    case queue_kind::abp:
        return make(static_cast<abp*>(nullptr));
    case queue_kind::split:
        return make(static_cast<split<expose_one, exposure::by_owner>*>(nullptr));
    case queue_kind::split_signal:
        return make(static_cast<split<expose_one, exposure::by_signal>*>(nullptr));
    case queue_kind::split_signal_conservative:
        return make(static_cast<split<expose_spare, exposure::by_signal>*>(nullptr));
    case queue_kind::split_signal_half:
        return make(static_cast<split<expose_half, exposure::by_signal>*>(nullptr));
    case queue_kind::by_environment:
    case queue_kind::chase_lev:
        break;
    }
    return nullptr;
}

void local_queue::owner::begin() {
    q_.beneath_ = newest_here;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // a handler finds the list whole
    newest_here = &q_;
    q_.was_blocked_ = machine::interrupts::let_in();
    q_.thread_.store(machine::this_thread_id(), std::memory_order_relaxed);
}

void local_queue::owner::end() {
    q_.thread_.store(0, std::memory_order_relaxed);
    local_queue** at = &newest_here;
    while (*at && *at != &q_)
        at = &(*at)->beneath_;
    if (*at)
        *at = q_.beneath_;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    q_.other_->expose_all();
    if (q_.was_blocked_)
        machine::interrupts::shut_out();
}

BOUGH_NOINLINE bool local_queue::owner::push_slowly(task& t) {
    return q_.other_ ? q_.other_->push(t) : chase_lev::owner(q_.fast_).push(t);
}

}  // namespace bough
