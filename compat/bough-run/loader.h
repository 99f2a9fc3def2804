#pragma once
// What the loader would map for a program, asked of the loader itself, as ldd does: it alone knows run paths, caches
// and hardware folders. No code of the program runs.

#include <string>
#include <vector>

namespace bough::run {

struct mapping {
    std::vector<std::string> files;       // names as NEEDED where nothing was found
    std::vector<std::string> complaints;  // what it says cannot be found or bound: versions, symbols
};

// The loader must be glibc's: another one would start the program. `preload` takes the place of LD_PRELOAD. Throws
// failure where the loader cannot be started.
mapping list_mapped(const std::string& loader, const std::string& image, const std::string& preload);

}  // namespace bough::run
