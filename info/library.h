#pragma once
// Which library a program gets under the name libtbb.so.12: asked of the loader itself, in a child process.

#include <string>
#include <vector>

namespace bough::info {

struct library {
    std::string path;     // links resolved; empty: none was loaded
    std::string onetbb;   // the version of oneTBB that it calls itself, "2023.2.0"
    std::string bough;    // the version of bough behind it; empty: it is not bough's
    std::string problem;  // why none was loaded, in the loader's words
};

struct libraries {
    // Of a program built with bough's headers or its TBBConfig.cmake: it has a run path to it.
    library compat;
    // Of a program that was linked with -ltbb, without a run path.
    library plain;
    // LD_PRELOAD or LD_LIBRARY_PATH names it, which a run path does not change.
    bool environment_decides = false;
};

libraries find_libraries();

}  // namespace bough::info
