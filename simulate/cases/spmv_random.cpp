// Rows of random lengths: most are short, some of 256 entries.

#include "spmv.h"

int main(int argc, char** argv) {
    return spmv::run(argc, argv, [](std::size_t, spmv::draws& drawn) -> std::size_t {
        constexpr std::uint32_t one_in = 64, of_long_rows = 256, of_others = 25;
        return drawn.below(one_in) == 0 ? of_long_rows : drawn.below(of_others);
    });
}
