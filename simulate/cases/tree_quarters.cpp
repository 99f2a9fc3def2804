// A tree with joins inside, as of a matrix product by quarters: each task forks four, twice, one round after the other.
// A leaf takes 5 us. It says how soon threads that are idle between two rounds are at work again.

#include <algorithm>
#include <vector>

#include "runtime.h"

namespace {

constexpr double leaf_ns = 11'000;
constexpr unsigned levels = 4, leaves = 8 * 8 * 8 * 8;

void work(unsigned& runs) {
    const double begin = runtime::now_ns();
    while (runtime::now_ns() - begin < leaf_ns)
        runtime::pause();
    ++runs;
}

template <class Way>
void rounds_of_four(Way& way, unsigned* runs, unsigned level) {
    if (level == 0)
        return work(*runs);
    unsigned below = 1;
    for (unsigned i = 1; i < level; ++i)
        below *= 8;
    for (unsigned round = 0; round < 2; ++round) {
        const auto one = [&, round](unsigned i) {
            rounds_of_four(way, runs + (round * 4 + i) * below, level - 1);
        };
        way.both([&] { way.both([&] { one(0); }, [&] { one(1); }); },
                 [&] { way.both([&] { one(2); }, [&] { one(3); }); });
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<unsigned> runs(leaves);
    return runtime::each_way(argc, argv, [&](auto& way) {
        runtime::measure(
            way, runtime::rounds(2, 5), [&] { rounds_of_four(way, runs.data(), levels); },
            [&] { std::fill(runs.begin(), runs.end(), 0); },
            [&] { return std::all_of(runs.begin(), runs.end(), [](unsigned n) { return n == 1; }); });
    });
}
