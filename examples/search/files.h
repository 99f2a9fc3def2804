#pragma once
// Readers of problem files. What is malformed is an input_error, one line that names file and line.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graph.h"
#include "knapsack.h"

namespace searches {

struct input_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A file by its name, and its text if someone has read it already: another rank.
struct problem_file {
    problem_file(std::string n) : name(std::move(n)) {}
    problem_file(const char* n) : name(n) {}
    problem_file(std::string n, std::string t) : name(std::move(n)), text(std::move(t)) {}

    std::string name;
    std::optional<std::string> text;
};

// Of a file that cannot be read: one line that names it and says why. `otherwise` is added if there is no such file.
std::string why_unreadable(const std::string& name, const std::string& otherwise = "");
// None if it cannot be read.
std::optional<std::string> text_of_file(const std::string& name);

// DIMACS: `p edge VERTICES EDGES`, then a line `e A B` for each edge, vertices from 1.
graph read_graph(const problem_file& file);

// The capacity, then the best profit or 0, then a line `PROFIT WEIGHT` for each item.
knapsack_problem read_knapsack(const problem_file& file);

struct city_map {
    std::size_t cities = 0;
    std::vector<std::int64_t> distances;  // cities x cities
};

// TSPLIB, with EDGE_WEIGHT_TYPE EUC_2D or GEO.
city_map read_cities(const problem_file& file);

}  // namespace searches
