#pragma once
// What all search programs share: how to search, and what to say about it.

#include <CLI/CLI.hpp>

#include <bough/search.h>

#include "search/ranks.h"

namespace searches {

struct settings {
    bough::search::options how;
    bough::search::stealing steals;  // on several ranks
    std::vector<std::string> tuned;  // what was set in `steals` by name
    unsigned threads = 0;
    unsigned progress_s = 5;  // 0: no lines
    bool as_json = false;
};

// Adds their options to the program.
void add_options(CLI::App& app, settings& s);

// Of a parsed command line: an option that the chosen skeleton, or a process alone, does not look at, or a parameter
// that is set twice, in a sentence; or nothing.
std::string refused_option(const CLI::App& app, const settings& s);

// Calls run, and prints to stderr what is known meanwhile.
class progress_lines {
public:
    // Sets o.watch. Each line begins with `whose`.
    progress_lines(bough::search::options& o, unsigned every_s, std::string whose);
    ~progress_lines();

private:
    struct state;
    std::unique_ptr<state> state_;
};

const char* name_of(bough::search::skeleton how);

}  // namespace searches
