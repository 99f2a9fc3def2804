#pragma once
// What bough-calibrate is asked for. Options and their meaning: README.md.

#include <cstddef>
#include <string>
#include <vector>

namespace bough::calibrate {

struct options {
    bool quick = false;
    bool json = false;
    bool force = false;
    bool verbose = false;
    unsigned threads = 0;   // 0: all usable CPUs
    std::size_t calls = 0;  // 0: as quick or full says
    std::string output;
    std::string plot;
    std::vector<double> served;  // --measure-distribution: first team, last team, calls, seconds per team
    unsigned served_cases = 0;   // --measure-cases: threads
};

// What is said instead of measuring, and the exit status that goes with it: the help, or one line about a misuse.
struct refusal {
    int status = 0;
    std::string text;  // empty: go on
};

refusal read_options(int argc, const char* const* argv, options& o);

}  // namespace bough::calibrate
