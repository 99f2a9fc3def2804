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

namespace {

// Number of semigroups of each genus: A007323 in the OEIS.
constexpr std::uint64_t known_semigroups[] = {
    1,         1,          2,          4,          7,          12,         23,         39,
    67,        118,        204,        343,        592,        1001,       1693,       2857,
    4806,      8045,       13467,      22464,      37396,      62194,      103246,     170963,
    282828,    467224,     770832,     1270267,    2091030,    3437839,    5646773,    9266788,
    15195070,  24896206,   40761087,   66687201,   109032500,  178158289,  290939807,  474851445,
    774614284, 1262992840, 2058356522, 3353191846, 5460401576, 8888486816, 14463633648};

}  // namespace

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
