#pragma once
// A thread for recursion without an end: unwinding takes some us a level, so its stack is small.

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>

namespace bough_test {

inline void on_stack(std::size_t bytes, void (*f)()) {
    pthread_attr_t attributes;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, bytes), 0);
    const auto run = [](void* call) -> void* {
        (*static_cast<void (**)()>(call))();
        return nullptr;
    };
    pthread_t thread{};
    ASSERT_EQ(pthread_create(&thread, &attributes, run, &f), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

inline void on_small_stack(void (*f)()) {
    on_stack(std::size_t{512} << 10, f);
}

}  // namespace bough_test
