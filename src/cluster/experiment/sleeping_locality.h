#pragma once
// A locality of real threads that replay tasks of a recorded tree by sleeping for what each costs: many ranks on few
// cores do not compete for them. The pool is the one of the virtual locality, under a mutex.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "cluster/local_work.h"
#include "cluster/policies/work_rate.h"
#include "cluster/random.h"
#include "cluster/simulation/task_tree.h"
#include "cluster/simulation/virtual_locality.h"
#include "cluster/worker_mail.h"

namespace bough::cluster {

// What its workers have done. The sum of the tasks' hashes shows a lost and a repeated task even if there are as many.
struct sleepers_report {
    std::uint64_t executed = 0;
    std::uint64_t hashes = 0;
    time_ns busy = 0;
    time_ns last_end = 0;  // by the machine's monotonic clock
};

class sleeping_locality final : public local_work {
public:
    sleeping_locality(const task_tree& tree, unsigned workers, worker_mail& mail)
        : tree_(tree), mail_(mail), rates_(workers) {
        for (unsigned w = 0; w < workers; ++w)
            threads_.emplace_back([this, w] { work(rates_[w]); });
    }
    ~sleeping_locality() override {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        changed_.notify_all();
        for (std::thread& t : threads_)
            t.join();
    }

    static time_ns now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }
    static std::uint64_t hash(std::uint32_t task) { return random_numbers::mix(task + 1); }

    void start_with_root() { put(pack(tree_, 0)); }
    sleepers_report report() const {
        const std::lock_guard lock(mutex_);
        return done_;
    }

    std::size_t tasks() const override {
        const std::lock_guard lock(mutex_);
        return pool_.size();
    }
    std::size_t running() const override {
        const std::lock_guard lock(mutex_);
        return running_;
    }
    bool is_idle() const override {
        const std::lock_guard lock(mutex_);
        return running_ + pool_.size() == 0;
    }
    double rate() const override {
        const std::lock_guard lock(mutex_);
        double sum = 0;
        for (const work_rate& r : rates_)
            sum += r.value();
        return sum / static_cast<double>(rates_.size());
    }
    unsigned workers() const override { return static_cast<unsigned>(rates_.size()); }
    void take_shallowest(std::size_t most, std::vector<packed_task>& out) override {
        const std::lock_guard lock(mutex_);
        for (std::uint32_t task = 0; most > 0 && pool_.steal(task); --most)
            out.push_back(pack(tree_, task));
    }
    void put(packed_task task) override {
        {
            const std::lock_guard lock(mutex_);
            pool_.push(task.depth, unpack(tree_, task));
        }
        changed_.notify_one();
    }
    void take_bound(std::int64_t) override {}
    void stop() override {}  // no recorded search is stopped

private:
    void work(work_rate& rate) {
        std::unique_lock lock(mutex_);
        time_ns idle_since = now();
        for (;;) {
            if (pool_.size() == 0)
                mail_.starved();
            changed_.wait(lock, [this] { return pool_.size() > 0 || ends_; });
            std::uint32_t task = 0;
            if (!pool_.pop(task))
                return;
            ++running_;
            lock.unlock();
            const time_ns begin = now();
            std::this_thread::sleep_for(std::chrono::nanoseconds(tree_.tasks[task].cost));
            lock.lock();
            const time_ns end = now();
            rate.task_ended(end - begin, begin - idle_since);
            idle_since = end;
            note(task, end - begin, end);
        }
    }
    void note(std::uint32_t task, time_ns took, time_ns end) {
        const recorded_task& t = tree_.tasks[task];
        for (std::uint32_t c = 0; c < t.children; ++c)
            pool_.push(t.depth + 1, t.first_child + c);
        --running_;
        ++done_.executed;
        done_.hashes += hash(task);
        done_.busy += took;
        done_.last_end = end;
        if (t.children > 1)
            changed_.notify_all();
    }

    const task_tree& tree_;
    worker_mail& mail_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    virtual_pool pool_{false};
    std::vector<work_rate> rates_;
    std::size_t running_ = 0;
    sleepers_report done_;
    bool ends_ = false;
    std::vector<std::thread> threads_;  // last: they use all others
};

}  // namespace bough::cluster
