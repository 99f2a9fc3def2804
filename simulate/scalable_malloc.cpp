// oneTBB's allocator, for programs that ask for it by name. On the virtual machine it is the C library's: both runtimes
// get the same one, and what allocating costs is not simulated.

#include <oneapi/tbb/scalable_allocator.h>

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

extern "C" {

void* scalable_malloc(size_t bytes) {
    return malloc(bytes);
}
void scalable_free(void* block) {
    free(block);
}
void* scalable_realloc(void* block, size_t bytes) {
    return realloc(block, bytes);
}
void* scalable_calloc(size_t count, size_t bytes) {
    return calloc(count, bytes);
}
int scalable_posix_memalign(void** block, size_t alignment, size_t bytes) {
    return posix_memalign(block, alignment, bytes);
}
void* scalable_aligned_malloc(size_t bytes, size_t alignment) {
    void* block = nullptr;
    const int error = posix_memalign(&block, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes);
    if (error != 0)
        errno = error;
    return error == 0 ? block : nullptr;
}
void* scalable_aligned_realloc(void* block, size_t bytes, size_t alignment) {
    void* const larger = scalable_aligned_malloc(bytes, alignment);
    if (larger != nullptr && block != nullptr) {
        const size_t before = malloc_usable_size(block);
        __builtin_memcpy(larger, block, before < bytes ? before : bytes);
        free(block);
    }
    return larger;
}
void scalable_aligned_free(void* block) {
    free(block);
}
size_t scalable_msize(void* block) {
    return malloc_usable_size(block);
}
int scalable_allocation_mode(int, intptr_t) {
    return TBBMALLOC_OK;
}
int scalable_allocation_command(int, void*) {
    return TBBMALLOC_NO_EFFECT;
}

}  // extern "C"
