#pragma once
// Visibility and compiler hints; the only header, besides *_linux.cpp, that looks at compiler macros.

#if __cplusplus < 201703L
#error "bough needs C++17: -std=c++17 or later"
#endif

// Aggregates can be made by parentheses, as by a constructor.
#define BOUGH_PARENTHESES_MAKE_AGGREGATES (__cplusplus >= 202002L)

// Of these headers; CMakeLists.txt reads it here. bough::version() is of the library.
#define BOUGH_VERSION_MAJOR 0
#define BOUGH_VERSION_MINOR 1
#define BOUGH_VERSION_PATCH 0

#if defined(__GNUC__)
#define BOUGH_EXPORT __attribute__((visibility("default")))
#define BOUGH_HIDDEN __attribute__((visibility("hidden")))
#define BOUGH_NOINLINE __attribute__((noinline))
#define BOUGH_COLD __attribute__((noinline, cold))
// A thread-local variable that is one load away: initial-exec. For few words of our own only, never for a whole file,
// where it would hold for variables of other libraries too: then libbough could not be loaded late (static TLS is
// scarce).
#define BOUGH_FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#error "bough needs g++ or clang"
#endif

namespace bough {
// Size that keeps two variables out of each other's way: a line.
inline constexpr unsigned long cache_line = 64;

namespace detail {
// The optimiser forgets how the value came about. A loop whose bounds are visibly the result of min and multiply
// arithmetic is judged too dear to count, and is not unrolled (clang 19: four times slower).
template <class Integer>
inline void forget_origin(Integer& value) {
    asm("" : "+r"(value));
}
}  // namespace detail

}  // namespace bough
