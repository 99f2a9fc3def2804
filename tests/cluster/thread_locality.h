#pragma once
// A locality of real threads: they replay tasks of a recorded tree, sleeping or spinning for what each costs.

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "cluster/local_work.h"
#include "cluster/simulation/task_tree.h"
#include "cluster/worker_mail.h"

namespace bough_test {

class thread_locality final : public bough::cluster::local_work {
public:
    using task_number = std::uint32_t;

    thread_locality(
        const bough::cluster::task_tree& tree, unsigned workers, bough::cluster::worker_mail& mail,
        std::function<void(task_number)> on_run = [](task_number) {})
        : tree_(tree), mail_(mail), on_run_(std::move(on_run)) {
        for (unsigned w = 0; w < workers; ++w)
            threads_.emplace_back([this] { work(); });
    }
    ~thread_locality() override {
        {
            const std::lock_guard lock(mutex_);
            ends_ = true;
        }
        changed_.notify_all();
        for (std::thread& t : threads_)
            t.join();
    }

    template <class Read>
    auto locked(Read&& read) const {
        const std::lock_guard lock(mutex_);
        return read();
    }

    void start_with_root() { put(bough::cluster::pack(tree_, 0)); }
    std::uint64_t executed() const {
        return locked([this] { return executed_; });
    }
    std::uint64_t spawned() const {
        return locked([this] { return spawned_; });
    }
    std::uint64_t dropped() const {
        return locked([this] { return dropped_; });
    }
    std::int64_t bound() const {
        return locked([this] { return bound_; });
    }

    std::size_t tasks() const override {
        return locked([this] { return queued_; });
    }
    std::size_t running() const override {
        return locked([this] { return running_; });
    }
    bool is_idle() const override {
        return locked([this] { return queued_ + running_ == 0; });
    }
    double rate() const override { return 1; }
    unsigned workers() const override { return static_cast<unsigned>(threads_.size()); }
    void take_bound(std::int64_t value) override {
        locked([&] { return bound_ = std::max(bound_, value); });
    }
    void stop() override {
        const std::lock_guard lock(mutex_);
        stopped_ = true;
        dropped_ += queued_;
        queued_ = 0;
        depths_.clear();
    }
    void take_shallowest(std::size_t most, std::vector<bough::cluster::packed_task>& out) override {
        const std::lock_guard lock(mutex_);
        for (; most > 0 && queued_ > 0; --most)
            out.push_back(bough::cluster::pack(tree_, take(depths_.begin())));
    }
    void put(bough::cluster::packed_task task) override {
        {
            const std::lock_guard lock(mutex_);
            push(bough::cluster::unpack(tree_, task));
        }
        changed_.notify_one();
    }

private:
    using depths = std::map<std::uint32_t, std::vector<task_number>>;

    void push(task_number task) {
        if (stopped_) {
            ++dropped_;
            return;
        }
        depths_[tree_.tasks[task].depth].push_back(task);
        ++queued_;
    }
    task_number take(depths::iterator from) {
        const task_number task = from->second.back();
        from->second.pop_back();
        if (from->second.empty())
            depths_.erase(from);
        --queued_;
        return task;
    }

    void work() {
        std::unique_lock lock(mutex_);
        for (;;) {
            if (queued_ == 0)
                mail_.starved();
            changed_.wait(lock, [this] { return queued_ > 0 || ends_; });
            if (queued_ == 0)
                return;
            const task_number task = take(std::prev(depths_.end()));
            ++running_;
            lock.unlock();
            const auto& record = tree_.tasks[task];
            if (record.cost > 0)
                std::this_thread::sleep_for(std::chrono::nanoseconds(record.cost));
            on_run_(task);
            lock.lock();
            ++executed_;
            for (std::uint32_t c = 0; c < record.children; ++c) {
                ++spawned_;
                push(record.first_child + c);
            }
            --running_;
            if (record.children > 1)
                changed_.notify_all();
        }
    }

    const bough::cluster::task_tree& tree_;
    bough::cluster::worker_mail& mail_;
    std::function<void(task_number)> on_run_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    depths depths_;
    std::size_t queued_ = 0;
    std::size_t running_ = 0;
    std::uint64_t executed_ = 0;
    std::uint64_t spawned_ = 0;
    std::uint64_t dropped_ = 0;
    std::int64_t bound_ = bough::cluster::worker_mail::no_bound;
    bool stopped_ = false;
    bool ends_ = false;
    std::vector<std::thread> threads_;  // last: they use all others
};

}  // namespace bough_test
