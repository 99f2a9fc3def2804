#pragma once
// A case is written once for all runtimes that are compared, as main():
//   runtime::each_way(argc, argv, [](auto& way) { ... });
// A runtime has one way or more to run the same loops, of which the program's argument chooses one. SIMULATE_WAYS is
// the header of the runtime that a program is compiled for. A way has
//   for_each(n, body)         runs body(unit) for units 0 to n - 1, and returns when all are done
//   nested_for_each(n, body)  the same inside of such a body
//   scan(in, out, n)          out[i] = in[0] + ... + in[i]    (if has_scan)
//   both(f, g)                runs f() and g(), forked and joined   (bough, oneTBB)
//   group_of(f, g)            the same, by a task_group

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "machine.h"

#include SIMULATE_WAYS

namespace runtime {

// for (rounds r(20, 60); r.next();) ...: at least 20 to warm up, and until each thread has had the time to start, one
// after the other; then 60 that count. Once 100 virtual ms are over, 5 that count are enough: a millisecond of 1,024
// cores takes some seconds of real time.
class rounds {
public:
    rounds(unsigned warm_ups, unsigned most) : warm_ups_(warm_ups), most_(most) {}
    bool next() {
        constexpr double start_ns = 40e3, enough_ns = 100e6;
        constexpr unsigned fewest = 5;
        const double spent_ns = now_ns() - begin_;
        if (done_ < warm_ups_ || (counted_ == 0 && spent_ns < std::min(threads() * start_ns, enough_ns))) {
            ++done_;
            return true;
        }
        if (counted_ == most_ || (counted_ >= fewest && spent_ns > enough_ns))
            return false;
        ++counted_;
        return true;
    }
    bool counted() const { return counted_ != 0; }

private:
    unsigned warm_ups_, most_, done_ = 0, counted_ = 0;
    double begin_ = now_ns();
};

// For each round one line: the way, and the time of run(). One more round shows whether the answer is right: clear()
// takes away the one that is there.
template <class Way, class Run, class Clear, class Check>
void measure(const Way& way, rounds r, const Run& run, const Clear& clear, const Check& check) {
    while (r.next()) {
        const double begin = now_ns();
        run();
        const double ns = now_ns() - begin;
        if (r.counted())
            std::printf("%s %.1f\n", way.name, ns);
    }
    clear();
    run();
    if (!check()) {
        std::fprintf(stderr, "wrong answer\n");
        std::exit(1);
    }
}

// Calls use(way) for the way that the argument names, or without one for each.
template <class Use>
int each_way(int argc, char** argv, const Use& use) {
    const char* const wanted = argc > 1 ? argv[1] : nullptr;
    unsigned used = 0;
    use_ways([&](const auto& make, const char* name) {
        if (wanted != nullptr ? std::strcmp(wanted, name) != 0 : std::strcmp(name, "onetbb") == 0)
            return;
        auto way = make();
        use(way);
        ++used;
    });
    if (used == 0)
        std::fprintf(stderr, "no way named %s here\n", wanted);
    return used == 0 ? 2 : 0;
}

}  // namespace runtime
