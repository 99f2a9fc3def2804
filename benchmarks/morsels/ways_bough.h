#pragma once
// How the cases' loops run on bough. Each way makes a loop from what its elements are: loop.over(range, body) runs it.

#include <cstddef>

#include <bough/bough.h>

#include "morsels/written.h"

namespace bench::morsels {

using line = bough::blocked_range<std::size_t>;
using plane = bough::blocked_range2d<std::size_t>;

inline int threads() {
    return bough::this_task_arena::max_concurrency();
}

class thread_limit {
public:
    explicit thread_limit(std::size_t most) : limit_(bough::global_control::max_allowed_parallelism, most) {}

private:
    bough::global_control limit_;
};

template <class Partitioner>
struct with {
    explicit with(written) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        bough::parallel_for(range, body, partitioner_);
    }

private:
    Partitioner partitioner_;
};

// With a grain: pieces as large as the morsels.
struct with_grain {
    explicit with_grain(written w) : pieces_(w, threads()) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        bough::parallel_for(pieces_.of(range), body);
    }

private:
    with_pieces<line, plane> pieces_;
};

struct with_morsels {
    explicit with_morsels(written w) : morsels_(w.bytes_of_each) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        bough::parallel_for(range, body, morsels_);
    }

private:
    bough::morsel_partitioner morsels_;
};

struct with_morsels_and_memory {
    explicit with_morsels_and_memory(written w) : morsels_(memory_, w.bytes_of_each) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        bough::parallel_for(range, body, morsels_);
    }

private:
    bough::affinity_partitioner memory_;
    bough::morsel_partitioner morsels_;
};

// use.template operator()<Loop>(name) for each way.
template <class Use>
void each_way(const Use& use) {
    use.template operator()<with<bough::auto_partitioner>>("bough");
    use.template operator()<with_grain>("bough-grain");
    use.template operator()<with<bough::affinity_partitioner>>("bough-affinity");
    use.template operator()<with_morsels>("bough-morsels");
    use.template operator()<with_morsels_and_memory>("bough-morsels-memory");
}

}  // namespace bench::morsels
