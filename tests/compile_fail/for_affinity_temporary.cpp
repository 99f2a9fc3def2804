// An affinity_partitioner that is gone after the loop remembers nothing.
// Error: an affinity_partitioner must outlive the call: pass a variable
#include <bough/bough.h>

void use() {
    bough::affinity_partitioner affinity;
#ifdef BOUGH_MUST_FAIL
    bough::parallel_for(0, 10, [](int) {}, bough::affinity_partitioner());
#else
    bough::parallel_for(0, 10, [](int) {}, affinity);
#endif
}
