// A range says whether it can be split.
// Error: no member named .is_divisible
#include <bough/bough.h>

struct range {
    range() = default;
    range(const range&) = default;
    range(range&, bough::split) {}
    bool empty() const { return false; }
#ifndef BOUGH_MUST_FAIL
    bool is_divisible() const { return false; }
#endif
};

void use() {
    bough::parallel_for(range(), [](const range&) {});
}
