#pragma once
// Fibonacci numbers by naive recursion, every call a fork: what a fork costs when its work is next to nothing.

#include <cstdint>
#include <string>

#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

template <class Runtime>
std::uint64_t fib(unsigned n) {
    if (n < 2)
        return n;
    std::uint64_t a = 0, b = 0;
    Runtime::fork([n, &a] { a = fib<Runtime>(n - 1); }, [n, &b] { b = fib<Runtime>(n - 2); });
    return a + b;
}

template <class Runtime>
class fibonacci {
public:
    explicit fibonacci(unsigned n) : n_(n) {
        for (unsigned i = 0; i < n; ++i) {
            const std::uint64_t next = expected_ + before_;
            before_ = expected_;
            expected_ = next;
        }
    }

    void reset() { result_ = 0; }
    void run() {
        fork_root<Runtime>([this] { result_ = fib<Runtime>(n_); });
    }
    std::size_t first_wrong() const { return result_ == expected_ ? none : 0; }

private:
    unsigned n_;
    std::uint64_t expected_ = 0, before_ = 1, result_ = 0;
};

template <class Runtime>
void register_fib(const options& o) {
    const unsigned largest = o.full ? 35 : 30;
    for (unsigned n = o.papers ? largest : 25; n <= largest; n += 5)
        register_long_workload("fib/recursive/" + std::to_string(n),
                               lazy<fibonacci<Runtime>>([n] { return fibonacci<Runtime>(n); }));
}

}  // namespace bench
