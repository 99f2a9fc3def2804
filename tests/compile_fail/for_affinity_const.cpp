// affinity_partitioner remembers: it can't be const.
// Error: an affinity_partitioner is changed by the loop and cannot be const
#include <bough/bough.h>

#ifdef BOUGH_MUST_FAIL
void use(const bough::affinity_partitioner& affinity) {
#else
void use(bough::affinity_partitioner& affinity) {
#endif
    bough::parallel_for(0, 10, [](int) {}, affinity);
}
