// Runs one of the paper's programs and prints one line of JSON: time, whether the answer is right, and, with
// BOUGH_STATS=1, what the balancer did. Started on two libraries in turn by ../balance.py.
//     bench_balance PROGRAM SIZE [US] [--poll=US]

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include <bough/exports/version.h>
#include <bough/statistics.h>

#include "programs.h"

namespace {

using namespace bench;
using namespace bench::balance;

// The number of nodes of each sample tree, as published with the original.
bool search(const std::string& name) {
    const auto is = [](auto tree, std::uint64_t nodes) {
        return tree_search<decltype(tree)>{.tree = tree}.run() == nodes;
    };
    // Small ones, counted by plain recursion.
    if (name == "T1S")
        return is(geometric_tree{7, 4, 19}, 63'914);
    if (name == "T3S")
        return is(binomial_tree{100, 0.124875, 8, 42}, 6'797);
    if (name == "T1")
        return is(geometric_tree{10, 4, 19}, 4'130'071);
    if (name == "T3")
        return is(binomial_tree{2000, 0.124875, 8, 42}, 4'112'897);
    if (name == "T2")
        return is(cyclic_tree{16, 6, 502}, 4'117'769);
    if (name == "T1L")
        return is(geometric_tree{13, 4, 29}, 102'181'082);
    if (name == "T2L")
        return is(cyclic_tree{23, 7, 220}, 96'793'510);
    if (name == "T3L")
        return is(binomial_tree{2000, 0.200014, 5, 7}, 111'345'631);
    return false;
}

struct outcome {
    bool is_right = false;
    double took = 0;
};

outcome timed(const std::function<bool()>& run) {
    const auto begin = balance::clock::now();
    const bool is_right = run();
    return {is_right, seconds(balance::clock::now() - begin).count()};
}

outcome lu(std::size_t blocks, std::size_t size) {
    sparse_lu m(blocks, size);
    outcome o = timed([&] {
        m.run();
        return true;
    });
    o.is_right = m.is_right();
    return o;
}

outcome sort(std::size_t n) {
    std::vector<int> v(n);
    std::mt19937 random(3);
    for (int& x : v)
        x = static_cast<int>(random());
    outcome o = timed([&] {
        quicksort(v.data(), v.data() + n);
        return true;
    });
    o.is_right = std::is_sorted(v.begin(), v.end());
    return o;
}

outcome run(const std::string& program, const std::string& size, double us, double poll_us) {
    const std::uint64_t n = std::strtoull(size.c_str(), nullptr, 10);
    if (program == "spc")
        return timed([&] { return single_producer(n, us); });
    if (program == "bpc")
        return timed([&] { return bouncing{.consumers = 9, .us = us, .poll_us = poll_us}.run(n); });
    if (program == "treerec") {
        std::uint64_t a = 0, b = 1;
        for (std::uint64_t i = 0; i < n; ++i)
            a = std::exchange(b, a + b);
        return timed([&] { return tree_recursion(static_cast<unsigned>(n), us) == a; });
    }
    if (program == "product")
        return timed([&] { return blocked_product(n, 32); });
    if (program == "lu")
        return lu(n / 64, 64);
    if (program == "quicksort")
        return sort(n);
    if (program == "uts")
        return timed([&] { return search(size); });
    return {};
}

// All threads have started and are awake when the clock starts: a worker without work stays for 200 us.
void start_threads() {
    const int threads = bough::this_task_arena::max_concurrency();
    bough::parallel_for(0, 8 * threads, [](int) { spin(100); });
    for (int i = 0; i < 16; ++i)
        bough::parallel_for(0, 4 * threads, [](int) { spin(10); });
}

}  // namespace

int main(int count, char** given) {
    double poll_us = 0;
    const bool polls = count > 1 && std::sscanf(given[count - 1], "--poll=%lf", &poll_us) == 1;
    const int words = count - (polls ? 1 : 0);
    if (words < 3 || words > 4) {
        std::fprintf(stderr,
                     "usage: bench_balance spc|bpc|treerec|product|lu|quicksort|uts SIZE [US] [--poll=US]\n");
        return 2;
    }
    start_threads();
    const outcome o = run(given[1], given[2], words == 4 ? std::atof(given[3]) : 0, poll_us);
    std::printf("{\"variant\": \"%s\", \"seconds\": %.6f, \"right\": %s", bough::variant(), o.took,
                o.is_right ? "true" : "false");
    if (bough::counts_events()) {
        const bough::statistics s = bough::statistics_now();
        for (std::size_t i = 0; i < bough::event_count; ++i)
            if (const auto e = static_cast<bough::event>(i); bough::is_counted(e))
                std::printf(", \"%s\": %llu", bough::name_of(e), static_cast<unsigned long long>(s.total[e]));
    }
    std::printf("}\n");
    return o.is_right ? 0 : 1;
}
