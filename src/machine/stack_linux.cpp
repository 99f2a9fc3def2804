#include "machine/stack.h"

#include <cxxabi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <new>
#include <utility>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BOUGH_TSAN 1
#elif __has_feature(address_sanitizer)
#define BOUGH_ASAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define BOUGH_TSAN 1
#elif defined(__SANITIZE_ADDRESS__)
#define BOUGH_ASAN 1
#endif

#if defined(BOUGH_TSAN)
#include <sanitizer/tsan_interface.h>
#elif defined(BOUGH_ASAN)
#include <sanitizer/common_interface_defs.h>
#endif

namespace bough::machine {

// ---- what sanitizers have to be told ----

namespace {

// Of the stack that the thread runs on; null until it matters.
thread_local const void* lowest_here BOUGH_FAST_TLS = nullptr;
thread_local std::size_t size_here BOUGH_FAST_TLS = 0;
thread_local unsigned calls_of_stack_here BOUGH_FAST_TLS = 0;

std::uintptr_t end_of_reserve(const void* lowest, std::size_t size) {
    constexpr std::size_t least = std::size_t{32} << 10, most = std::size_t{512} << 10;
    return lowest ? reinterpret_cast<std::uintptr_t>(lowest) + std::clamp(size / 16, least, most)
                  : UINTPTR_MAX;
}

// The system names no end of the main thread's stack where that is unlimited, but some address that is terabytes away.
std::uintptr_t end_of_half(const void* lowest, std::size_t size) {
    constexpr std::size_t most = std::size_t{32} << 20;
    return lowest ? reinterpret_cast<std::uintptr_t>(lowest) + std::max(size / 2, size - std::min(size, most))
                  : UINTPTR_MAX;
}

#if defined(BOUGH_TSAN)
void* this_fiber() {
    return __tsan_get_current_fiber();
}
void* make_fiber() {
    return __tsan_create_fiber(0);
}
void destroy_fiber(void* fiber) {
    __tsan_destroy_fiber(fiber);
}
constexpr unsigned most_calls_here = 4096;  // up to 8 frames of ours in each: half are left to the program
#else
constexpr unsigned most_calls_here = UINT_MAX;
void* this_fiber() {
    return nullptr;
}
void* make_fiber() {
    return nullptr;
}
void destroy_fiber(void*) {}
#endif

void leave([[maybe_unused]] void** fake_stack, [[maybe_unused]] void* fiber,
           [[maybe_unused]] const void* bottom, [[maybe_unused]] std::size_t size) {
#if defined(BOUGH_TSAN)
    __tsan_switch_to_fiber(fiber, 0);
#elif defined(BOUGH_ASAN)
    __sanitizer_start_switch_fiber(fake_stack, bottom, size);
#endif
}

void arrive([[maybe_unused]] void* fake_stack) {
#if defined(BOUGH_ASAN)
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

}  // namespace

// ---- stacks ----

stack::stack() noexcept : sanitizer_fiber_(this_fiber()) {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return;
    void* lowest = nullptr;
    if (pthread_attr_getstack(&attributes, &lowest, &size_) == 0)
        bottom_ = lowest;
    pthread_attr_destroy(&attributes);
}

stack::stack(std::size_t bytes, void (*run)(void*), void* data) : run_(run), data_(data) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (bytes + page - 1) / page * page + page;
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (memory_ == MAP_FAILED)
        throw std::bad_alloc();
    if (mprotect(memory_, page, PROT_NONE) != 0 || getcontext(&context_) != 0) {
        munmap(memory_, bytes_);
        throw std::bad_alloc();
    }
    bottom_ = static_cast<char*>(memory_) + page;
    size_ = bytes_ - page;
    context_.uc_stack.ss_sp = const_cast<void*>(bottom_);
    context_.uc_stack.ss_size = size_;
    context_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    // makecontext hands ints on.
    makecontext(&context_, reinterpret_cast<void (*)()>(begin), 2, static_cast<unsigned>(self),
                static_cast<unsigned>(self >> 32));
    sanitizer_fiber_ = make_fiber();
}

stack::~stack() {
    if (!memory_)
        return;
    destroy_fiber(sanitizer_fiber_);
    munmap(memory_, bytes_);
}

void stack::begin(unsigned low, unsigned high) {
    auto* self = reinterpret_cast<stack*>(std::uintptr_t{high} << 32 | low);
    arrive(nullptr);
    self->run_(self->data_);
}

void stack::change(stack& from, stack& to) noexcept {
    auto* const threads = reinterpret_cast<exceptions*>(abi::__cxa_get_globals());
    from.exceptions_ = std::exchange(*threads, to.exceptions_);
    from.calls_ = std::exchange(calls_of_stack_here, to.calls_);
    run_on(to.bottom_, to.size_);
    // Signals are blocked by thread, not by stack: another thread may have left it there.
    pthread_sigmask(SIG_SETMASK, nullptr, &to.context_.uc_sigmask);
    leave(&from.fake_stack_, to.sanitizer_fiber_, to.bottom_, to.size_);
    swapcontext(&from.context_, &to.context_);
    arrive(from.fake_stack_);
}

void stack::run_on(const void* lowest, std::size_t size) noexcept {
    lowest_here = lowest;
    size_here = size;
    reserve_ends_ = end_of_reserve(lowest, size);
    half_ends_ = end_of_half(lowest, size);
}

stack::extent stack::here() noexcept {
    if (!lowest_here) {
        const stack own;
        run_on(own.bottom_, own.size_);
    }
    const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    return {frame - reinterpret_cast<std::uintptr_t>(lowest_here), size_here};
}

constinit thread_local std::uintptr_t stack::reserve_ends_ BOUGH_FAST_TLS = UINTPTR_MAX;
constinit thread_local std::uintptr_t stack::half_ends_ BOUGH_FAST_TLS = UINTPTR_MAX;

// What lies lower runs on a stack of the program's own making, of which nothing is known.
BOUGH_COLD bool stack::is_in_reserve(std::uintptr_t frame) noexcept {
    here();
    const auto lowest = reinterpret_cast<std::uintptr_t>(lowest_here);
    return lowest_here && frame - lowest < reserve_ends_ - lowest;
}
BOUGH_COLD bool stack::is_in_lower_half(std::uintptr_t frame) noexcept {
    here();
    const auto lowest = reinterpret_cast<std::uintptr_t>(lowest_here);
    return lowest_here && frame - lowest < half_ends_ - lowest;
}

unsigned stack::calls_here() noexcept {
    return calls_of_stack_here;
}
void stack::enter_call() noexcept {
    ++calls_of_stack_here;
}
void stack::leave_call() noexcept {
    --calls_of_stack_here;
}
unsigned stack::most_calls() noexcept {
    return most_calls_here;
}

}  // namespace bough::machine
