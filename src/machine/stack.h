#pragma once
// Stacks that a thread can change between: the one that the system gave it, and others.

#include <ucontext.h>

#include <cstddef>
#include <cstdint>

#include "bough/config.h"

namespace bough::machine {

class stack {
public:
    // Stands for the calling thread's own.
    stack() noexcept;
    // Memory of its own, with a guard page below. run(data) begins at the first change to it, and never returns. Throws
    // std::bad_alloc.
    stack(std::size_t bytes, void (*run)(void*), void* data);
    stack(const stack&) = delete;
    stack& operator=(const stack&) = delete;
    ~stack();

    // From the running one to another; returns when somebody changes back. Where a stack was left by another thread,
    // what that did before is visible if the two threads have synchronized. Under 1 us: the signal mask goes through
    // the kernel.
    static void change(stack& from, stack& to) noexcept;

    // Of the stack that the caller runs on, in bytes.
    struct extent {
        std::size_t left;  // from the caller's frame to its end
        std::size_t size;
    };
    // A few ns, after a thread's first call.
    static extent here() noexcept;
    // Is less left than unwinding needs, some 10 KiB, and a body for itself, half of this: more where the stack was
    // chosen large.
    static bool is_nearly_used() noexcept {
        const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        return frame < reserve_ends_ && is_in_reserve(frame);
    }

    // Is half of it used, or what a large one may be taken to have? Then the rest is for what is under way already.
    static bool is_half_used() noexcept {
        const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
        return frame < half_ends_ && is_in_lower_half(frame);
    }

    // Calls of one kind, of the user's choice, that are under way on the stack that the caller runs on, whichever
    // thread that is. What enter_call() began leave_call() ends, on the same stack.
    static unsigned calls_here() noexcept;
    static void enter_call() noexcept;
    static void leave_call() noexcept;
    // How many of them a stack has room for whatever its size: the thread sanitizer ends a program in which a stack has
    // 65,536 frames.
    static unsigned most_calls() noexcept;

private:
    static void begin(unsigned low, unsigned high);
    static bool is_in_reserve(std::uintptr_t frame) noexcept;
    static bool is_in_lower_half(std::uintptr_t frame) noexcept;
    static void run_on(const void* lowest, std::size_t size) noexcept;

    // Of the stack that the thread runs on; the greatest address until that is known.
    static constinit thread_local std::uintptr_t reserve_ends_ BOUGH_FAST_TLS;
    static constinit thread_local std::uintptr_t half_ends_ BOUGH_FAST_TLS;

    // What the C++ runtime keeps for a thread, and is the stack's: exceptions being handled, and under way (Itanium C++
    // ABI).
    struct exceptions {
        void* caught = nullptr;
        unsigned uncaught = 0;
    };

    ucontext_t context_;
    exceptions exceptions_;
    unsigned calls_ = 0;  // while it is left
    void* memory_ = nullptr;
    std::size_t bytes_ = 0;
    void (*run_)(void*) = nullptr;
    void* data_ = nullptr;
    void* sanitizer_fiber_ = nullptr;
    void* fake_stack_ = nullptr;
    const void* bottom_ = nullptr;  // its lowest address
    std::size_t size_ = 0;
};

}  // namespace bough::machine
