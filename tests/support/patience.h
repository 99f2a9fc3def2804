#pragma once
// How long a test waits for what other threads bring about before it calls that lost. On a busy machine a thread
// may get its first time slice late, so this is long; nothing waits so long that goes well.

#include <chrono>
#include <cstdlib>
#include <thread>

namespace bough_test {

// 20 s, or BOUGH_TEST_PATIENCE_S: less for the search of a failure.
inline std::chrono::seconds patience() {
    const char* given = std::getenv("BOUGH_TEST_PATIENCE_S");
    return std::chrono::seconds(given ? std::atoi(given) : 20);
}

inline std::chrono::steady_clock::time_point end_of_patience() {
    return std::chrono::steady_clock::now() + patience();
}

// Whether it does, before the patience of the caller, or that of several waits in a row, has ended.
template <class Condition>
bool comes_true(Condition&& condition, std::chrono::steady_clock::time_point end = end_of_patience()) {
    while (!condition()) {
        if (std::chrono::steady_clock::now() > end)
            return condition();
        std::this_thread::yield();
    }
    return true;
}

}  // namespace bough_test
