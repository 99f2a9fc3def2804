#pragma once
// What cases and runtimes ask of the machine.

#include <chrono>
#include <thread>

namespace runtime {

inline double now_ns() {
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}
inline void pause() {
    __builtin_ia32_pause();
}
inline unsigned threads() {
    return std::thread::hardware_concurrency();
}

}  // namespace runtime
