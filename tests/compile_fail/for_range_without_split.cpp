// A range has a splitting constructor.
// Error: no matching .* .*range
#include <bough/bough.h>

struct range {
    range() = default;
    range(const range&) = default;
#ifndef BOUGH_MUST_FAIL
    range(range&, bough::split) {}
#endif
    bool empty() const { return false; }
    bool is_divisible() const { return false; }
};

void use() {
    bough::parallel_for(range(), [](const range&) {});
}
