// The result is left in the body: it is no temporary.
// Error: no matching function for call to .parallel_reduce
#include <bough/bough.h>

struct body {
    body() = default;
    body(body&, bough::split) {}
    void operator()(const bough::blocked_range<int>&) {}
    void join(body&) {}
};

void use() {
#ifdef BOUGH_MUST_FAIL
    bough::parallel_reduce(bough::blocked_range<int>(0, 10), body());
#else
    body b;
    bough::parallel_reduce(bough::blocked_range<int>(0, 10), b);
#endif
}
