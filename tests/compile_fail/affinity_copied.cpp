// What an affinity_partitioner remembers belongs to one object.
// Error: deleted.*affinity_partitioner
#include <bough/bough.h>

void use(bough::affinity_partitioner& affinity) {
#ifdef BOUGH_MUST_FAIL
    bough::affinity_partitioner other(affinity);
#else
    bough::affinity_partitioner& other = affinity;
#endif
    bough::parallel_for(0, 10, [](int) {}, other);
}
