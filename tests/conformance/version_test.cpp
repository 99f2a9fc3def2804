// The version of the library against that of the headers.
#include "support.h"

#include <oneapi/tbb/version.h>

#include <cstdlib>

namespace {

TEST(version, the_library_is_not_older_than_the_headers) {
    EXPECT_GE(TBB_runtime_interface_version(), TBB_INTERFACE_VERSION);
    EXPECT_EQ(TBB_runtime_interface_version() / 1000, TBB_INTERFACE_VERSION_MAJOR);
}

TEST(version, the_string_begins_with_numbers) {
    const char* text = TBB_runtime_version();
    ASSERT_NE(text, nullptr);
    EXPECT_EQ(TBB_runtime_version(), text);
    char* rest = nullptr;
    EXPECT_GE(std::strtol(text, &rest, 10), TBB_VERSION_MAJOR);
    ASSERT_EQ(*rest, '.');
    const char* minor = rest + 1;
    std::strtol(minor, &rest, 10);
    EXPECT_NE(rest, minor);
}

TEST(version, macros_agree) {
    EXPECT_EQ(TBB_INTERFACE_VERSION_MAJOR, TBB_INTERFACE_VERSION / 1000);
    EXPECT_EQ(TBB_INTERFACE_VERSION_MINOR, TBB_INTERFACE_VERSION % 1000 / 10);
    EXPECT_EQ(std::string(TBB_VERSION_STRING).find(std::to_string(TBB_VERSION_MAJOR) + "."), 0u);
    EXPECT_GE(ONETBB_SPEC_VERSION, 100);
}

}  // namespace
