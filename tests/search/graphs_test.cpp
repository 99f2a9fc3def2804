// Graphs that are made anew: those of the DIMACS files.

#include <gtest/gtest.h>

#include <cstdint>

#include "examples/search/graph.h"

namespace {

// Over all pairs of vertices, edges or not, in order.
std::uint64_t fnv(const searches::graph& g) {
    std::uint64_t hash = 14695981039346656037u;
    for (std::size_t a = 0; a < g.vertices(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            hash = (hash ^ static_cast<std::uint64_t>(g.has_edge(a, b))) * 1099511628211u;
    return hash;
}

struct known_graph {
    const char* name;
    std::size_t vertices, edges;
};

TEST(search_graphs, sizes_are_those_of_the_files) {
    constexpr known_graph known[] = {
        {"brock200_1", 200, 14834},   {"brock200_4", 200, 13089},     {"brock800_2", 800, 208166},
        {"brock800_4", 800, 207643},  {"hamming6-2", 64, 1824},       {"hamming6-4", 64, 704},
        {"hamming8-4", 256, 20864},   {"johnson8-2-4", 28, 210},      {"johnson8-4-4", 70, 1855},
        {"johnson16-2-4", 120, 5460}, {"johnson32-2-4", 496, 107880}, {"keller4", 171, 9435},
        {"MANN_a9", 45, 918},         {"MANN_a27", 378, 70551},       {"c-fat200-1", 200, 1534},
        {"c-fat200-5", 200, 8473},    {"c-fat500-1", 500, 4459},      {"c-fat500-10", 500, 46627}};
    for (const known_graph& k : known) {
        const auto g = searches::make_graph(k.name);
        ASSERT_TRUE(g) << k.name;
        EXPECT_EQ(g->vertices(), k.vertices) << k.name;
        EXPECT_EQ(g->edges(), k.edges) << k.name;
    }
}

// Of the files themselves; their edges were compared one by one.
TEST(search_graphs, brock_graphs_are_those_of_the_files) {
    EXPECT_EQ(fnv(*searches::make_graph("brock200_1")), 17529143246327647057u);
    EXPECT_EQ(fnv(*searches::make_graph("brock200_4")), 4243182749644871484u);
    EXPECT_EQ(fnv(*searches::make_graph("brock800_2")), 11787468123948355491u);
    EXPECT_EQ(fnv(*searches::make_graph("brock800_4")), 7852375001015619622u);
}

TEST(search_graphs, other_names_are_none) {
    for (const char* name :
         {"", "brock200_5", "brock300_1", "hamming", "hamming13-2", "johnson4-5-2", "johnson99-9-4",
          "keller1", "keller7", "MANN_a45", "c-fat5000-1", "c-fat200-0", "brock200_1.clq", "p_hat300-1"})
        EXPECT_FALSE(searches::make_graph(name)) << name;
}

}  // namespace
