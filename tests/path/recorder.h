#pragma once
// Records which functions a thread enters and leaves: with -finstrument-functions each calls the recorder as it begins
// and ends. Each thread has a trace of its own, or none.

#include <cstddef>

namespace path {

struct trace {
    static constexpr std::size_t capacity = 1 << 10;
    // The address of an entered function, or null where one was left.
    const void* events[capacity];
    std::size_t count;
    bool overflowed;
};

// Everything that the calling thread enters from here on goes into `t`, until stop().
void record_into(trace& t);
void stop();

}  // namespace path
