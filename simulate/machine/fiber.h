#pragma once
// A stack and a thread-local block to run a simulated thread with. All fibers run in one host thread, in turns. A host
// thread that is parked for as long as the fiber lives lends its stack and its block: so thread-local variables,
// pthread_self(), exceptions and the allocator's caches are those of a thread, though the kernel never runs it.

#include <pthread.h>

#include <cstddef>

namespace simulate {

class fiber {
public:
    // The calling host thread with a stack of its own size; run() goes on there at the first change to it.
    fiber(std::size_t stack_bytes, void (*run)(void*), void* data);
    // A parked thread's, started with these attributes. error(): 0, or why the system refused it.
    fiber(const pthread_attr_t* attributes, void (*run)(void*), void* data);
    fiber(const fiber&) = delete;
    fiber& operator=(const fiber&) = delete;
    // No simulated thread runs on it any more: the parked thread ends.
    ~fiber();

    int error() const { return error_; }
    pthread_t handle() const { return handle_; }
    const void* stack_pointer() const { return stack_pointer_; }
    const char* top() const { return top_; }  // of the stack
    // What pthread_getattr_np() is to say of the calling host thread's fiber.
    void* lowest() const { return lowest_; }
    std::size_t bytes() const { return bytes_; }

    // Runs on `to`; returns when a thread changes back to `from`.
    static void change(fiber& from, fiber& to);

private:
    static void* park(void* self);
    void prepare(char* top, void (*run)(void*), void* data);

    void* stack_pointer_ = nullptr;
    unsigned long thread_block_ = 0;
    pthread_t handle_{};
    int error_ = 0;
    void* lowest_ = nullptr;
    std::size_t bytes_ = 0;
    int parked_ = 0;  // futex words of the host
    int released_ = 0;
    bool has_thread_ = false;
    char* top_ = nullptr;
};

}  // namespace simulate
