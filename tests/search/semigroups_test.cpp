// Numerical semigroups by genus, against the sequence A007323 of the OEIS.

#include <gtest/gtest.h>

#include <cstdint>

#include "examples/search/semigroups.h"
#include "search/skeletons.h"

namespace {

using searches::per_genus;
using searches::semigroups;

constexpr std::uint64_t known[] = {1,      1,      2,      4,       7,       12,      23,     39,
                                   67,     118,    204,    343,     592,     1001,    1693,   2857,
                                   4806,   8045,   13467,  22464,   37396,   62194,   103246, 170963,
                                   282828, 467224, 770832, 1270267, 2091030, 3437839, 5646773};

void count(const bough_test::way& w, unsigned genus) {
    SCOPED_TRACE(w.name);
    bough::search::options o = w.options;
    o.depth_limit = genus;
    const semigroups all(genus);
    const auto found = bough::search::enumerate(all, semigroups::root(), per_genus{}, o);
    std::uint64_t sum = 0;
    for (unsigned g = 0; g <= genus; ++g) {
        EXPECT_EQ(found.value.number[g], known[g]) << "genus " << g;
        sum += known[g];
    }
    EXPECT_EQ(found.counted.nodes, sum);
    EXPECT_EQ(found.counted.spawned, found.counted.executed);
    EXPECT_EQ(found.counted.executed, found.counted.local + found.counted.remote);
    EXPECT_TRUE(found.counted.complete);
}

TEST(search_semigroups, every_way_counts_to_genus_15) {
    for (const bough_test::way& w : bough_test::ways())
        count(w, 15);
}

TEST(search_semigroups, DISABLED_usual_ways_count_to_genus_30) {
    for (const bough_test::way& w : bough_test::usual_ways())
        count(w, 30);
}

TEST(search_semigroups, usual_ways_count_to_genus_22) {
    for (const bough_test::way& w : bough_test::usual_ways())
        count(w, 22);
}

}  // namespace
