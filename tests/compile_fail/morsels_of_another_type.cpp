// A morsel_range takes pointers to its element type, and goes with every partitioner.
// Error: no matching .*morsel_range<double>
#include <bough/bough.h>

void use(double* data, float* other) {
#ifdef BOUGH_MUST_FAIL
    const bough::morsel_range<double> range(other, 0, 100);
#else
    const bough::morsel_range<double> range(data, 0, 100);
    static_cast<void>(other);
#endif
    bough::affinity_partitioner affinity;
    const auto body = [](const bough::morsel_range<double>&) {};
    bough::parallel_for(range, body);
    bough::parallel_for(range, body, bough::auto_partitioner());
    bough::parallel_for(range, body, bough::simple_partitioner());
    bough::parallel_for(range, body, bough::static_partitioner());
    bough::parallel_for(range, body, affinity);
}
