#pragma once
// The system refuses threads to the library: this header stands in front of pthread_create. For one source file of an
// executable.

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <iostream>
#include <string>

#include <gtest/gtest.h>

#include "watched_children.h"

namespace bough_test {

// Which of the library's requests for a thread are refused: those from `from` on, up to `until`, every `every`-th of
// them.
struct plan {
    int every = 0;
    int from = 1;
    int until = 1 << 30;
};
inline plan refusals;
inline std::atomic<int> asked{0}, refused{0};

inline bool is_refused(const pthread_attr_t* attributes) {
    int state = PTHREAD_CREATE_JOINABLE;
    if (!attributes || pthread_attr_getdetachstate(attributes, &state) != 0 ||
        state != PTHREAD_CREATE_DETACHED)
        return false;  // std::thread: not the library's
    const int number = ++asked;
    const bool hit = refusals.every != 0 && number >= refusals.from && number <= refusals.until &&
                     (number - refusals.from) % refusals.every == 0;
    refused += hit ? 1 : 0;
    return hit;
}

}  // namespace bough_test

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* data) noexcept {
    using function = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
    static const auto real = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
    return bough_test::is_refused(attributes) ? EAGAIN : real(thread, attributes, run, data);
}

namespace bough_test {

// At the end of a child; expect_at_most_one_line() reads it.
inline void report_refusals() {
    std::cout << "refused " << refused << " of " << asked << std::endl;
}

inline void expect_at_most_one_line(const outcome& o, const std::string& where) {
    EXPECT_TRUE(o.succeeded()) << where << ": " << o.what();
    const std::size_t at = o.out.find("refused ");
    ASSERT_NE(at, std::string::npos) << where << ": " << o.what();
    const bool any = o.out[at + std::strlen("refused ")] != '0';
    const auto lines = o.error_lines();
    ASSERT_EQ(lines.size(), any ? 1u : 0u) << where << ": " << o.what();
    if (any) {
        EXPECT_NE(lines[0].find("could not be started"), std::string::npos) << lines[0];
    }
}

}  // namespace bough_test
