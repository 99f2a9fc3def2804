#pragma once
// Integral of x^3 + x from 0 to N by trapezoids, each halved until the halves agree with the whole within epsilon.

#include <cmath>
#include <string>

#include "common/fork_join.h"
#include "common/fork_serial.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

struct trapezoid {
    double left, left_value, right, right_value;
    double area() const { return (left_value + right_value) * (right - left) / 2; }
};

inline double integrand(double x) {
    return x * x * x + x;
}

constexpr double integrate_epsilon = 1e-4;

template <class Runtime>
double integrate(const trapezoid& whole) {
    const double middle = (whole.left + whole.right) / 2, value = integrand(middle);
    const trapezoid left{whole.left, whole.left_value, middle, value};
    const trapezoid right{middle, value, whole.right, whole.right_value};
    const double halves = left.area() + right.area();
    if (std::abs(halves - whole.area()) < integrate_epsilon)
        return halves;
    double a = 0, b = 0;
    Runtime::fork([&] { a = integrate<Runtime>(left); }, [&] { b = integrate<Runtime>(right); });
    return a + b;
}

template <class Runtime>
class quadrature {
public:
    explicit quadrature(unsigned n)
        : whole_{0, integrand(0), static_cast<double>(n), integrand(n)},
          expected_(integrate<fork_serial>(whole_)) {}

    void reset() { result_ = std::nan(""); }
    void run() {
        fork_root<Runtime>([this] { result_ = integrate<Runtime>(whole_); });
    }

    // The same sums in the same order: equal to the last bit. And close to the integral itself.
    std::size_t first_wrong() const {
        const double n = whole_.right, exact = n * n * n * n / 4 + n * n / 2;
        return result_ == expected_ && std::abs(result_ - exact) < 1e-6 * exact ? none : 0;
    }

private:
    trapezoid whole_;
    double expected_, result_ = 0;
};

template <class Runtime>
void register_integrate(const options& o) {
    const unsigned largest = o.full ? 8000 : o.papers ? 2000 : 500;
    for (unsigned n = o.papers ? largest : 500; n <= largest; n *= 4)
        register_long_workload("integrate/adaptive/" + std::to_string(n),
                               lazy<quadrature<Runtime>>([n] { return quadrature<Runtime>(n); }));
}

}  // namespace bench
