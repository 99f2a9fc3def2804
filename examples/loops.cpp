// Four kinds of parallel work, an ordinary oneTBB program that knows nothing of bough. Each runs for a while. It
// prints a line for the case, its checksum, and the nanoseconds of one call. usage: loops
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using range = tbb::blocked_range<std::size_t>;
using steady = std::chrono::steady_clock;

// The median call of what fits into the time: calls in batches of some 100 us, so that the clock does not count.
template <class Call>
void measure(const char* name, double checksum, const Call& call) {
    constexpr double most_s = 0.15, batch_s = 1e-4;
    const auto seconds = [](auto since) {
        return std::chrono::duration<double>(steady::now() - since).count();
    };
    const auto first = steady::now();
    for (int i = 0; i < 4; ++i)
        call();
    const auto batch = static_cast<int>(std::max(1.0, batch_s / (seconds(first) / 4)));
    std::vector<double> ns;
    for (const auto begin = steady::now(); ns.size() < 5 || seconds(begin) < most_s;) {
        const auto start = steady::now();
        for (int i = 0; i < batch; ++i)
            call();
        ns.push_back(1e9 * seconds(start) / batch);
    }
    std::nth_element(ns.begin(), ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 2), ns.end());
    std::printf("case %s\nchecksum %.17g\ntime_ns %.17g\n", name, checksum, ns[ns.size() / 2]);
}

double sum(const std::vector<double>& values) {
    double total = 0;
    for (const double value : values)
        total += value;
    return total;
}

void small_loop() {
    std::vector<double> x(256, 1.0), y(256, 1.0);
    const auto halve = [&] {
        tbb::parallel_for(std::size_t{0}, x.size(), [&](std::size_t i) { y[i] = 0.5 * (y[i] + x[i]); });
    };
    halve();
    measure("small loop, called often", sum(y), halve);
}

// Row i has i + 1 entries: the last rows are the long ones.
void triangle() {
    constexpr std::size_t rows = 1024;
    std::vector<double> x(rows), y(rows), entries(rows * (rows + 1) / 2);
    for (std::size_t i = 0; i < rows; ++i)
        x[i] = 1.0 / static_cast<double>(i + 1);
    std::fill(entries.begin(), entries.end(), 0.5);
    const auto multiply = [&] {
        tbb::parallel_for(range(0, rows), [&](const range& some) {
            for (auto i = some.begin(); i != some.end(); ++i) {
                const double* const row = &entries[i * (i + 1) / 2];
                double product = 0;
                for (std::size_t j = 0; j <= i; ++j)
                    product += row[j] * x[j];
                y[i] = product;
            }
        });
    };
    multiply();
    measure("triangle times a vector", sum(y), multiply);
}

void nested_transpose() {
    constexpr std::size_t side = 64;
    std::vector<double> in(side * side), out(side * side);
    for (std::size_t i = 0; i < in.size(); ++i)
        in[i] = static_cast<double>(i % 1000);
    const auto transpose = [&] {
        tbb::parallel_for(std::size_t{0}, side, [&](std::size_t i) {
            tbb::parallel_for(std::size_t{0}, side,
                              [&](std::size_t j) { out[j * side + i] = in[i * side + j]; });
        });
    };
    transpose();
    double weighted = 0;
    for (std::size_t i = 0; i < out.size(); ++i)
        weighted += out[i] * static_cast<double>(i % 7);
    measure("transpose, loops in loops", weighted, transpose);
}

std::uint64_t fib(unsigned n) {
    if (n < 2)
        return n;
    std::uint64_t left = 0, right = 0;
    tbb::parallel_invoke([&] { left = fib(n - 1); }, [&] { right = fib(n - 2); });
    return left + right;
}

void recursion() {
    constexpr unsigned n = 22;
    std::uint64_t last = 0;
    const auto call = [&] { last = fib(n); };
    call();
    measure("recursion, parallel_invoke", static_cast<double>(last), call);
}

}  // namespace

int main() {
    small_loop();
    triangle();
    nested_transpose();
    recursion();
}
