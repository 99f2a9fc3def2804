// The first loop of a call site: 100 units that do next to nothing.

#include "first.h"

int main(int argc, char** argv) {
    return first::measure(argc, argv, 100, 0);
}
