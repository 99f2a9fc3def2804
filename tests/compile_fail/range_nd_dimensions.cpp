// A range of N dimensions is made of N ranges, which may be written in braces.
// Error: no matching .*range_nd
#include <bough/bough.h>

void use() {
#ifdef BOUGH_MUST_FAIL
    const bough::blocked_rangeNd<int, 3> range({0, 10}, {0, 20, 5});
#else
    const bough::blocked_rangeNd<int, 3> range({0, 10}, {0, 20, 5}, {-3, 3});
#endif
    bough::parallel_for(range, [](const bough::blocked_rangeNd<int, 3>&) {});
}
