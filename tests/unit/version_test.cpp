// bough::version().

#include <gtest/gtest.h>

#include <sstream>

#include "bough/version.h"

namespace {

TEST(version, is_that_of_the_headers_here) {
    std::ostringstream expected;
    expected << BOUGH_VERSION_MAJOR << '.' << BOUGH_VERSION_MINOR << '.' << BOUGH_VERSION_PATCH;
    EXPECT_EQ(bough::version(), expected.str());
}

}  // namespace
