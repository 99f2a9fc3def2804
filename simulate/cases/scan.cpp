// Running sums of 32,768 numbers, or of as many as the second argument says.

#include <cstdlib>
#include <vector>

#include "runtime.h"

int main(int argc, char** argv) {
    const std::size_t length = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 32768;
    std::vector<double> in(length), out(length), expected(length);
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
        in[i] = static_cast<double>(i % 13);  // whole numbers: in any order the same sums
        expected[i] = sum += in[i];
    }
    return runtime::each_way(argc, argv, [&](auto& way) {
        runtime::measure(
            way, runtime::rounds(10, 20), [&] { way.scan(in.data(), out.data(), length); },
            [&] { out.assign(length, -1); }, [&] { return out == expected; });
    });
}
