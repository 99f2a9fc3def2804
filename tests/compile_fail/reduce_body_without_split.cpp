// A reduction's body splits; a copy would count what it has already.
// Error: no matching .*body
#include <bough/bough.h>

struct body {
    body() = default;
#ifndef BOUGH_MUST_FAIL
    body(body&, bough::split) {}
#endif
    void operator()(const bough::blocked_range<int>&) {}
    void join(body&) {}
};

void use() {
    body b;
    bough::parallel_reduce(bough::blocked_range<int>(0, 10), b);
}
