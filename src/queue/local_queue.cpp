#include "queue/local_queue.h"

#include <pthread.h>

#include <cstdio>
#include <new>
#include <optional>
#include <type_traits>

#include "machine/interrupt.h"
#include "machine/once.h"
#include "profile/settings.h"
#include "queue/abp.h"
#include "queue/mutex_deque.h"
#include "queue/split.h"
#include "stats/counting_atomics.h"

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
    bool push(task& t) override {
        count(event::spawned);
        return typename Queue::owner(queue_).push(t);
    }
    task* pop() override { return typename Queue::owner(queue_).pop(); }
    bool pop(task& t) override {
        const bool taken = typename Queue::owner(queue_).pop(t);
        if (taken)
            count(event::executed);  // by a call in place
        return taken;
    }

    void expose() override {
        if constexpr (is_split)
            typename Queue::owner(queue_).expose();
    }
    void expose_all() override {
        if constexpr (is_split)
            typename Queue::owner(queue_).expose_all();
    }

    void change_owner() override {
        if constexpr (is_split)
            typename Queue::owner(queue_).forget_asks();  // of the one before
    }

    bool takes_signals() const override { return interrupts_.has_value(); }

    std::mutex* mutex() override {
        if constexpr (requires { queue_.mutex(); })
            return &queue_.mutex();
        else
            return nullptr;
    }

    steal_result steal([[maybe_unused]] const std::atomic<int>& owner) override {
        typename Queue::thief thief(queue_);
        const steal_result r = thief.steal();
        if constexpr (is_split) {
            if (r.status == steal_status::private_work && thief.ask() && Queue::needs_signal) {
                // relaxed: ask() has seen to it that this is the present owner, or that others may ask again.
                if (machine::interrupts::send(owner.load(std::memory_order_relaxed)))
                    count(event::signal_sent);
                else
                    thief.take_back();
            }
        }
        return r;
    }

    std::size_t size() const override { return queue_.size(); }

private:
    std::optional<machine::interrupts> interrupts_;
    Queue queue_;
};

bool needs_signal(queue_kind kind) {
    return kind == queue_kind::split_signal || kind == queue_kind::split_signal_conservative ||
           kind == queue_kind::split_signal_half;
}

// Null: the default's path, which is none of these.
template <class Atomics>
std::unique_ptr<other_queue> make_queue(queue_kind kind, void (*expose_here)()) {
    const auto make = [&]<class Queue>(std::type_identity<Queue>) -> std::unique_ptr<other_queue> {
        return std::make_unique<queue_of<Queue>>(expose_here);
    };
    const auto make_split = [&]<class Share>(std::type_identity<Share>, auto by) {
        return make(std::type_identity<basic_split<Atomics, Share, by()>>());
    };
    using by_owner = std::integral_constant<exposure, exposure::by_owner>;
    using by_signal = std::integral_constant<exposure, exposure::by_signal>;
    switch (kind) {
    case queue_kind::mutex:
        return make(std::type_identity<basic_mutex_deque<Atomics>>());
    case queue_kind::abp:
        return make(std::type_identity<basic_abp<Atomics>>());
    case queue_kind::split:
        return make_split(std::type_identity<expose_one>(), by_owner());
    case queue_kind::split_signal:
        return make_split(std::type_identity<expose_one>(), by_signal());
    case queue_kind::split_signal_conservative:
        return make_split(std::type_identity<expose_spare>(), by_signal());
    case queue_kind::split_signal_half:
        return make_split(std::type_identity<expose_half>(), by_signal());
    case queue_kind::by_environment:
    case queue_kind::chase_lev:
        break;
    }
    if constexpr (std::is_same_v<Atomics, counting_atomics>)
        return make(std::type_identity<basic_chase_lev<Atomics>>());
    else
        return nullptr;
}

}  // namespace

void local_queue::expose_here() {
    for (local_queue* q = newest_here; q; q = q->beneath_)
        q->other_->expose();
}

void local_queue::expose_all_here() {
    for (local_queue* q = newest_here; q; q = q->beneath_)
        q->other_->expose_all();
}

// The thread that forked goes on in the child, under another number.
void local_queue::begin_in_child() {
    for (local_queue* q = newest_here; q; q = q->beneath_) {
        q->thread_.store(machine::this_thread_id(), std::memory_order_relaxed);
        q->other_->change_owner();
    }
}

std::unique_ptr<other_queue> local_queue::make_other(queue_kind kind) {
    if (kind == queue_kind::by_environment)
        kind = process_settings().queue;
    if (needs_signal(kind) && !machine::interrupts::work(process_settings().signal)) {
        static constinit machine::made_once<bool> said;
        said.get([] {
            return std::fprintf(stderr, "bough: signal %d cannot be sent here: queue chase-lev is used\n",
                                process_settings().signal) > 0;
        });
        kind = queue_kind::chase_lev;
    }
    return events_are_counted.load(std::memory_order_relaxed)
               ? make_queue<counting_atomics>(kind, expose_here)
               : make_queue<machine::atomics>(kind, expose_here);
}

void local_queue::owner::begin() {
    q_.beneath_ = newest_here;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // a handler finds the list whole
    newest_here = &q_;
    q_.was_blocked_ = q_.other_->takes_signals() && machine::interrupts::let_in();
    // Before the asks are forgotten: who asks after that knows the new owner.
    q_.thread_.store(machine::this_thread_id(), std::memory_order_relaxed);
    q_.other_->change_owner();
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
    machine::interrupts::end(q_.was_blocked_);
}

BOUGH_NOINLINE bool local_queue::owner::push_slowly(task& t) {
    return q_.other_ ? q_.other_->push(t) : chase_lev::owner(q_.fast_).push(t);
}

}  // namespace bough
