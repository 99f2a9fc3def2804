// What ran where the last time must not change the result.
// Error: a deterministic reduction takes an auto, simple or static_partitioner
#include <bough/parallel_deterministic_reduce.h>

int main() {
#ifdef BOUGH_MUST_FAIL
    bough::affinity_partitioner partitioner;
#else
    const bough::simple_partitioner partitioner;
#endif
    return bough::parallel_deterministic_reduce(
        bough::blocked_range<int>(0, 10), 0,
        [](const bough::blocked_range<int>& r, int sum) { return sum + r.end() - r.begin(); },
        [](int a, int b) { return a + b; }, partitioner);
}
