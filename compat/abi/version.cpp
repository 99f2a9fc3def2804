// Versioning: which oneTBB this library stands in for.

#include <oneapi/tbb/version.h>

extern "C" {

// The version of the newest oneTBB whose interface this is; a pinned header set that says more does not compile.
static_assert(TBB_INTERFACE_VERSION == 12200, "look at what the newer interface adds, then raise this");

__TBB_EXPORT int TBB_runtime_interface_version() {
    return TBB_INTERFACE_VERSION;
}

__TBB_EXPORT const char* TBB_runtime_version() {
    return TBB_VERSION_STRING;
}
}
