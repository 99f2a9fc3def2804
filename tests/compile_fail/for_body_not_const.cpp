// Bodies are shared by threads: their call operator is const.
// Error: no match.* call to .*body
#include <bough/bough.h>

struct body {
#ifdef BOUGH_MUST_FAIL
    void operator()(int) {}
#else
    void operator()(int) const {}
#endif
};

void use() {
    bough::parallel_for(0, 10, body{});
}
