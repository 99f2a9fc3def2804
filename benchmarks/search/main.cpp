// bench_search: what a search of one process costs. Numerical semigroups up to a genus, by a recursion written by hand
// and by skeletons on one thread, in turn; each round begins with another form. Prints the time of a node and the
// ratios, each with the half of the rounds that lies in the middle. Fails when a number differs from A007323, or when a
// skeleton that makes tasks made none. (stack_stealing makes them for idle threads, and here are none.)

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <optional>
#include <vector>

#include <CLI/CLI.hpp>

#include "common/clock.h"
#include "semigroups.h"

namespace {

using bough::search::skeleton;
using searches::semigroups;

struct form {
    const char* name;
    std::optional<skeleton> how;  // none: by hand
    bool makes_tasks = false;     // with one thread, too
    std::uint64_t tasks = 0;
    std::vector<double> seconds = {};  // of each round

    double least() const { return *std::min_element(seconds.begin(), seconds.end()); }
};

// What a skeleton does, without one. Not inlined into itself: a compiler that unrolls it two levels deep compares code
// that no one wrote.
__attribute__((noinline)) void by_hand(const semigroups& all, const semigroups::node& n, unsigned depth,
                                       unsigned genus, searches::per_genus& found) {
    ++found.number[depth];
    if (depth == genus)
        return;
    for (auto rest = semigroups::generators_of(n); rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::uint32_t>(__builtin_ctzll(rest));
        by_hand(all, semigroups::without(n, n.conductor + i, all.last), depth + 1, genus, found);
    }
}

// Seconds, or a negative number if the answer is wrong.
double run(form& f, unsigned genus) {
    const semigroups all(genus);
    bough::search::options o;
    o.depth_limit = genus;
    o.threads = 1;
    searches::per_genus found;
    const bench::ticks begin = bench::now();
    if (!f.how) {
        by_hand(all, semigroups::root(), 0, genus, found);
    } else {
        o.how = *f.how;
        const auto result = bough::search::enumerate(all, semigroups::root(), searches::per_genus{}, o);
        found = result.value;
        f.tasks = result.counted.spawned;
    }
    const double seconds = static_cast<double>(bench::now() - begin) * bench::seconds_per_tick();
    const bool right = std::equal(found.number, found.number + genus + 1, searches::known_semigroups);
    return right ? seconds : -1;
}

struct quartiles {
    double low, middle, high;
};

quartiles of(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return {v[v.size() / 4], v[v.size() / 2], v[v.size() * 3 / 4]};
}

void print_ratio(const form& a, const form& b) {
    std::vector<double> ratios;
    std::transform(a.seconds.begin(), a.seconds.end(), b.seconds.begin(), std::back_inserter(ratios),
                   [](double x, double y) { return x / y; });
    const quartiles q = of(ratios);
    std::printf("%s / %s: median %.3f (%.3f to %.3f), of the least times %.3f\n", a.name, b.name, q.middle,
                q.low, q.high, a.least() / b.least());
}

}  // namespace

int main(int argc, char** argv) {
    unsigned genus = 27;
    std::size_t rounds = 25;
    CLI::App app("Times searches on one thread against a recursion written by hand.");
    app.add_option("--genus", genus, "of the semigroups")->check(CLI::Range(20u, 34u))->capture_default_str();
    app.add_option("--rounds", rounds, "each runs every form once")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    CLI11_PARSE(app, argc, argv);

    form forms[] = {{"by hand", std::nullopt},
                    {"sequential", skeleton::sequential},
                    {"budget", skeleton::budget, true},
                    {"depth_bounded", skeleton::depth_bounded, true},
                    {"stack_stealing", skeleton::stack_stealing},
                    {"ordered", skeleton::ordered, true}};
    constexpr std::size_t n = std::size(forms);
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t i = 0; i < n; ++i) {
            form& f = forms[(round + i) % n];
            const double seconds = run(f, genus);
            if (seconds < 0) {
                std::fprintf(stderr, "bench_search: %s: the numbers are not those of A007323\n", f.name);
                return 1;
            }
            f.seconds.push_back(seconds);
        }

    std::uint64_t nodes = 0;
    for (unsigned g = 0; g <= genus; ++g)
        nodes += searches::known_semigroups[g];
    std::printf("semigroups to genus %u, %llu nodes, one thread, %zu rounds\n", genus,
                static_cast<unsigned long long>(nodes), rounds);
    std::printf("%-16s %10s %14s %10s\n", "", "least, ms", "ns for a node", "tasks");
    for (const form& f : forms)
        std::printf("%-16s %10.2f %14.2f %10llu\n", f.name, f.least() * 1e3,
                    f.least() * 1e9 / static_cast<double>(nodes), static_cast<unsigned long long>(f.tasks));
    print_ratio(forms[1], forms[0]);
    for (std::size_t i = 2; i < n; ++i)
        print_ratio(forms[i], forms[1]);
    for (const form& f : forms)
        if (f.makes_tasks && f.tasks < 2) {
            std::fprintf(stderr, "bench_search: %s made no tasks\n", f.name);
            return 1;
        }
}
