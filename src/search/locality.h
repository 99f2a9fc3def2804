#pragma once
// The arena of this rank as its agent sees it: a running search (bough/search/detail/outside.h) behind the cluster's
// local_work. The agent calls it, but for open() and fail(), which the thread of the search call calls.
//
// A search that throws goes away at once, while the agent may be about to call it. So a lock covers each call; after
// fail() the next one throws search_failed into the agent's loop. It does so even if the program has caught the
// exception and begun another search: the agent is still in the one that failed.

#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include <bough/search/detail/outside.h>

#include "cluster/local_work.h"

namespace bough::search {

struct search_failed : std::runtime_error {
    search_failed() : std::runtime_error("a search ended in an exception that the program has caught") {}
};

class locality final : public cluster::local_work {
    template <class Call>
    auto with_work(const Call& call) const {
        const std::lock_guard lock(mutex_);
        if (!work_)
            throw search_failed();
        return call(*work_);
    }

public:
    void open(detail::local_work& work) {
        const std::lock_guard lock(mutex_);
        work_ = has_failed_ ? nullptr : &work;
    }
    void fail() {
        const std::lock_guard lock(mutex_);
        work_ = nullptr;
        has_failed_ = true;
    }
    // The search is over on all ranks; the search call may return, and the search is gone then.
    void finish() {
        with_work([this](auto& w) {
            work_ = nullptr;
            w.finish();
        });
    }

    std::size_t tasks() const override {
        return with_work([](auto& w) { return w.tasks(); });
    }
    std::size_t running() const override {
        return with_work([](auto& w) { return w.running(); });
    }
    void take_shallowest(std::size_t most, std::vector<cluster::packed_task>& out) override {
        std::vector<detail::packed_task> taken;
        with_work([&](auto& w) { w.take_shallowest(most, taken); });
        for (detail::packed_task& t : taken)
            out.push_back({t.depth, t.sequence, std::move(t.bytes)});
    }
    void want(std::size_t tasks) override {
        with_work([&](auto& w) { w.want(tasks); });
    }
    void put(cluster::packed_task t) override {
        with_work([&](auto& w) { w.put({t.depth, t.sequence, std::move(t.bytes)}); });
    }
    bool is_idle() const override {
        return with_work([](auto& w) { return w.is_idle(); });
    }
    double rate() const override {
        return with_work([](auto& w) { return w.rate(); });
    }
    unsigned workers() const override {
        return with_work([](auto& w) { return w.workers(); });
    }
    void take_bound(std::int64_t key) override {
        with_work([&](auto& w) { w.take_bound(key); });
    }
    void stop() override {
        with_work([](auto& w) { w.stop(); });
    }

private:
    mutable std::mutex mutex_;
    detail::local_work* work_ = nullptr;
    bool has_failed_ = false;
};

}  // namespace bough::search
