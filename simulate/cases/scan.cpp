// Running sums of 32,768 numbers.

#include <vector>

#include "runtime.h"

int main(int argc, char** argv) {
    constexpr std::size_t length = 32768;
    constexpr unsigned warm_ups = 10, rounds = 20;
    std::vector<double> in(length), out(length), expected(length);
    double sum = 0;
    for (std::size_t i = 0; i < length; ++i) {
        in[i] = static_cast<double>(i % 13);  // whole numbers: in any order the same sums
        expected[i] = sum += in[i];
    }
    return runtime::each_way(argc, argv, [&](auto& way) {
        unsigned round = 0;
        out.assign(length, 0);
        runtime::measure(
            way, warm_ups, rounds, [&] { way.scan(in.data(), out.data(), length); },
            [&] { return ++round != warm_ups + rounds || out == expected; });
    });
}
