#pragma once
// Process-wide limits, with oneTBB's meanings: the smallest of all living max_allowed_parallelism holds, and the
// largest of all living thread_stack_size.

#include <cstddef>

#include "config.h"

namespace bough {

class BOUGH_EXPORT global_control {
public:
    enum parameter {
        max_allowed_parallelism,  // threads at work, application threads included; 1 to 4096
        thread_stack_size,        // bytes, for workers that are started from then on; at least 64 KiB
        terminate_on_exception,   // not 0: an exception that leaves a body ends the process
    };

    // Throws std::invalid_argument when value is out of bounds. Thread-safe.
    global_control(parameter p, std::size_t value);
    ~global_control();
    global_control(const global_control&) = delete;
    global_control& operator=(const global_control&) = delete;

    static std::size_t active_value(parameter p);

    // As active_value; for those who have caught one.
    static bool terminates_on_exception() noexcept;

private:
    parameter parameter_;
    std::size_t value_;
};

}  // namespace bough
