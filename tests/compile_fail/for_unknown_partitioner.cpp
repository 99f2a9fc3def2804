// The fourth argument is a partitioner or a context.
// Error: allowed here are a partitioner
#include <bough/bough.h>

struct my_partitioner {};

void use() {
#ifdef BOUGH_MUST_FAIL
    bough::parallel_for(0, 10, [](int) {}, my_partitioner());
#else
    bough::parallel_for(0, 10, [](int) {}, bough::simple_partitioner());
#endif
}
