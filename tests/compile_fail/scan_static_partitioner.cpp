// A scan has no pieces that belong to threads.
// Error: a scan takes an auto_partitioner or a simple_partitioner
#include <bough/parallel_scan.h>

int main() {
#ifdef BOUGH_MUST_FAIL
    const bough::static_partitioner partitioner;
#else
    const bough::simple_partitioner partitioner;
#endif
    return bough::parallel_scan(
        bough::blocked_range<int>(0, 10), 0,
        [](const bough::blocked_range<int>& r, int sum, bool) { return sum + r.end() - r.begin(); },
        [](int a, int b) { return a + b; }, partitioner);
}
