// P units on P threads, each of which waits until all have begun: how long after the call does each of them begin?
// all_start_RUNTIME WAY ROUNDS: so many rounds count, after one that does not, where a round takes minutes of the host.

#include <cstdlib>

#include "runtime.h"
#include "starts.h"

namespace {

constexpr unsigned many = 256;  // threads: from there on each round takes seconds of the host's time

runtime::rounds planned_for(unsigned threads, unsigned wanted) {
    if (wanted != 0)
        return runtime::rounds(1, wanted);
    return threads > many ? runtime::rounds(5, 9) : runtime::rounds(20, 60);
}

void measure(auto& way, unsigned wanted_rounds) {
    starts all(runtime::threads());
    for (runtime::rounds r = planned_for(all.units(), wanted_rounds); r.next();) {
        all.begin_round();
        way.for_each(all.units(), [&](std::size_t unit) { all.begin(unit); });
        if (r.counted())
            all.print(way.name);
    }
}

}  // namespace

int main(int argc, char** argv) {
    const unsigned rounds = argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    return runtime::each_way(argc, argv, [rounds](auto& way) { measure(way, rounds); });
}
