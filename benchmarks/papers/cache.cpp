// Runs one case so often and ends: for a tool that counts the cache misses of a whole process, of which those of fewer
// runs are subtracted. "large" is for hardware counters, "small" for simulators, some 50 times slower.
// usage: BENCH_THREADS=P bench_cache_<runtime> small|large CASE RUNS; exit code 1: a wrong answer.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include BENCH_HEADER

#include "cilksort/cilksort.h"
#include "common/matrices.h"
#include "common/options.h"
#include "fib/fib.h"
#include "matmul_recursive/matmul_recursive.h"
#include "nqueens/nqueens.h"
#include "strassen/strassen.h"

namespace bench {
namespace {

using runtime = BENCH_RUNTIME;

// A product by elements of c, which are cut as the runtime likes, or by morsels.
template <class Runtime, bool Morsels>
class product_by_elements : public multiplying {
public:
    using multiplying::multiplying;

    void run() {
        const index n = size();
        const auto element = [n, a = a(), b = b(), c = c()](index i) {
            double sum = 0;
            for (index k = 0; k < n; ++k)
                sum += a.row(i / n)[k] * b.row(k)[i % n];
            c.at[i] = sum;
        };
        constexpr index bytes = sizeof(double), morsel_bytes = 4096;
        if constexpr (!Morsels) {
            Runtime::parallel_for(0, n * n, element);
        } else if constexpr (requires { Runtime::parallel_for_morsels(n, bytes, bytes, element); }) {
            Runtime::parallel_for_morsels(n * n, bytes, morsel_bytes, element);
        } else {
            constexpr index many = morsel_bytes / bytes;
            Runtime::parallel_for(0, (n * n + many - 1) / many,
                                  [=](index m) { each(m * many, std::min(n * n, (m + 1) * many), element); });
        }
    }
};

template <class Workload>
bool runs_right(Workload workload, int runs) {
    workload.reset();
    for (int i = 0; i < runs; ++i)
        workload.run();
    return workload.first_wrong() == none;
}

enum class outcome { right, wrong, unknown };

outcome run_case(const std::string& name, bool large, int runs) {
    const auto is = [&](bool right) { return right ? outcome::right : outcome::wrong; };
    if (name == "fib")
        return is(runs_right(fibonacci<runtime>(large ? 27 : 16), runs));
    if (name == "nqueens")
        return is(runs_right(queens<runtime>(large ? 10 : 7), runs));
    if (name == "cilksort")
        return is(runs_right(merge_sort<runtime>(large ? 1000000 : 40000), runs));
    if (name == "matmul_recursive")
        return is(runs_right(quartered_product<runtime>(large ? 512 : 128), runs));
    if (name == "strassen")
        return is(runs_right(strassen<runtime>(large ? 512 : 128), runs));
    if (name == "elements")
        return is(runs_right(product_by_elements<runtime, false>(large ? 384 : 96), runs));
    if (name == "morsels")
        return is(runs_right(product_by_elements<runtime, true>(large ? 384 : 96), runs));
    return outcome::unknown;
}

int run(int argc, char** argv) {
    const int runs = argc == 4 ? std::atoi(argv[3]) : 0;
    outcome result = outcome::unknown;
    if (runs > 0) {
        char* none[] = {argv[0], nullptr};
        runtime::enter(read_options(1, none).threads,
                       [&] { result = run_case(argv[2], std::strcmp(argv[1], "large") == 0, runs); });
    }
    if (result == outcome::unknown) {
        std::fprintf(stderr, "usage: BENCH_THREADS=P %s small|large CASE RUNS\n", argv[0]);
        return 2;
    }
    if (result == outcome::wrong)
        std::fprintf(stderr, "%s: wrong result\n", argv[2]);
    return result == outcome::right ? 0 : 1;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    return bench::run(argc, argv);
}
