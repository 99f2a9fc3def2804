// oneTBB's allocator beside its scheduler.

#include <tbb/scalable_allocator.h>
#include <tbb/version.h>

#include "../mapped.h"

int main() {
    void* block = scalable_malloc(1000);
    const bool sized = scalable_msize(block) >= 1000;
    scalable_free(block);
    std::cout << "allocated " << sized << '\n';
    std::cout << "runtime " << TBB_runtime_version() << ' ' << TBB_runtime_interface_version() << '\n';
    print_mapped();
}
