// The first loop of a call site: as many units as threads, of 20 us each.

#include "first.h"

int main(int argc, char** argv) {
    return first::measure(argc, argv, runtime::threads(), 20'000);
}
