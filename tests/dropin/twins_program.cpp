// Loads the libraries named on its command line one after the other and looks for twins after each; `-` only looks.
// Then it looks many times and says how many libraries it was shown: the library's dl_iterate_phdr is the one here.

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

extern "C" void look();

namespace {

long shown = 0;

using see = int (*)(dl_phdr_info*, std::size_t, void*);
struct counted {
    see inner;
    void* data;
};

int count_and_see(dl_phdr_info* info, std::size_t size, void* data) {
    ++shown;
    const counted& c = *static_cast<counted*>(data);
    return c.inner(info, size, c.data);
}

}  // namespace

extern "C" int dl_iterate_phdr(see inner, void* data) {
    static const auto real = reinterpret_cast<int (*)(see, void*)>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
    counted c{inner, data};
    return real(count_and_see, &c);
}

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        std::fprintf(stderr, "-- %s\n", arguments[i]);
        if (std::strcmp(arguments[i], "-") != 0 && !dlopen(arguments[i], RTLD_NOW | RTLD_LOCAL)) {
            std::fprintf(stderr, "%s\n", dlerror());
            return 1;
        }
        look();
    }
    shown = 0;
    constexpr int looks = 1000;
    for (int i = 0; i < looks; ++i)
        look();
    std::printf("%d looks, %ld libraries\n", looks, shown);
}
