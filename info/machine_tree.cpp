#include "machine_tree.h"

#include <algorithm>

namespace bough::info {
namespace {

// The branch with this id; a new one at the end if there is none.
template <class Branch>
Branch& branch(std::vector<Branch>& all, unsigned id) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Branch& b) { return b.id == id; });
    if (found != all.end())
        return *found;
    all.emplace_back().id = id;
    return all.back();
}

}  // namespace

std::vector<package_branch> tree_of(const machine::topology& t) {
    std::vector<package_branch> packages;
    for (const machine::cpu& c : t.cpus) {
        const machine::node& node = t.nodes[c.node];
        cache_branch& cache = branch(branch(packages, c.package).caches, c.cache);
        cache.node = node.id < 0 ? -1 : static_cast<int>(node.os_index);
        core_branch& core = branch(cache.cores, c.core);
        core.kind = c.kind;
        core.cpus.push_back(c.os_index);
    }
    return packages;
}

std::size_t cache_bytes(const machine::topology& t) {
    switch (t.cache_level) {
    case 1:
        return t.l1_bytes;
    case 2:
        return t.l2_bytes;
    case 3:
        return t.l3_bytes;
    default:
        return 0;
    }
}

std::string list_of(const std::vector<unsigned>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t last = i;
        while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1)
            ++last;
        text.append(i == 0 ? "" : ",").append(std::to_string(numbers[i]));
        if (last != i)
            text.append("-").append(std::to_string(numbers[last]));
        i = last + 1;
    }
    return text;
}

}  // namespace bough::info
