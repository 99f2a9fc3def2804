// libstdc++'s parallel algorithms, which run on oneTBB: one algorithm per call, a checksum on stdout, the time that the
// repetitions took on stderr. Sums are of integers, so that any order of adding gives the same answer.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <numeric>
#include <string_view>
#include <vector>

namespace {

using numbers = std::vector<std::uint64_t>;
constexpr auto par = std::execution::par;

numbers random_numbers(std::size_t n) {
    numbers v(n);
    std::uint64_t x = 88172645463325252;
    for (auto& value : v) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        value = x;
    }
    return v;
}

std::uint64_t mixed(std::uint64_t x) {
    for (int i = 0; i < 8; ++i)
        x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15;
    return x;
}

std::uint64_t checksum(const numbers& v) {
    std::uint64_t sum = 0;
    for (const auto value : v)
        sum = sum * 31 + value;
    return sum;
}

std::uint64_t compute(std::string_view what, const numbers& in) {
    numbers out(in.size());
    if (what == "sort") {
        out = in;
        std::sort(par, out.begin(), out.end());
    } else if (what == "reduce") {
        return std::reduce(par, in.begin(), in.end());
    } else if (what == "transform_scan") {
        std::transform_exclusive_scan(par, in.begin(), in.end(), out.begin(), std::uint64_t{7}, std::plus<>(),
                                      mixed);
    } else if (what == "inclusive_scan") {
        std::inclusive_scan(par, in.begin(), in.end(), out.begin());
    } else if (what == "for_each") {
        out = in;
        std::for_each(par, out.begin(), out.end(), [](std::uint64_t& x) { x = mixed(x); });
    } else if (what == "transform_reduce") {
        return std::transform_reduce(par, in.begin(), in.end(), std::uint64_t{0}, std::plus<>(), mixed);
    } else {
        std::fprintf(stderr, "no such algorithm\n");
        std::exit(2);
    }
    return checksum(out);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4)
        return 2;
    const auto in = random_numbers(std::strtoull(argv[2], nullptr, 10));
    const int repetitions = std::atoi(argv[3]);
    std::uint64_t sum = 0;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repetitions; ++i)
        sum += compute(argv[1], in);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%s %llu\n", argv[1], static_cast<unsigned long long>(sum));
    std::fprintf(stderr, "seconds %.6f\n", took.count());
}
