// What gives memory back. The C library writes into it unseen: an atomic store that came out of a core's buffer
// afterwards would change the C library's lists, or another's object.

#include <malloc.h>
#include <stddef.h>
#include <sys/mman.h>

#include <cstdint>

#include "real.h"
#include "schedule.h"

using namespace simulate;

// By these names glibc exports its own: dlsym() may call free() itself.
extern "C" void __libc_free(void* block);
extern "C" void* __libc_realloc(void* block, size_t bytes);

namespace {

void let_stores_out(const void* block, size_t bytes) {
    if (here == nullptr || here->stores.empty())
        return;
    if (here->stores.has_some_in(block, bytes))
        schedule::the->fence();
}

void let_stores_out(void* block) {
    if (block != nullptr)
        let_stores_out(block, malloc_usable_size(block));
}

}  // namespace

extern "C" {

void free(void* block) {
    let_stores_out(block);
    __libc_free(block);
}
void* realloc(void* block, size_t bytes) {
    let_stores_out(block);
    return __libc_realloc(block, bytes);
}
int munmap(void* block, size_t bytes) {
    let_stores_out(block, bytes);
    return SIMULATE_REAL(munmap, block, bytes);
}

}  // extern "C"
