// See the header. Symbols of an executable come before those of its libraries, so every allocation passes here: also
// those of the C and C++ libraries. Not those that the C library makes within itself by other names: stacks of threads,
// its own heap.

#include "faults/failing_memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>

namespace failing_memory {
namespace {

constinit std::atomic<bool> armed{false};
constinit std::atomic<bool> counts_everybody{false};
constinit std::atomic<bool> fails_on{false};
constinit std::atomic<long> left{0};  // before the one that fails
constinit std::atomic<long> refused{0};
constinit std::atomic<long> refused_before{0};
constinit std::atomic<long> blocks{0};
constinit thread_local bool is_callers = false;

bool is_refused() noexcept {
    if (!armed.load(std::memory_order_acquire) ||
        (!is_callers && !counts_everybody.load(std::memory_order_relaxed)))
        return false;
    const long before = left.fetch_sub(1, std::memory_order_relaxed);
    if (before > 1 || (before < 1 && !fails_on.load(std::memory_order_relaxed)))
        return false;
    refused.fetch_add(1, std::memory_order_relaxed);
    errno = ENOMEM;
    return true;
}

void* counted(void* block) noexcept {
    if (block)
        blocks.fetch_add(1, std::memory_order_relaxed);
    return block;
}

}  // namespace

void arm(whose w, how_many h, long n) noexcept {
    counts_everybody.store(w == whose::everybodys, std::memory_order_relaxed);
    fails_on.store(h == how_many::all_from_there, std::memory_order_relaxed);
    left.store(n, std::memory_order_relaxed);
    refused.store(0, std::memory_order_relaxed);
    is_callers = true;
    armed.store(true, std::memory_order_release);
}

long disarm() noexcept {
    armed.store(false, std::memory_order_release);
    is_callers = false;
    const long now = refused.load(std::memory_order_relaxed);
    refused_before.fetch_add(now, std::memory_order_relaxed);
    return now;
}

long live() noexcept {
    return blocks.load(std::memory_order_relaxed);
}

long refused_in_all() noexcept {
    return refused_before.load(std::memory_order_relaxed);
}

}  // namespace failing_memory

using failing_memory::counted;
using failing_memory::is_refused;

// The address sanitizer of g++ keeps its malloc under another name.
#if defined(__SANITIZE_ADDRESS__)
#define BOUGH_TEST_REAL(name) __interceptor_##name
#else
#define BOUGH_TEST_REAL(name) __libc_##name
#endif

extern "C" {

void* BOUGH_TEST_REAL(malloc)(std::size_t);
void* BOUGH_TEST_REAL(calloc)(std::size_t, std::size_t);
void* BOUGH_TEST_REAL(realloc)(void*, std::size_t);
void* BOUGH_TEST_REAL(memalign)(std::size_t, std::size_t);
void BOUGH_TEST_REAL(free)(void*);

void* malloc(std::size_t n) noexcept {
    return is_refused() ? nullptr : counted(BOUGH_TEST_REAL(malloc)(n));
}
void* calloc(std::size_t n, std::size_t size) noexcept {
    return is_refused() ? nullptr : counted(BOUGH_TEST_REAL(calloc)(n, size));
}
void* realloc(void* old, std::size_t n) noexcept {
    if (is_refused())
        return nullptr;
    void* const fresh = BOUGH_TEST_REAL(realloc)(old, n);
    return old ? fresh : counted(fresh);
}
void* memalign(std::size_t alignment, std::size_t n) noexcept {
    return is_refused() ? nullptr : counted(BOUGH_TEST_REAL(memalign)(alignment, n));
}
void* aligned_alloc(std::size_t alignment, std::size_t n) noexcept {
    return memalign(alignment, n);
}
int posix_memalign(void** result, std::size_t alignment, std::size_t n) noexcept {
    *result = memalign(alignment, n);
    return *result ? 0 : ENOMEM;
}
void free(void* block) noexcept {
    if (block)
        failing_memory::blocks.fetch_sub(1, std::memory_order_relaxed);
    BOUGH_TEST_REAL(free)(block);
}

void* mmap(void* at, std::size_t n, int protection, int flags, int file, off_t offset) noexcept {
    if (is_refused())
        return MAP_FAILED;
    // An address, or -1.
    return counted(reinterpret_cast<void*>(syscall(SYS_mmap, at, n, protection, flags, file, offset)));
}
int munmap(void* at, std::size_t n) noexcept {
    failing_memory::blocks.fetch_sub(1, std::memory_order_relaxed);
    return static_cast<int>(syscall(SYS_munmap, at, n));
}

// A thread's stack is memory as well.
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* data) noexcept {
    using function = int(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static auto* const real = reinterpret_cast<function*>(dlsym(RTLD_NEXT, "pthread_create"));
    return is_refused() ? EAGAIN : real(thread, attributes, run, data);
}

}  // extern "C"

// The sanitizer's own operators do not come by malloc.
#if defined(__SANITIZE_ADDRESS__)

namespace {
void* block_or_null(std::size_t n, std::size_t alignment) noexcept {
    return alignment <= alignof(std::max_align_t) ? malloc(n) : memalign(alignment, n);
}
void* block(std::size_t n, std::size_t alignment) {
    if (void* const made = block_or_null(n, alignment))
        return made;
    throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t n) {
    return block(n, 0);
}
void* operator new[](std::size_t n) {
    return block(n, 0);
}
void* operator new(std::size_t n, std::align_val_t a) {
    return block(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a) {
    return block(n, static_cast<std::size_t>(a));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept {
    return block_or_null(n, 0);
}
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept {
    return block_or_null(n, 0);
}
void* operator new(std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return block_or_null(n, static_cast<std::size_t>(a));
}
void* operator new[](std::size_t n, std::align_val_t a, const std::nothrow_t&) noexcept {
    return block_or_null(n, static_cast<std::size_t>(a));
}
void operator delete(void* p) noexcept {
    free(p);
}
void operator delete[](void* p) noexcept {
    free(p);
}
void operator delete(void* p, std::size_t) noexcept {
    free(p);
}
void operator delete[](void* p, std::size_t) noexcept {
    free(p);
}
void operator delete(void* p, std::align_val_t) noexcept {
    free(p);
}
void operator delete[](void* p, std::align_val_t) noexcept {
    free(p);
}
void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    free(p);
}
void operator delete[](void* p, std::size_t, std::align_val_t) noexcept {
    free(p);
}

#endif
