#pragma once
// A locality in virtual time: workers that replay tasks of a recorded tree, and the pool they share.

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "cluster/local_work.h"
#include "cluster/policies/work_rate.h"
#include "cluster/simulation/task_tree.h"
#include "cluster/virtual_network.h"
#include "cluster/worker_mail.h"

namespace bough::cluster {

// FIFO for each depth: workers take from the deepest, thieves from the shallowest.
class virtual_pool {
public:
    // With YewPar's fault: a worker looks at one depth only, and a thief that empties it leaves shallower tasks unseen.
    explicit virtual_pool(bool looks_at_one_depth) : looks_at_one_depth_(looks_at_one_depth) {}

    void push(std::uint32_t depth, std::uint32_t task);
    bool pop(std::uint32_t& task);
    bool steal(std::uint32_t& task);
    std::size_t size() const { return size_; }
    // What workers find; less than size() with the fault only.
    std::size_t visible() const;
    void clear();

private:
    void take(std::deque<std::uint32_t>& from, std::uint32_t& task);

    bool looks_at_one_depth_;
    std::size_t size_ = 0;
    std::size_t lowest_ = 0;      // the depth that workers look at
    std::size_t shallowest_ = 0;  // none above it has a task
    std::vector<std::deque<std::uint32_t>> depths_;
};

class virtual_locality final : public local_work {
public:
    struct options {
        unsigned workers = 1;
        double slowness = 1;      // factor on the cost of each task
        bool holds_lock = false;  // YewPar's fault: no worker touches the pool while a steal is on its way
        bool looks_at_one_depth = false;  // YewPar's fault: virtual_pool
    };

    virtual_locality(virtual_network& network, int rank, const task_tree& tree, const options& with);

    // What runs in the place of the agent's loop: it is called when a worker has changed something.
    worker_mail& mail() { return mail_; }
    // Called with each task when it begins: a test may find bounds and targets there.
    std::function<void(std::uint32_t task)> on_run = [](std::uint32_t) {};

    // Called after each task.
    std::function<void()> on_end = [] {};

    void start_with_root() { put(pack(tree_, 0)); }
    // For the next search.
    void restart() {
        stopped_ = false;
        bound_ = worker_mail::no_bound;
    }
    void worker_finished(std::uint64_t worker);
    // holds_lock: a steal of this rank is on its way, or no more.
    void set_stealing(bool steals);

    std::uint64_t executed() const { return executed_; }
    std::uint64_t spawned() const { return spawned_; }
    std::uint64_t dropped() const { return dropped_; }
    time_ns busy_time() const { return busy_; }

    std::size_t tasks() const override { return pool_.visible() + stolen_.size(); }
    std::size_t running() const override { return running_; }
    void take_shallowest(std::size_t most, std::vector<packed_task>& out) override;
    void put(packed_task task) override;
    bool is_idle() const override { return running_ == 0 && pool_.size() + stolen_.size() == 0; }
    double rate() const override;
    unsigned workers() const override { return with_.workers; }
    void take_bound(std::int64_t value) override { bound_ = value; }
    void stop() override;
    std::int64_t bound() const { return bound_; }

private:
    struct worker {
        bool runs = false;
        std::uint32_t task = 0;
        time_ns since = 0;  // it runs, or is idle
        work_rate rate;
        time_ns idle_before = 0;  // the task that it runs
    };

    void wake_workers();
    bool find_task(std::uint32_t& task);
    bool start(std::uint64_t number);

    virtual_network& network_;
    int rank_;
    const task_tree& tree_;
    options with_;
    worker_mail mail_;
    virtual_pool pool_;
    std::deque<std::uint32_t> stolen_;  // in YewPar the thief runs what it stole, past the pool
    std::vector<worker> workers_;
    std::vector<std::uint64_t> blocked_;  // workers that have finished and wait for the lock
    std::size_t running_ = 0;
    bool steals_ = false;
    bool stopped_ = false;
    std::int64_t bound_ = worker_mail::no_bound;
    std::uint64_t executed_ = 0;
    std::uint64_t spawned_ = 0;
    std::uint64_t dropped_ = 0;
    time_ns busy_ = 0;
};

}  // namespace bough::cluster
