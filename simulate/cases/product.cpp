// Two matrices of 64 x 64 are multiplied: a loop in a loop, and in it a serial sum.

#include <vector>

#include "runtime.h"

int main(int argc, char** argv) {
    constexpr std::size_t size = 64;
    std::vector<double> a(size * size), b(size * size), c(size * size), expected(size * size);
    for (std::size_t i = 0; i < size * size; ++i) {
        a[i] = static_cast<double>(i % 11);
        b[i] = static_cast<double>(i % 7);
    }
    const auto element = [&](std::size_t row, std::size_t column) {
        double sum = 0;
        for (std::size_t k = 0; k < size; ++k)
            sum += a[row * size + k] * b[k * size + column];
        return sum;
    };
    for (std::size_t i = 0; i < size * size; ++i)
        expected[i] = element(i / size, i % size);
    return runtime::each_way(argc, argv, [&](auto& way) {
        runtime::measure(
            way, runtime::rounds(10, 15),
            [&] {
                way.for_each(size, [&](std::size_t row) {
                    way.nested_for_each(size, [&, row](std::size_t column) {
                        c[row * size + column] = element(row, column);
                    });
                });
            },
            [&] { c.assign(size * size, -1); }, [&] { return c == expected; });
    });
}
