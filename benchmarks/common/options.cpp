#include "common/options.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <CLI/CLI.hpp>

namespace bench {
namespace {

unsigned read_threads() {
    const char* text = std::getenv("BENCH_THREADS");
    if (!text)
        return std::max(1u, std::thread::hardware_concurrency());
    const std::string_view view(text);
    unsigned value = 0;
    const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
    if (error != std::errc{} || end != view.data() + view.size() || value < 1 || value > max_threads) {
        std::fprintf(stderr, "BENCH_THREADS=%s: the number of threads must be from 1 to %u\n", text,
                     max_threads);
        std::exit(2);
    }
    return value;
}

}  // namespace

options read_options(int argc, char** argv) {
    options result;
    CLI::App app("One runtime's benchmarks; BENCH_THREADS sets the number of threads. "
                 "Options of Google Benchmark (--benchmark_filter=REGEX ...) are understood as well.");
    app.add_flag("--full", result.full, "more and larger sizes");
    app.add_flag("--break-even", result.break_even, "the cases break_even/, which --full has as well");
    app.add_flag("--papers", result.papers, "fork-join cases in one size each, that of the papers' report");
    app.add_option("--matrix", result.matrix, "a Matrix Market file (.mtx, .mtx.gz) for spmv");
    app.add_option("--text", result.text, "a file or folder of text for word_count");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error) == 0 ? 0 : 2);
    }
    result.break_even |= result.full;
    result.threads = read_threads();
    return result;
}

}  // namespace bench
