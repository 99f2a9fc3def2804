// Rows of equal length.

#include "spmv.h"

int main(int argc, char** argv) {
    return spmv::run(argc, argv, [](std::size_t, spmv::draws&) -> std::size_t { return 16; });
}
