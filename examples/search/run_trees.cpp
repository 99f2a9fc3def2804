// The two searches that count.

#include <algorithm>
#include <iterator>

#include "programs.h"
#include "semigroups.h"

namespace searches {

report run_uts(const uts& tree, const tree_size* published, const bough::search::options& o) {
    const auto found = bough::search::enumerate(tree, tree.root(), tree_size{}, o);
    const tree_size& size = found.value;
    report r;
    r.counted = found.counted;
    r.answer = {{"nodes", size.nodes}, {"leaves", size.leaves}, {"depth", size.depth}};
    const auto text_of = [](const tree_size& t) {
        return counted(t.nodes, "node") + ", " + counted(t.leaves, "leaf", "leaves") + ", depth " +
               std::to_string(t.depth);
    };
    r.text = text_of(size);
    if (published && !(size == *published))
        r.wrong = "the tree has " + text_of(*published);
    return r;
}

report run_semigroups(unsigned genus, bough::search::options o) {
    const semigroups all(genus);
    o.depth_limit = genus;
    const auto found = bough::search::enumerate(all, semigroups::root(), per_genus{}, o);
    report r;
    r.counted = found.counted;
    r.answer["semigroups"] = found.value.number[genus];
    r.answer["per_genus"] = std::vector(found.value.number, found.value.number + genus + 1);
    r.text = counted(found.value.number[genus], "semigroup") + " of genus " + std::to_string(genus);
    const std::size_t known = std::min<std::size_t>(genus + 1, std::size(known_semigroups));
    if (!std::equal(known_semigroups, known_semigroups + known, found.value.number))
        r.wrong = "the numbers are not those of A007323";
    return r;
}

}  // namespace searches
