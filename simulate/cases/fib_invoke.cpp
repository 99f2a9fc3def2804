// Fibonacci's tree by parallel_invoke.

#include "fib.h"

int main(int argc, char** argv) {
    return fib::run<16>(argc, argv, [](auto& way, const auto& f, const auto& g) { way.both(f, g); });
}
