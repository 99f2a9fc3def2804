#pragma once
// A thread of the program, as the simulated system knows it.

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "description.h"
#include "fiber.h"
#include "trace.h"

namespace simulate {

constexpr unsigned most_keys = 256;

struct thread {
    enum class state { ready, runs, sleeps, ended };

    unsigned number = 0;  // 0: the main thread
    std::unique_ptr<fiber> body;
    state now = state::ready;
    unsigned core = 0;             // where it runs, or ran last
    std::vector<bool> may_run_on;  // one for each core
    picoseconds ready_at = 0;      // it runs no earlier

    // While it sleeps: on what, and why, for a report. A wake-up that comes after `sleep` has changed is an old one's.
    const void* waits_on = nullptr;
    const char* why = "starts";
    trace::calls where{};  // only while a run is traced
    std::uint64_t sleep = 0;
    bool woken = false;

    void* (*run)(void*) = nullptr;
    void* argument = nullptr;
    void* result = nullptr;
    bool detached = false;
    char name[16] = "";

    struct ending {
        void (*call)(void*);
        void* object;
    };
    std::vector<ending> endings;  // of thread_local objects
    std::array<void*, most_keys> values{};

    picoseconds ran = 0, began = 0;    // time on a core, up to `began`
    picoseconds left = 0;              // since when it does not run
    std::uint64_t switches_taken = 0;  // how often it lost its core while it wanted to go on
};

}  // namespace simulate
