// The first loop of a call site: 2000 units of 100 ns for each thread.

#include "first.h"

int main(int argc, char** argv) {
    return first::measure(argc, argv, std::size_t{2000} * runtime::threads(), 100);
}
