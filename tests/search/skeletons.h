#pragma once
// All ways to walk a tree, for tests that compare them.

#include <bough/search.h>

#include <string>
#include <vector>

namespace bough_test {

struct way {
    std::string name;
    bough::search::options options;
};

// Each skeleton with parameters that make few, many and very many tasks.
inline std::vector<way> ways() {
    using bough::search::options;
    using bough::search::skeleton;
    std::vector<way> all;
    const auto add = [&](const char* name, skeleton how) -> options& {
        all.push_back({name, {}});
        all.back().options.how = how;
        return all.back().options;
    };
    add("sequential", skeleton::sequential);
    add("depth_bounded 0", skeleton::depth_bounded).spawn_depth = 0;
    add("depth_bounded 2", skeleton::depth_bounded).spawn_depth = 2;
    add("depth_bounded 5", skeleton::depth_bounded).spawn_depth = 5;
    add("budget 1", skeleton::budget).budget = 1;
    add("budget 7", skeleton::budget).budget = 7;
    add("budget 1000", skeleton::budget).budget = 1000;
    add("stack_stealing", skeleton::stack_stealing);
    add("stack_stealing one", skeleton::stack_stealing).chunked = false;
    add("ordered 0", skeleton::ordered).spawn_depth = 0;
    add("ordered 1", skeleton::ordered).spawn_depth = 1;
    add("ordered 3", skeleton::ordered).spawn_depth = 3;
    options& discrepancies = add("ordered 3 by discrepancies", skeleton::ordered);
    discrepancies.spawn_depth = 3;
    discrepancies.by_discrepancies = true;
    return all;
}

// The ways that a user would choose for a tree of a million nodes.
inline std::vector<way> usual_ways() {
    using bough::search::skeleton;
    std::vector<way> all(5);
    const char* const names[] = {"sequential", "depth_bounded", "budget", "stack_stealing", "ordered"};
    for (int i = 0; i < 5; ++i) {
        all[static_cast<std::size_t>(i)].name = names[i];
        all[static_cast<std::size_t>(i)].options.how = static_cast<skeleton>(i);
        all[static_cast<std::size_t>(i)].options.budget = 10'000;
    }
    return all;
}

}  // namespace bough_test
