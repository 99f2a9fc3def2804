// Loads the libraries named on its command line one after the other and looks for twins after each; `-` only looks.

#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <ctime>

extern "C" void look();

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        std::fprintf(stderr, "-- %s\n", arguments[i]);
        if (std::strcmp(arguments[i], "-") != 0 && !dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL)) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        look();
    }
    const std::clock_t begin = std::clock();  // the process's own time
    constexpr int looks = 100000;
    for (int i = 0; i < looks; ++i)
        look();
    const double took_ns = static_cast<double>(std::clock() - begin) * 1e9 / CLOCKS_PER_SEC;
    std::printf("look %.0f\n", took_ns / looks);
}
