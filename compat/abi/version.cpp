// Versioning: which oneTBB this library stands in for, and, with TBB_VERSION=1, that it is bough's.

#include <bough/exports/environment.h>
#include <bough/version.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

// The newest oneTBB whose interface this is, with older headers too (newer.h); a header set that says more does not
// compile.
static_assert(TBB_INTERFACE_VERSION <= 12200, "look at what the newer interface adds, then raise this");

constexpr const char* onetbb_version = "2023.2.0";
constexpr int onetbb_interface = 12200;
constexpr int onetbb_specification = 104;

extern "C" {

TBB_EXPORT int TBB_runtime_interface_version() {
    return onetbb_interface;
}

TBB_EXPORT const char* TBB_runtime_version() {
    return onetbb_version;
}
}

namespace bough::compat::abi {
namespace {

// As oneTBB reads its switches: 1, with blanks around it or without.
bool is_on(const char* value) {
    std::string_view text = value == nullptr ? "" : value;
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return text.starts_with('1') && text.find_first_not_of(' ', 1) == std::string_view::npos;
}

// oneTBB's lines, and one more. oneTBB prints them at its first use; here they come when the library is loaded, since a
// program that was compiled with bough's headers may use no entry point of this library.
struct at_load {
    at_load() {
        if (!is_on(detail::environment_value("TBB_VERSION")))
            return;
        std::fprintf(stderr,
                     "oneTBB: SPECIFICATION VERSION\t%d\n"
                     "oneTBB: VERSION\t\t%s\n"
                     "oneTBB: INTERFACE VERSION\t%d\n"
                     "oneTBB: TBB_USE_DEBUG\t0\n"
                     "oneTBB: TBB_USE_ASSERT\t0\n"
                     "oneTBB: TOOLS SUPPORT\tdisabled\n"
                     "oneTBB: RUNTIME\t\tbough %s\n",
                     onetbb_specification, onetbb_version, onetbb_interface, version());
    }
};
const at_load printed;

}  // namespace
}  // namespace bough::compat::abi
