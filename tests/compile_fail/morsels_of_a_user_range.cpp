// A morsel_partitioner knows of index ranges only.
// Error: a morsel_partitioner cuts a blocked_range, blocked_range2d or blocked_range3d
#include <bough/parallel_for.h>

struct other_range : bough::blocked_range<int> {
    using bough::blocked_range<int>::blocked_range;
};

#ifdef BOUGH_MUST_FAIL
using range = other_range;
#else
using range = bough::blocked_range<int>;
#endif

int main() {
    bough::parallel_for(range(0, 10), [](const range&) {}, bough::morsel_partitioner(8));
}
