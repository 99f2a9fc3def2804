// Loads a plugin, uses it, unloads it, many times; says what that costs. This program does not link bough: the plugin
// brings it.
//
// usage: plugin_host PLUGIN ROUNDS
// Prints lines "key value"; exit status 0, or 1 with a reason.

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "support/no_huge_pages.h"

namespace {

long resident_kib() {
    std::ifstream statm("/proc/self/statm");
    long all = 0, resident = 0;
    statm >> all >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

long entries_of(const char* folder) {
    const std::filesystem::directory_iterator all(folder);
    return std::distance(begin(all), end(all));
}

// Of which this many are of the file.
long mappings(const std::string& file) {
    std::ifstream maps("/proc/self/maps");
    long count = 0;
    for (std::string line; std::getline(maps, line);)
        count += file.empty() || line.find(file) != std::string::npos ? 1 : 0;
    return count;
}

int fail(const char* what) {
    const char* why = dlerror();
    std::printf("failed %s: %s\n", what, why ? why : "");
    return 1;
}

int use_once(const char* plugin) {
    void* const handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fail("dlopen");
    const auto use = reinterpret_cast<int (*)()>(dlsym(handle, "use_plugin"));
    if (!use)
        return fail("dlsym");
    if (const int wrong = use()) {
        std::printf("failed answer %d\n", wrong);
        return 1;
    }
    return dlclose(handle) == 0 ? 0 : fail("dlclose");
}

void print(const char* when) {
    std::printf("%s_threads %ld\n%s_mappings %ld\n%s_files %ld\n%s_resident_kib %ld\n", when,
                entries_of("/proc/self/task"), when, mappings(""), when, entries_of("/proc/self/fd"), when,
                resident_kib());
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3)
        return fail("usage");
    const int rounds = std::atoi(argv[2]);
    alarm(static_cast<unsigned>(100 + rounds / 20));
    for (int k = 0; k < rounds; ++k) {
        if (k == rounds / 4)
            print("early");
        if (use_once(argv[1]) != 0)
            return 1;
    }
    print("late");
    std::printf("plugin_mappings %ld\n", mappings(std::filesystem::path(argv[1]).filename()));
    std::printf("bough_mappings %ld\n", mappings("/libbough.so"));
    return 0;
}
