#pragma once
// What a benchmark binary was asked to do: its own options, and BENCH_THREADS.

#include <string>

namespace bench {

constexpr unsigned max_threads = 1024;

struct options {
    bool full = false;        // more and larger sizes
    bool break_even = false;  // the break-even cases too, which --full has as well
    bool papers =
        false;           // fork-join cases of one size each: 5 to 300 ms on two CPUs; larger ones with --full
    std::string matrix;  // a Matrix Market file; empty: none
    std::string text;    // a file or folder of text; empty: none
    unsigned threads = 1;
};

// Ends the process with a message and exit code 2 when an option or BENCH_THREADS is not understood.
// Options of Google Benchmark must have been taken out of argv before.
options read_options(int argc, char** argv);

}  // namespace bench
