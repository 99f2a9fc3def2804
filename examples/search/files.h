#pragma once
// Readers of problem files. What is malformed is an input_error, one line that names file and line.

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph.h"
#include "knapsack.h"

namespace searches {

struct input_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// DIMACS: `p edge VERTICES EDGES`, then a line `e A B` for each edge, vertices from 1.
graph read_graph(const std::string& file);

// The capacity, then the best profit or 0, then a line `PROFIT WEIGHT` for each item.
knapsack_problem read_knapsack(const std::string& file);

struct city_map {
    std::size_t cities = 0;
    std::vector<std::int64_t> distances;  // cities x cities
};

// TSPLIB, with EDGE_WEIGHT_TYPE EUC_2D or GEO.
city_map read_cities(const std::string& file);

}  // namespace searches
