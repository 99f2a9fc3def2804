// The C library's allocator, with two additions. A thread that gives memory back waits for its stores that lie in it:
// the C library writes there unseen, and an atomic store that came out of a core's buffer afterwards would change its
// lists, or another's object. And while a run is traced, the calls that asked for a block are kept: so a line has the
// name of its object.

#include <errno.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/mman.h>

#include <map>
#include <new>

#include "apart.h"
#include "frames.h"
#include "real.h"
#include "schedule.h"
#include "trace.h"

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace simulate {
namespace {

constinit bool recording = false;
using allocations = std::map<std::uintptr_t, allocation, std::less<>,
                             apart_allocator<std::pair<const std::uintptr_t, allocation>>>;
allocations& known() {
    static auto* const all = new (apart::allocate(sizeof(allocations))) allocations;
    return *all;
}

void* note(void* result, size_t bytes, const void* frame) {
    if (!recording || result == nullptr)
        return result;
    allocation a{reinterpret_cast<std::uintptr_t>(result), bytes, {}};
    const bool runs =
        simulate::here != nullptr && simulate::here->running != nullptr;  // not between two threads
    collect_calls(frame, runs ? schedule::the->current().body->top() : nullptr, a.calls);
    known()[a.begin] = a;
    return result;
}

void let_stores_out(const void* block, size_t bytes) {
    if (here != nullptr && !here->stores.empty() && here->stores.has_some_in(block, bytes))
        schedule::the->fence();
}

void forget(void* block) {
    if (block == nullptr)
        return;
    let_stores_out(block, malloc_usable_size(block));
    if (recording)
        known().erase(reinterpret_cast<std::uintptr_t>(block));
}

}  // namespace

void trace_allocations() {
    known();
    recording = true;
}
void end_tracing_allocations() {
    recording = false;
}

const allocation* allocation_at(std::uintptr_t address) {
    auto after = known().upper_bound(address + 63);  // a line may begin before its object
    if (after == known().begin())
        return nullptr;
    const allocation& a = std::prev(after)->second;
    return address < a.begin + a.bytes ? &a : nullptr;
}

}  // namespace simulate

using simulate::forget;
using simulate::note;

#define SIMULATE_NOTED(result, bytes) note(result, bytes, __builtin_frame_address(0))

extern "C" {

void* malloc(size_t bytes) {
    return SIMULATE_NOTED(__libc_malloc(bytes), bytes);
}
void* calloc(size_t count, size_t bytes) {
    return SIMULATE_NOTED(__libc_calloc(count, bytes), count * bytes);
}
void* realloc(void* block, size_t bytes) {
    forget(block);
    return SIMULATE_NOTED(__libc_realloc(block, bytes), bytes);
}
void* memalign(size_t alignment, size_t bytes) {
    return SIMULATE_NOTED(__libc_memalign(alignment, bytes), bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) {
    return SIMULATE_NOTED(__libc_memalign(alignment, bytes), bytes);
}
int posix_memalign(void** result, size_t alignment, size_t bytes) {
    void* const block = SIMULATE_NOTED(__libc_memalign(alignment, bytes), bytes);
    if (block == nullptr)
        return ENOMEM;
    *result = block;
    return 0;
}
void free(void* block) {
    forget(block);
    __libc_free(block);
}
int munmap(void* block, size_t bytes) {
    simulate::let_stores_out(block, bytes);
    return SIMULATE_REAL(munmap, block, bytes);
}

}  // extern "C"

// The standard library's own keep no frame pointer, so the caller would not be known.
void* operator new(size_t bytes) {
    if (void* const block = __libc_malloc(bytes)) [[likely]]
        return SIMULATE_NOTED(block, bytes);
    throw std::bad_alloc();
}
void* operator new(size_t bytes, std::align_val_t alignment) {
    if (void* const block = __libc_memalign(static_cast<size_t>(alignment), bytes)) [[likely]]
        return SIMULATE_NOTED(block, bytes);
    throw std::bad_alloc();
}
void operator delete(void* block) noexcept {
    free(block);
}
void operator delete(void* block, size_t) noexcept {
    free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
    free(block);
}
void operator delete(void* block, size_t, std::align_val_t) noexcept {
    free(block);
}
