// A tbb:: loop with a context is oneTBB's, which knows no morsels.
// Error: a tbb:: loop takes a morsel_partitioner or a task_group_context, not both
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <bough/morsel.h>

int main() {
    tbb::task_group_context context;
    const auto body = [](const tbb::blocked_range<int>&) {};
#ifdef BOUGH_MUST_FAIL
    tbb::parallel_for(tbb::blocked_range<int>(0, 10), body, bough::morsel_partitioner(8), context);
#else
    tbb::parallel_for(tbb::blocked_range<int>(0, 10), body, bough::morsel_partitioner(8));
    tbb::parallel_for(tbb::blocked_range<int>(0, 10), body, context);
#endif
}
