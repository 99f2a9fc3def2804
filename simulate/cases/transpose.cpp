// A matrix of 128 x 128 is transposed by a loop in a loop.

#include <vector>

#include "runtime.h"

int main(int argc, char** argv) {
    constexpr std::size_t size = 128;
    std::vector<double> in(size * size), out(size * size), expected(size * size);
    for (std::size_t i = 0; i < size * size; ++i) {
        in[i] = static_cast<double>(i);
        expected[i % size * size + i / size] = static_cast<double>(i);
    }
    return runtime::each_way(argc, argv, [&](auto& way) {
        runtime::measure(
            way, runtime::rounds(10, 20),
            [&] {
                way.for_each(size, [&](std::size_t row) {
                    way.nested_for_each(size, [&, row](std::size_t column) {
                        out[row * size + column] = in[column * size + row];
                    });
                });
            },
            [&] { out.assign(size * size, -1); }, [&] { return out == expected; });
    });
}
