// Fibonacci's tree by task groups: a group for each fork.

#include "fib.h"

int main(int argc, char** argv) {
    return fib::run<14>(argc, argv, [](auto& way, const auto& f, const auto& g) { way.group_of(f, g); });
}
