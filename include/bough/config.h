#pragma once
// Visibility and compiler hints; the only header, besides *_linux.cpp, that looks at compiler macros.

#if __cplusplus < 201703L
#error "bough needs C++17: -std=c++17 or later"
#endif

// Can aggregates be made by parentheses, as by a constructor?
#define BOUGH_PARENTHESES_MAKE_AGGREGATES (__cplusplus >= 202002L)

// The version of these headers; CMakeLists.txt reads it here. bough::version() is the version of the library.
#define BOUGH_VERSION_MAJOR 0
#define BOUGH_VERSION_MINOR 1
#define BOUGH_VERSION_PATCH 0

#if defined(__GNUC__)
#define BOUGH_EXPORT __attribute__((visibility("default")))
#define BOUGH_HIDDEN __attribute__((visibility("hidden")))
#define BOUGH_NOINLINE __attribute__((noinline))
#define BOUGH_COLD __attribute__((noinline, cold))
// For a thread-local variable that one load reaches (initial-exec). Only for a few words of bough's own, and never for
// a whole file: there it would also hold for variables of other libraries, and then libbough could not be loaded late,
// as static TLS is scarce.
#define BOUGH_FAST_TLS __attribute__((tls_model("initial-exec")))
#else
#error "bough needs g++ or clang"
#endif

namespace bough {
// The size of a cache line, in bytes. Variables that are so far apart share no line.
inline constexpr unsigned long cache_line = 64;

namespace detail {
// Makes the optimiser forget how the value was computed. If the optimiser sees that a loop's bounds come from min and
// multiply arithmetic, it does not unroll the loop, as the number of rounds seems too dear to compute (clang 19: four
// times slower).
template <class Integer>
inline void forget_origin(Integer& value) {
    asm("" : "+r"(value));
}
}  // namespace detail

}  // namespace bough
