// A oneTBB program in C++11, as anyone could have written it: loops, a reduction, a sort, tasks, an arena, an
// exception. Prints what it computed and which libraries it ran on.

#include <tbb/tbb.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "mapped.h"

namespace {

std::int64_t fibonacci(int n) {
    if (n < 2)
        return n;
    std::int64_t a = 0, b = 0;
    tbb::task_group group;
    group.run([&] { a = fibonacci(n - 1); });
    b = fibonacci(n - 2);
    group.wait();
    return a + b;
}

bool throws() {
    try {
        tbb::parallel_for(0, 1000, [](int i) {
            if (i == 700)
                throw std::runtime_error("700");
        });
    } catch (const std::runtime_error& e) {
        return e.what() == std::string("700");
    }
    return false;
}

}  // namespace

int main() {
    const std::size_t n = 100000;
    std::vector<std::int64_t> squares(n);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n), [&](const tbb::blocked_range<std::size_t>& r) {
        for (std::size_t i = r.begin(); i != r.end(); ++i)
            squares[i] = static_cast<std::int64_t>(i * i);
    });
    const std::int64_t sum = tbb::parallel_reduce(
        tbb::blocked_range<std::size_t>(0, n), std::int64_t(0),
        [&](const tbb::blocked_range<std::size_t>& r, std::int64_t s) {
            for (std::size_t i = r.begin(); i != r.end(); ++i)
                s += squares[i];
            return s;
        },
        std::plus<std::int64_t>());
    tbb::parallel_sort(squares.begin(), squares.end(), std::greater<std::int64_t>());
    std::int64_t in_arena = 0;
    tbb::task_arena arena(2);
    arena.execute([&] { in_arena = fibonacci(15); });

    std::cout << "sum " << sum << '\n';
    std::cout << "sorted " << std::is_sorted(squares.rbegin(), squares.rend()) << '\n';
    std::cout << "fibonacci " << in_arena << '\n';
    std::cout << "throws " << throws() << '\n';
    std::cout << "runtime " << TBB_runtime_version() << ' ' << TBB_runtime_interface_version() << '\n';
    print_mapped();
}
