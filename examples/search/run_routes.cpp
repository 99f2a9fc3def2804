// Knapsack, travelling salesman, queens.

#include "files.h"
#include "knapsack.h"
#include "programs.h"
#include "queens.h"
#include "tsp.h"

namespace searches {

report run_knapsack(const problem_file& file, std::optional<std::int64_t> target,
                    const bough::search::options& o) {
    const knapsack_problem problem = read_knapsack(file);
    const knapsack space(problem);
    const auto found = target ? bough::search::decide_at_least(space, knapsack::node{}, *target, o)
                              : bough::search::maximise(space, knapsack::node{}, o);
    report r = report_of(found);
    if (!found.node) {
        r.text = "no choice of items has a profit of " + std::to_string(*target);
        return r;
    }
    std::int64_t profit = 0, weight = 0;
    for (std::size_t i = 0; i < space.items().size(); ++i)
        if (found.node->chosen[i]) {
            profit += space.items()[i].profit;
            weight += space.items()[i].weight;
        }
    if (profit != found.objective || weight > problem.capacity)
        r.wrong = "the items have another profit, or are too heavy";
    else if (!target && problem.known_profit != 0 && problem.known_profit != profit)
        r.wrong = file.name + " says that the best profit is " + std::to_string(problem.known_profit) +
                  "; or else its line 2 is wrong";
    r.answer["weight"] = weight;
    r.text = "profit " + std::to_string(profit) + ", weight " + std::to_string(weight) + " of " +
             std::to_string(problem.capacity);
    return r;
}

report run_tsp(const problem_file& file, std::optional<std::int64_t> target,
               const bough::search::options& o) {
    const city_map map = read_cities(file);
    const tsp space(map.cities, map.distances);
    const auto found = target ? bough::search::decide_at_most(space, space.root(), *target, o)
                              : bough::search::minimise(space, space.root(), o);
    report r = report_of(found);
    if (!found.node) {
        r.text = "no round trip of " + std::to_string(*target);
        return r;
    }
    std::vector<int> trip;
    std::uint64_t seen = 0;
    std::int64_t length = 0;
    for (std::size_t i = 0; i < map.cities; ++i) {
        const std::size_t city = found.node->path[i], next = found.node->path[(i + 1) % map.cities];
        length += space.distance(city, next);
        seen |= std::uint64_t{1} << city;
        trip.push_back(static_cast<int>(city) + 1);
    }
    if (length != found.objective || seen != ~std::uint64_t{0} >> (64 - map.cities))
        r.wrong = "the trip has another length, or leaves cities out";
    r.answer["trip"] = trip;
    r.text = "a round trip of " + std::to_string(length) + ":" + in_line(trip);
    return r;
}

report run_queens(unsigned size, bool first, const bough::search::options& o) {
    const queens space(size);
    if (!first) {
        const auto found = bough::search::enumerate(space, queens::node{}, all_placed{}, o);
        report r;
        r.counted = found.counted;
        r.answer["ways"] = found.value.ways;
        r.text = counted(found.value.ways, "way") + " to place " + counted(size, "queen");
        return r;
    }
    const auto found = bough::search::decide_at_least(space, queens::node{}, size, o);
    report r = report_of(found);
    if (!found.node) {
        r.text = "no way to place " + counted(size, "queen");
        return r;
    }
    std::vector<int> columns;
    for (unsigned row = 0; row < size; ++row) {
        columns.push_back(found.node->column_of[row] + 1);
        for (unsigned above = 0; above < row; ++above) {
            const int apart = columns[row] - columns[above];
            if (apart == 0 || apart == static_cast<int>(row - above) ||
                -apart == static_cast<int>(row - above))
                r.wrong = "two queens threaten each other";
        }
    }
    r.answer["columns"] = columns;
    r.text = "queens in the columns" + in_line(columns);
    return r;
}

}  // namespace searches
