#pragma once
// The Fibonacci numbers by their definition: a tree of calls that do nothing but fork and join.

#include "runtime.h"

namespace fib {

inline long serial(int n) {
    return n < 2 ? n : serial(n - 1) + serial(n - 2);
}

// fork(way, f, g) runs both.
template <int n, class Fork>
int run(int argc, char** argv, const Fork& fork) {
    return runtime::each_way(argc, argv, [&](auto& way) {
        const auto parallel = [&](const auto& self, int m) -> long {
            if (m < 2)
                return m;
            long left = 0, right = 0;
            fork(way, [&] { left = self(self, m - 1); }, [&] { right = self(self, m - 2); });
            return left + right;
        };
        long answer = 0;
        runtime::measure(
            way, runtime::rounds(10, 20), [&] { answer = parallel(parallel, n); }, [&] { answer = 0; },
            [&] { return answer == serial(n); });
    });
}

}  // namespace fib
