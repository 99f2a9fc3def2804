// The parts of a deterministic scan depend on the range alone.
// Error: a scan takes an auto_partitioner or a simple_partitioner, and a parallel_scan a morsel_partitioner, too
#include <bough/parallel_scan.h>

int main() {
    const auto scan = [](const bough::blocked_range<int>& r, int sum, bool) {
        return sum + r.end() - r.begin();
    };
    const auto join = [](int a, int b) { return a + b; };
    const bough::morsel_partitioner morsels(4);
#ifdef BOUGH_MUST_FAIL
    return bough::parallel_deterministic_scan(bough::blocked_range<int>(0, 10), 0, scan, join, morsels);
#else
    return bough::parallel_scan(bough::blocked_range<int>(0, 10), 0, scan, join, morsels);
#endif
}
