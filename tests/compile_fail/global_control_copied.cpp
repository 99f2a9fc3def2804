// A limit ends with the object that set it.
// Error: deleted.*global_control
#include <bough/bough.h>

void use() {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 2);
#ifdef BOUGH_MUST_FAIL
    const bough::global_control other(limit);
#else
    const bough::global_control& other = limit;
#endif
    static_cast<void>(other);
}
