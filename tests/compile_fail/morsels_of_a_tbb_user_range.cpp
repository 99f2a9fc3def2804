// The same for recompiled loops, whose ranges are oneTBB's.
// Error: in a tbb:: loop a morsel_partitioner cuts oneTBB's blocked_range
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <bough/morsel.h>

struct other_range : tbb::blocked_range<int> {
    using tbb::blocked_range<int>::blocked_range;
};

#ifdef BOUGH_MUST_FAIL
using range = other_range;
#else
using range = tbb::blocked_range<int>;
#endif

int main() {
    tbb::parallel_for(range(0, 10), [](const range&) {}, bough::morsel_partitioner(8));
}
