#pragma once
// Which library the tests run on: ABI_TEST_LIBRARY=onetbb says that it is oneTBB's own, which does not do all that ours
// does.

#include <cstdlib>
#include <cstring>

inline bool is_onetbb() {
    const char* library = std::getenv("ABI_TEST_LIBRARY");
    return library && std::strcmp(library, "onetbb") == 0;
}
