// The function of a reduction takes and returns the value.
// Error: error: .*string.* to .int|error: assigning to .int
#include <bough/bough.h>

#include <functional>
#include <string>

void use() {
    using range = bough::blocked_range<int>;
    const auto sum = [](const range& r, int value) {
#ifdef BOUGH_MUST_FAIL
        return std::to_string(value + r.begin());
#else
        return value + r.begin();
#endif
    };
    bough::parallel_reduce(range(0, 10), 0, sum, std::plus<int>());
}
