// parallel_invoke is for two or more.
// Error: no matching function for call to .parallel_invoke
#include <bough/bough.h>

void use() {
#ifdef BOUGH_MUST_FAIL
    bough::parallel_invoke([] {});
#else
    bough::parallel_invoke([] {}, [] {});
#endif
}
