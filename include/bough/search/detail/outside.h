#pragma once
// The seam between a search in one process, a locality, and other processes that search the same tree. A locality
// counts a task as outstanding from the moment it is queued until it has run and its children are queued. A task that
// throws stays outstanding.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "../options.h"

namespace bough::search::detail {

// A task on its way between processes: a node in bytes, and its place in the search order.
struct packed_task {
    std::uint32_t depth = 0;
    std::uint64_t sequence = 0;
    std::vector<std::byte> bytes;
};

// What a locality offers to those outside. One thread calls it, while workers run.
class local_work {
public:
    virtual ~local_work() = default;

    // Tasks that wait in the pool.
    virtual std::size_t tasks() const = 0;
    // Tasks that workers run now.
    virtual std::size_t running() const = 0;
    // Takes at most `most` tasks out of the pool and appends them, shallowest first. They are no longer outstanding.
    virtual void take_shallowest(std::size_t most, std::vector<packed_task>& out) = 0;
    // Others might take tasks if so many waited in the pool. take_shallowest() says anew how many.
    virtual void want(std::size_t tasks) = 0;
    // Queues a task that came from another process. It is outstanding when this returns. Throws std::invalid_argument
    // if the bytes are no node, and std::bad_alloc.
    virtual void put(const packed_task& task) = 0;
    // No task is outstanding. True stays true until the next put(). What workers did before is visible to the caller.
    virtual bool is_idle() const = 0;
    // Mean of the workers' work rates: work_rate.h.
    virtual double rate() const = 0;
    virtual unsigned workers() const = 0;
    // A bound that another process has found; higher is better.
    virtual void take_bound(std::int64_t key) = 0;
    // The search is decided: workers leave their tasks. Queued tasks are dropped and count as run, and so are later
    // ones.
    virtual void stop() = 0;
    // The search is over in all processes: the search call here may return. Nothing may be called after this.
    virtual void finish() = 0;
};

// What a process has after its part of a search, in bytes, and how the second is merged into the first.
using byte_string = std::vector<std::byte>;
using merge_function = std::function<void(byte_string& into, const byte_string& from)>;

// What those outside offer to a locality.
class outside_work {
public:
    virtual ~outside_work() = default;

    // ---- while the search runs. Workers call it; no call may block or throw.

    // Does the search begin in this process?
    virtual bool has_root() const = 0;
    // The search call has begun, and waits until work.finish(). If the search begins here, its root is outstanding.
    virtual void begin(local_work& work) = 0;
    virtual void found_bound(std::int64_t key) = 0;
    virtual void found_target() = 0;
    // The pool has run dry.
    virtual void starved() = 0;
    // The search call here ends in an exception. It returns without waiting for finish(); nothing may be called after
    // this returns.
    virtual void failed() = 0;

    // ---- after it. The thread of the search call calls these, in the same order in all processes, and waits for the
    // others. Alone, what this process has is all.

    // Of the processes, from 0.
    virtual int rank() const { return 0; }
    // What all processes have, merged in any order.
    virtual byte_string merge(byte_string mine, const merge_function&) { return mine; }
    // What all processes have counted.
    virtual counters sum(const counters& mine) { return mine; }
};

}  // namespace bough::search::detail
