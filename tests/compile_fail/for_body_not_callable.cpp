// The body of a range loop is called with the range.
// Error: no match.* call to .*body
#include <bough/bough.h>

struct body {
#ifdef BOUGH_MUST_FAIL
    void operator()(const char*) const {}
#else
    void operator()(const bough::blocked_range<int>&) const {}
#endif
};

void use() {
    bough::parallel_for(bough::blocked_range<int>(0, 10), body{});
}
