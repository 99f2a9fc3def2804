#pragma once
// Worker threads as the system has them: started detached, named, with signals left to the program's own threads.

#include <cstddef>
#include <cstdint>

namespace bough::machine {

// 0, or an errno value. stack_size 0: default_stack_size(). The thread may run on all cpus_for_workers() (topology.h),
// if the system permits, whatever the calling thread is bound to.
int start_thread(void* (*run)(void*), void* data, std::size_t stack_size) noexcept;

// Bytes: RLIMIT_STACK at the program's start, or what the program has set since (pthread_setattr_default_np).
std::size_t default_stack_size() noexcept;

// For a worker that is the first thread of a child process: lets in what the program lets in (SIGTERM, SIGINT ...).
// Not the real-time signals, which the queues may use.
void accept_signals() noexcept;

void block_sigpipe() noexcept;

void name_this_thread(unsigned number) noexcept;
void name_this_thread(const char* name) noexcept;  // 15 characters at the most

// What the system says of another thread of this process, without memory and locks of ours.
struct thread_look {
    char state = '?';   // R: runs, or could; S, D: sleeps; T: stopped; ?: there is none of this number
    double cpu_ms = 0;  // that it has used
};
thread_look look_at_thread(int id) noexcept;

// How often the system has taken the CPU from the calling thread, which wanted to go on. Some 200 ns.
std::uint64_t involuntary_switches() noexcept;

int this_process_id() noexcept;

// Binds the calling thread to the number-th usable CPU (modulo their number).
void pin_this_thread(unsigned number) noexcept;

}  // namespace bough::machine
