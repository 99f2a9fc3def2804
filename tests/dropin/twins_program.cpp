// Loads the libraries named on its command line one after the other and looks for twins after each; `-` only looks.

#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstring>

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
    const auto begin = std::chrono::steady_clock::now();
    constexpr int looks = 100000;
    for (int i = 0; i < looks; ++i)
        look();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - begin;
    std::printf("look %.0f\n", took.count() / looks);
}
