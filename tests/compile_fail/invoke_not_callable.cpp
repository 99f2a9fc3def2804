// Every argument of parallel_invoke is called without arguments.
// Error: no match.* call to
#include <bough/bough.h>

void use() {
    int n = 0;
#ifdef BOUGH_MUST_FAIL
    bough::parallel_invoke([&] { ++n; }, [](int) {});
#else
    bough::parallel_invoke([&] { ++n; }, [] {});
#endif
}
