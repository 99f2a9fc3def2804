#pragma once
// How the cases' loops run on oneTBB. Each way makes a loop from what its elements are: loop.over(range, body) runs it.

#include <algorithm>
#include <cstddef>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

namespace bench::morsels {

using line = tbb::blocked_range<std::size_t>;
using plane = tbb::blocked_range2d<std::size_t>;

inline int threads() {
    return tbb::this_task_arena::max_concurrency();
}

class thread_limit {
public:
    explicit thread_limit(std::size_t most) : limit_(tbb::global_control::max_allowed_parallelism, most) {}

private:
    tbb::global_control limit_;
};

// What a loop writes.
struct written {
    std::size_t elements;
    std::size_t bytes_of_each;
};

template <class Partitioner>
struct with {
    explicit with(written) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        tbb::parallel_for(range, body, partitioner_);
    }

private:
    Partitioner partitioner_;
};

// With a grain, which users of a simple_partitioner choose: eight pieces or more for each thread.
struct with_grain {
    explicit with_grain(written w)
        : grain_(std::max<std::size_t>(w.elements / (8 * static_cast<std::size_t>(threads())), 1)) {}
    template <class Body>
    void over(const line& range, const Body& body) {
        tbb::parallel_for(line(range.begin(), range.end(), grain_), body, tbb::simple_partitioner());
    }
    template <class Body>
    void over(const plane& range, const Body& body) {
        const auto& rows = range.rows();
        const auto& cols = range.cols();
        const std::size_t width = std::max<std::size_t>(std::min(grain_, cols.size()), 1);
        tbb::parallel_for(plane(rows.begin(), rows.end(), grain_ / width, cols.begin(), cols.end(), width),
                          body, tbb::simple_partitioner());
    }

private:
    std::size_t grain_;
};

// use.template operator()<Loop>(name) for each way.
template <class Use>
void each_way(const Use& use) {
    use.template operator()<with<tbb::auto_partitioner>>("onetbb-auto");
    use.template operator()<with<tbb::static_partitioner>>("onetbb-static");
    use.template operator()<with_grain>("onetbb-simple");
    use.template operator()<with<tbb::affinity_partitioner>>("onetbb-affinity");
}

}  // namespace bench::morsels
