#pragma once
// The Fibonacci numbers by their definition: trees of forks whose answer is easy to check.

#include <bough/parallel_invoke.h>
#include <bough/task_group.h>

namespace bough_test {

inline int fib_by_invoke(int n) {
    if (n < 2)
        return n;
    int a = 0, b = 0;
    bough::parallel_invoke([&] { a = fib_by_invoke(n - 1); }, [&] { b = fib_by_invoke(n - 2); });
    return a + b;
}

// Both halves are spawned, so the caller has nothing to do but wait.
inline int fib_by_group(int n) {
    if (n < 2)
        return n;
    int a = 0, b = 0;
    bough::task_group group;
    group.run([&a, n] { a = fib_by_group(n - 1); });
    group.run([&b, n] { b = fib_by_group(n - 2); });
    group.wait();
    return a + b;
}

}  // namespace bough_test
