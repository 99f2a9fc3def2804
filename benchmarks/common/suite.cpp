// One runtime's binary: registers all workloads for BENCH_RUNTIME, which is declared in BENCH_HEADER.
// Exit codes: 0; 1 when a case was wrong; 2 when an option, the matrix or the text was not understood.

#include <cstdio>
#include <string>

#include <benchmark/benchmark.h>

#include BENCH_HEADER

#include "algorithms/algorithms.h"
#include "all_start/all_start.h"
#include "break_even/break_even.h"
#include "cilksort/cilksort.h"
#include "common/fork_join.h"
#include "common/options.h"
#include "competing/competing.h"
#include "fib/fib.h"
#include "first_call/first_call.h"
#include "heat/heat.h"
#include "integrate/integrate.h"
#include "knapsack/knapsack.h"
#include "lu/lu.h"
#include "matmul/matmul.h"
#include "matmul_recursive/matmul_recursive.h"
#include "nqueens/nqueens.h"
#include "pi/pi.h"
#include "ping/ping.h"
#include "quicksort/quicksort.h"
#include "reduce/reduce.h"
#include "scan/scan.h"
#include "spmv/spmv.h"
#include "strassen/strassen.h"
#include "tiny/tiny.h"
#include "transpose/transpose.h"
#include "uts/uts.h"
#include "word_count/word_count.h"

namespace bench {
namespace {

template <class Runtime>
void register_loops(const options& o) {
    register_tiny<Runtime>(o);
    register_spmv<Runtime>(o);
    register_scan<Runtime>(o);
    register_reduce<Runtime>(o);
    register_transpose<Runtime>(o);
    register_matmul<Runtime>(o);
    register_heat<Runtime>(o);
    register_competing<Runtime>(o);
    register_break_even<Runtime>(o);
    register_first_call<Runtime>(o);
}

template <class Runtime>
void register_forks(const options& o) {
    register_fib<Runtime>(o);
    register_integrate<Runtime>(o);
    register_nqueens<Runtime>(o);
    register_cilksort<Runtime>(o);
    register_quicksort<Runtime>(o);
    register_uts<Runtime>(o);
    register_lu<Runtime>(o);
    register_word_count<Runtime>(o);
    register_knapsack<Runtime>(o);
    register_matmul_recursive<Runtime>(o);
    register_strassen<Runtime>(o);
    register_pi<Runtime>(o);
}

template <class Runtime>
void register_all(const options& o) {
    if constexpr (Runtime::starts_all)
        register_all_start<Runtime>(o);
#if BENCH_RAW
    register_ping(o);
#else
    if constexpr (loops<Runtime>)
        register_loops<Runtime>(o);
    if constexpr (forks<Runtime>)
        register_forks<Runtime>(o);
    if constexpr (algorithms<Runtime>)
        register_algorithms<Runtime>(o);
#endif
}

template <class Runtime>
int run(int argc, char** argv) {
    benchmark::Initialize(&argc, argv);
    const options o = read_options(argc, argv);
    benchmark::AddCustomContext("runtime", Runtime::name);
    benchmark::AddCustomContext("version", Runtime::version());
    benchmark::AddCustomContext("compiler", __VERSION__);
    benchmark::AddCustomContext("threads", std::to_string(o.threads));
    register_all<Runtime>(o);
    Runtime::enter(o.threads, [] { benchmark::RunSpecifiedBenchmarks(); });
    return any_failure() ? 1 : 0;
}

}  // namespace
}  // namespace bench

int main(int argc, char** argv) {
    try {
        return bench::run<bench::BENCH_RUNTIME>(argc, argv);
    } catch (const bench::matrix_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    } catch (const bench::text_error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 2;
    }
}
