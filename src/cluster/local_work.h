#pragma once
// The seam between a search and the cluster: what one locality (a rank's arena) offers to its agent.
// The agent calls all of it, from one thread, while workers run. A locality counts a task as outstanding from the
// moment it is queued until it has run and its children are queued. README.md has the protocol.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace bough::cluster {

// A task on its way between ranks: a node in bytes, and its place in the search order.
struct packed_task {
    std::uint32_t depth = 0;
    std::uint64_t sequence = 0;
    std::vector<std::byte> bytes;

    friend bool operator==(const packed_task& a, const packed_task& b) {
        return a.depth == b.depth && a.sequence == b.sequence && a.bytes == b.bytes;
    }
};

class local_work {
public:
    virtual ~local_work() = default;

    // Tasks that wait in the pool.
    virtual std::size_t tasks() const = 0;
    // Tasks that workers run now. While they and those in the pool are fewer than workers(), the agent looks for tasks
    // elsewhere, for each worker that is left. For a locality that does not know it looks for one task while the pool
    // is empty.
    static constexpr std::size_t not_known = SIZE_MAX;
    virtual std::size_t running() const { return not_known; }
    // Takes at most `most` tasks out of the pool and appends them, shallowest first. They are no longer outstanding
    // here.
    virtual void take_shallowest(std::size_t most, std::vector<packed_task>& out) = 0;
    // So many tasks in the pool might be stolen; another rank has asked how many there are. For a locality that makes
    // tasks as they are wanted. take_shallowest() says anew how many.
    virtual void want(std::size_t /*tasks*/) {}
    // Queues a task that came from another rank. It is outstanding when this returns.
    virtual void put(packed_task task) = 0;
    // No task is outstanding. True stays true until the next put(). What workers did before is visible to the caller.
    virtual bool is_idle() const = 0;
    // Mean of the workers' work rates: work_rate.h.
    virtual double rate() const = 0;
    virtual unsigned workers() const = 0;
    // A bound that another rank has found; higher is better.
    virtual void take_bound(std::int64_t value) = 0;
    // The search is decided: workers leave their tasks, queued ones are dropped and count as run, and so are later
    // ones.
    virtual void stop() = 0;
};

}  // namespace bough::cluster
