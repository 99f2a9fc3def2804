// The smallest oneTBB program: asks which library it runs on. No header of oneTBB, so it links with any of them.

#include <cstring>

#include "mapped.h"

extern "C" int TBB_runtime_interface_version();
extern "C" const char* TBB_runtime_version();

int main(int count, char** arguments) {
    std::cout << "runtime " << TBB_runtime_version() << ' ' << TBB_runtime_interface_version() << '\n';
    for (int i = 1; i < count; ++i)
        std::cout << "argument " << arguments[i] << '\n';
    print_mapped();
    return count > 1 && std::strcmp(arguments[1], "fail") == 0 ? 3 : 0;
}
