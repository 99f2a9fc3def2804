// Versioning: which oneTBB this library stands in for.

#include <oneapi/tbb/version.h>

extern "C" {

// The newest oneTBB whose interface this is, with older headers too (newer.h); a header set that says more does not
// compile.
static_assert(TBB_INTERFACE_VERSION <= 12200, "look at what the newer interface adds, then raise this");

TBB_EXPORT int TBB_runtime_interface_version() {
    return 12200;
}

TBB_EXPORT const char* TBB_runtime_version() {
    return "2023.2.0";
}
}
