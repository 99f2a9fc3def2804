#pragma once
// Is this program run under a sanitizer? By any compiler's own way of saying so.

#if defined(__SANITIZE_THREAD__)
#define BOUGH_TEST_SANITIZED 1
#define BOUGH_TEST_THREAD_SANITIZED 1
#elif defined(__SANITIZE_ADDRESS__)
#define BOUGH_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BOUGH_TEST_SANITIZED 1
#define BOUGH_TEST_THREAD_SANITIZED 1
#elif __has_feature(address_sanitizer)
#define BOUGH_TEST_SANITIZED 1
#endif
#endif

namespace bough_test {

#ifdef BOUGH_TEST_SANITIZED
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#ifdef BOUGH_TEST_THREAD_SANITIZED
inline constexpr bool thread_sanitized = true;
#else
inline constexpr bool thread_sanitized = false;
#endif

}  // namespace bough_test
