// A program on bough's own API. Prints a sum, and the libraries of bough that it runs on.

#include <bough/bough.h>

#include <atomic>

#include "../../dropin/mapped.h"

int main() {
    std::atomic<int> sum{0};
    bough::parallel_for(0, 101, [&](int i) { sum += i; });
    std::cout << "sum " << sum << '\n';
    print_mapped();
}
