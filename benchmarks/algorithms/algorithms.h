#pragma once
// The library's own algorithms: sort, running sums, and the two that give the same bits whatever the threads do. A
// runtime that has them has sort(first, last), scan<deterministic>(in, out, n) and deterministic_sum(x, n).

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "common/buffer.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/runtime.h"

namespace bench {

template <class Runtime>
concept algorithms = requires(double* p) { Runtime::sort(p, p); };

// Whole numbers: sums are exact in any order.
inline buffer<double> numbers(index n) {
    buffer<double> x(n);
    for (index i = 0; i < n; ++i)
        x[i] = static_cast<double>((i * 2654435761u) % 1000003u);
    return x;
}

template <class Runtime>
class library_sort {
public:
    explicit library_sort(index n) : input_(numbers(n)), output_(n), expected_(n) {
        std::copy_n(input_.data(), n, expected_.data());
        std::sort(expected_.data(), expected_.data() + n);
    }
    void reset() { output_.fill(std::nan("")); }
    // The copy is a tenth of it, and serial for everybody.
    void run() {
        std::copy_n(input_.data(), input_.size(), output_.data());
        Runtime::sort(output_.data(), output_.data() + output_.size());
    }
    std::size_t first_wrong() const { return first_difference(output_, expected_); }

private:
    buffer<double> input_, output_, expected_;
};

template <class Runtime, bool deterministic>
class library_scan {
public:
    explicit library_scan(index n) : input_(numbers(n)), output_(n), expected_(n) {
        std::partial_sum(input_.data(), input_.data() + n, expected_.data());
    }
    void reset() { output_.fill(-1.0); }
    void run() { Runtime::template scan<deterministic>(input_.data(), output_.data(), input_.size()); }
    std::size_t first_wrong() const { return first_difference(output_, expected_); }

private:
    buffer<double> input_, output_, expected_;
};

template <class Runtime>
class library_sum {
public:
    explicit library_sum(index n)
        : input_(numbers(n)), expected_(std::accumulate(input_.data(), input_.data() + n, 0.0)) {}
    void reset() { sum_ = -1; }
    void run() { sum_ = Runtime::deterministic_sum(input_.data(), input_.size()); }
    std::size_t first_wrong() const { return sum_ == expected_ ? none : 0; }

private:
    buffer<double> input_;
    double expected_, sum_ = -1;
};

template <class Workload>
void register_algorithm(const std::string& name, index n) {
    register_long_workload(name + "/" + std::to_string(n), lazy<Workload>([n] { return Workload(n); }));
}

template <class Runtime>
void register_algorithms(const options& o) {
    const index sorted = o.full ? 10'000'000 : 1'000'000, scanned = index{1} << (o.full ? 24 : 21);
    register_algorithm<library_sort<Runtime>>("sort/doubles", sorted);
    register_algorithm<library_scan<Runtime, false>>("scan/prefix", scanned);
    register_algorithm<library_scan<Runtime, true>>("scan/deterministic", scanned);
    register_algorithm<library_sum<Runtime>>("reduce/deterministic", scanned);
}

}  // namespace bench
