#pragma once
// How the cases' loops run on bough. Each way makes a loop from what its elements are: loop.over(range, body) runs it.

#include <algorithm>
#include <cstddef>

#include <bough/bough.h>

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

// What a loop writes.
struct written {
    std::size_t elements;
    std::size_t bytes_of_each;
};

struct with_auto {
    explicit with_auto(written) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        bough::parallel_for(range, body);
    }
};

// With a grain: eight pieces for each thread, as large as the morsels. They end anywhere in a line.
struct with_grain {
    explicit with_grain(written w)
        : grain_(std::max<std::size_t>(w.elements / (8 * static_cast<std::size_t>(threads())), 1)) {}
    template <class Body>
    void over(const line& range, const Body& body) {
        bough::parallel_for(line(range.begin(), range.end(), grain_), body);
    }
    template <class Body>
    void over(const plane& range, const Body& body) {
        const auto& rows = range.rows();
        const auto& cols = range.cols();
        const std::size_t width = std::max<std::size_t>(std::min(grain_, cols.size()), 1);
        bough::parallel_for(plane(rows.begin(), rows.end(), grain_ / width, cols.begin(), cols.end(), width),
                            body);
    }

private:
    std::size_t grain_;
};

struct with_affinity {
    explicit with_affinity(written) {}
    template <class Range, class Body>
    void over(const Range& range, const Body& body) {
        bough::parallel_for(range, body, memory_);
    }

private:
    bough::affinity_partitioner memory_;
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
    use.template operator()<with_auto>("bough");
    use.template operator()<with_grain>("bough-grain");
    use.template operator()<with_affinity>("bough-affinity");
    use.template operator()<with_morsels>("bough-morsels");
    use.template operator()<with_morsels_and_memory>("bough-morsels-memory");
}

}  // namespace bench::morsels
