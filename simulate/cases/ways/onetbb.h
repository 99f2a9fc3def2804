#pragma once
// oneTBB, with each of its partitioners.

#include <cstddef>
#include <functional>
#include <type_traits>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/parallel_scan.h>
#include <oneapi/tbb/task_group.h>

#include "sums.h"

namespace runtime {

template <class Partitioner, class Nested = Partitioner>
class onetbb_way {
public:
    static constexpr bool has_scan = std::is_same_v<Partitioner, tbb::simple_partitioner> ||
                                     std::is_same_v<Partitioner, tbb::auto_partitioner>;
    const char* name;

    explicit onetbb_way(const char* n) : name(n) {}
    template <class Body>
    void for_each(std::size_t n, const Body& body) {
        loop(n, body, partitioner_);
    }
    template <class Body>
    void nested_for_each(std::size_t n, const Body& body) {
        Nested partitioner;
        loop(n, body, partitioner);
    }
    void scan(const double* in, double* out, std::size_t n) {
        if constexpr (has_scan)
            tbb::parallel_scan(range(0, n), 0.0, sums{in, out}, std::plus<>(), partitioner_);
    }
    template <class First, class Second>
    void both(const First& f, const Second& g) {
        tbb::parallel_invoke(f, g);
    }
    template <class First, class Second>
    void group_of(const First& f, const Second& g) {
        tbb::task_group group;
        group.run(f);
        g();
        group.wait();
    }

private:
    using range = tbb::blocked_range<std::size_t>;

    template <class Body, class P>
    static void loop(std::size_t n, const Body& body, P& partitioner) {
        tbb::parallel_for(
            range(0, n),
            [&](const range& r) {
                for (std::size_t unit = r.begin(); unit != r.end(); ++unit)
                    body(unit);
            },
            partitioner);
    }

    Partitioner partitioner_;
};

template <class Use>
void use_ways(const Use& use) {
    // An affinity_partitioner remembers one loop: those that run inside of it, several at once, cannot share one.
    use([] { return onetbb_way<tbb::static_partitioner>("onetbb-static"); }, "onetbb-static");
    use([] { return onetbb_way<tbb::simple_partitioner>("onetbb-simple"); }, "onetbb-simple");
    use([] { return onetbb_way<tbb::auto_partitioner>("onetbb-auto"); }, "onetbb-auto");
    use([] { return onetbb_way<tbb::affinity_partitioner, tbb::auto_partitioner>("onetbb-affinity"); },
        "onetbb-affinity");
    use([] { return onetbb_way<tbb::auto_partitioner>("onetbb"); }, "onetbb");  // for cases without loops
}

}  // namespace runtime
