#pragma once
// How the cases' loops run on oneTBB. Each way makes a loop from what its elements are: loop.over(range, body) runs it.

#include <cstddef>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "morsels/written.h"

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

// With a grain, which users of a simple_partitioner choose.
struct with_grain {
    explicit with_grain(written w) : pieces_(w, threads()) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        tbb::parallel_for(pieces_.of(range), body, tbb::simple_partitioner());
    }

private:
    with_pieces<line, plane> pieces_;
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
