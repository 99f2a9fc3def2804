// A reduction's body joins.
// Error: no member named .join
#include <bough/bough.h>

struct body {
    body() = default;
    body(body&, bough::split) {}
    void operator()(const bough::blocked_range<int>&) {}
#ifndef BOUGH_MUST_FAIL
    void join(body&) {}
#endif
};

void use() {
    body b;
    bough::parallel_reduce(bough::blocked_range<int>(0, 10), b);
}
