// P tasks of a fork-join tree on P threads, each of which waits until all have begun: how long after the call does each
// of them begin? tree_start_RUNTIME WAY ROUNDS: as all_start, for tasks.

#include <cstdlib>

#include "runtime.h"
#include "starts.h"

namespace {

void below(auto& way, starts& all, unsigned first, unsigned end) {
    if (end - first == 1)
        return all.begin(first);
    const unsigned middle = first + (end - first + 1) / 2;
    way.both([&, first, middle] { below(way, all, first, middle); },
             [&, middle, end] { below(way, all, middle, end); });
}

void measure(auto& way, unsigned wanted_rounds) {
    starts all(runtime::threads());
    for (runtime::rounds r = wanted_rounds ? runtime::rounds(1, wanted_rounds) : runtime::rounds(20, 60);
         r.next();) {
        all.begin_round();
        below(way, all, 0, all.units());
        if (r.counted())
            all.print(way.name);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned rounds = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    return runtime::each_way(argc, argv, [rounds](auto& way) { measure(way, rounds); });
}
