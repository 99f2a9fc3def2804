// Indices are integers.
// Error: allowed here are a partitioner
#include <bough/bough.h>

void use() {
#ifdef BOUGH_MUST_FAIL
    bough::parallel_for(0.0, 10.0, [](double) {});
#else
    bough::parallel_for(0, 10, [](int) {});
#endif
}
