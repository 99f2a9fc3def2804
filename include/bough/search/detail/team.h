#pragma once
// The workers of a parallel search in this process, which is a locality to those outside.
//
// Every task in the pool has a token: a task of the arena that takes whatever the pool has first for this process. So
// idle threads wait in the arena, and find there what other searches have, too. A token may find the pool empty, if
// those outside took its task. The group of the tokens is what the search call waits for: on one machine it is done
// when no task is queued or running. With others outside, keep_open_ is one more member of the group until the search
// is over.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <type_traits>
#include <utility>
#include <vector>

#include "../../task_arena.h"
#include "../../task_group.h"
#include "../options.h"
#include "outside.h"
#include "overseer.h"
#include "packing.h"
#include "task_pool.h"
#include "walk.h"
#include "work_rate.h"

namespace bough::search::detail {

template <class Space, class Goal>
class team final : public overseer<Space, Goal>, public local_work {
    using base = overseer<Space, Goal>;

public:
    using typename base::node;
    using typename base::worker_type;

    // Made and used inside the arena.
    team(const Space& of, Goal& wanted, const options& o)
        : base(of, wanted, o), pool_(o.how != skeleton::ordered),
          places_(static_cast<std::size_t>(std::max(1, this_task_arena::max_concurrency()))),
          began_ns_(now_ns()) {}
    ~team() noexcept override {}  // run() has waited for the group, so its destructor has nothing to throw

    // Returns when the search is over. Throws the first exception of user code, after the rest was stopped.
    counters run(const node& root) {
        std::exception_ptr error;
        try {
            open(root);
        } catch (...) {
            error = std::current_exception();
            fail();
            group_.cancel();
        }
        try {
            if (group_.wait() == canceled)
                this->note_cancelled();
        } catch (...) {
            if (!error)
                error = std::current_exception();
        }
        if (error) {
            if (this->settings.outside)
                this->settings.outside->failed();
            std::rethrow_exception(error);
        }
        return gather();
    }

    // For walks.
    void spawn(worker_type& w, node&& n, unsigned depth, std::uint64_t level) {
        auto t = std::make_unique<task>(std::move(n), depth, level);
        ++w.count.spawned;
        if (progress* const watch = this->settings.watch)
            watch->spawned.fetch_add(1, std::memory_order_relaxed);
        queue(std::move(t));
        group_.run(token{*this});
    }
    // Are there fewer tasks than threads that could run them? Relaxed: an old answer costs a task too many or too few.
    bool is_hungry() const {
        return outstanding_.load(std::memory_order_relaxed) <
               places_.size() + wanted_outside_.load(std::memory_order_relaxed);
    }

    // local_work.
    std::size_t tasks() const override { return pool_.size(); }
    std::size_t running() const override {
        const std::size_t all = outstanding_.load(std::memory_order_relaxed), queued = tasks();
        return all > queued ? all - queued : 0;
    }
    void take_shallowest(std::size_t most, std::vector<packed_task>& out) override {
        std::size_t taken = 0;
        for (; taken < most; ++taken) {
            const owned_task t = pool_.take_shallowest();
            if (!t)
                break;
            packed_task packed{t->depth, t->level, {}};
            pack_node(t->node, packed.bytes);
            out.push_back(std::move(packed));
            outstanding_.fetch_sub(1, std::memory_order_relaxed);  // the caller has the task
        }
        want(most - taken);
    }
    // Stack stealing spawns for these as well.
    void want(std::size_t tasks) override { wanted_outside_.store(tasks, std::memory_order_relaxed); }
    void put(const packed_task& packed) override {
        auto t = std::make_unique<task>(unpack_node<node>(packed.bytes.data(), packed.bytes.size()),
                                        packed.depth, packed.sequence);
        t->is_remote = true;
        task_handle h = group_.defer(token{*this});
        queue(std::move(t));
        arena_.enqueue(std::move(h));
    }
    bool is_idle() const override {
        return outstanding_.load(std::memory_order_acquire) == 0;  // pairs with the release in run_next
    }
    double rate() const override {
        double sum = 0;
        for (const place& p : places_)
            sum += p.rate.load(std::memory_order_relaxed);
        return sum / static_cast<double>(places_.size());
    }
    unsigned workers() const override { return static_cast<unsigned>(places_.size()); }
    void take_bound(std::int64_t key) override { this->goal.take_bound(key); }
    void stop() override { this->stop_walks(); }
    void finish() override {
        task_handle last;
        {
            const std::lock_guard lock(mutex_);
            last = std::move(keep_open_);
        }
    }

private:
    using task = typename task_pool<node>::task;
    using owned_task = typename task_pool<node>::owned_task;

    struct token {
        team& its;
        void operator()() const { its.run_next(); }
    };
    // What belongs to a slot of the arena. A thread in it takes the worker, and gives it back after its task.
    struct alignas(cache_line) place {
        std::atomic<worker_type*> free{nullptr};
        std::atomic<double> rate{first_work_rate};
    };

    static std::int64_t now_ns() {
        return std::chrono::duration_cast<std::chrono::nanoseconds>(
                   std::chrono::steady_clock::now().time_since_epoch())
            .count();
    }

    void queue(owned_task t) {
        outstanding_.fetch_add(1, std::memory_order_relaxed);  // the pool's lock comes after it
        pool_.push(std::move(t));
    }

    void open(const node& root) {
        outside_work* const outside = this->settings.outside;
        const bool is_here = !outside || outside->has_root();
        // The root counts before those outside look here for the first time: they end a search without a task.
        outstanding_.store(is_here ? 1 : 0, std::memory_order_relaxed);  // begin() hands it on
        if (outside) {
            arena_.initialize(task_arena::attach());
            keep_open_ = group_.defer([] {});
            outside->begin(*this);
        }
        if (!is_here)
            return;
        place& here = place_here();
        worker_type& w = borrow(here);
        spawn(w, node(root), 0, 0);
        give_back(here, w);
        outstanding_.fetch_sub(1, std::memory_order_release);  // pairs with is_idle; the pool has the root
    }

    // What a token does.
    void run_next() {
        if (const owned_task t = pool_.take_local()) {
            try {
                run_task(*t);
            } catch (...) {
                // The task stays outstanding. Those outside would end the search before they hear of the exception.
                fail();
                throw;
            }
            // Pairs with is_idle: the worker's part is visible.
            outstanding_.fetch_sub(1, std::memory_order_release);
        }
        if (this->settings.outside && pool_.size() == 0)
            this->settings.outside->starved();
    }

    void run_task(task& t) {
        place& here = place_here();
        worker_type& w = borrow(here);
        const ending end{*this, here, w};
        const std::int64_t begin_ns = this->settings.outside ? now_ns() : 0;
        const bool is_first = t.depth == 0;  // also if another process took it before it ran
        ++w.count.executed;
        ++(t.is_remote ? w.count.remote : w.count.local);
        if (this->is_stopped())
            return;
        switch (this->settings.how) {
        case skeleton::depth_bounded:
            walk<skeleton::depth_bounded, team>(*this, w).run(t, is_first);
            break;
        case skeleton::budget:
            walk<skeleton::budget, team>(*this, w).run(t, is_first);
            break;
        case skeleton::stack_stealing:
            walk<skeleton::stack_stealing, team>(*this, w).run(t, is_first);
            break;
        default:
            walk<skeleton::ordered, team>(*this, w).run(t, is_first);
            break;
        }
        this->show(w);
        if (this->settings.outside)
            note_rate(here, w, begin_ns);
    }

    void note_rate(place& here, worker_type& w, std::int64_t begin_ns) {
        constexpr double ns_per_us = 1000;
        const std::int64_t idle_since_ns = w.idle_since_ns ? w.idle_since_ns : began_ns_;
        w.idle_since_ns = now_ns();
        here.rate.store(
            next_work_rate(here.rate.load(std::memory_order_relaxed),
                           static_cast<double>(w.idle_since_ns - begin_ns) / ns_per_us,
                           static_cast<double>(std::max<std::int64_t>(0, begin_ns - idle_since_ns)) /
                               ns_per_us),
            std::memory_order_relaxed);
    }

    // The last thing of a task, however it ends.
    struct ending {
        team& its;
        place& here;
        worker_type& w;
        ~ending() {
            w.stack.clear();
            if (progress* const watch = its.settings.watch)
                watch->executed.fetch_add(1, std::memory_order_relaxed);
            its.give_back(here, w);
        }
    };

    place& place_here() {
        const int slot = std::max(0, this_task_arena::current_thread_index());
        return places_[static_cast<std::size_t>(slot) %
                       places_.size()];  // a spare slot has the number of slots
    }
    // A task may find no worker in its slot: the first one there, or one that runs while another one waits below it on
    // the stack. acquire: pairs with the release in give_back.
    worker_type& borrow(place& here) {
        if (worker_type* const w = here.free.exchange(nullptr, std::memory_order_acquire))
            return *w;
        auto fresh = std::make_unique<worker_type>(this->goal);
        const std::lock_guard lock(mutex_);
        workers_.push_back(std::move(fresh));
        return *workers_.back();
    }
    // Another worker that lies here already is not used again; gather() finds it in workers_.
    void give_back(place& here, worker_type& w) { here.free.exchange(&w, std::memory_order_acq_rel); }

    // The search call shall not wait for others any more, and tasks shall end.
    void fail() {
        this->stop_walks();
        finish();
    }

    counters gather() {
        counters all;
        for (const std::unique_ptr<worker_type>& w : workers_) {
            all.add(w->count);
            this->goal.join(std::move(w->part));
        }
        all.complete = !this->was_cancelled();
        return all;
    }

    task_pool<node> pool_;
    std::vector<place> places_;
    std::atomic<std::size_t> outstanding_{0};     // tasks, queued or running, or ended by an exception
    std::atomic<std::size_t> wanted_outside_{0};  // tasks that those outside might take
    std::mutex mutex_;                            // of the two below
    std::vector<std::unique_ptr<worker_type>> workers_;
    task_handle keep_open_;
    task_arena arena_;  // this one, for put(); not initialized if nobody is outside
    const std::int64_t began_ns_;
    // Others' cancellation would leave tasks that those outside wait for.
    task_group_context context_{this->settings.outside ? task_group_context::isolated
                                                       : task_group_context::bound};
    task_group group_{context_};
};

}  // namespace bough::search::detail
