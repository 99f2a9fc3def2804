#pragma once
// One search each: its arguments, and how it is run. Each checks what it has found.

#include <cstdint>
#include <optional>
#include <string>

#include "files.h"
#include "report.h"
#include "uts.h"

namespace searches {

report run_uts(const uts& tree, const tree_size* published, const bough::search::options& o);
report run_semigroups(unsigned genus, bough::search::options o);

// Graph: a name that make_graph knows, or a file. With a target, a decision.
report run_clique(const problem_file& graph, std::optional<std::int64_t> target,
                  const bough::search::options& o);
report run_knapsack(const problem_file& file, std::optional<std::int64_t> target,
                    const bough::search::options& o);
report run_tsp(const problem_file& file, std::optional<std::int64_t> target, const bough::search::options& o);

// Counts all ways, or looks for one.
report run_queens(unsigned size, bool first, const bough::search::options& o);

}  // namespace searches
