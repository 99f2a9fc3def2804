// Problem files: what is malformed is named with its line.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "examples/search/files.h"

namespace {

// A file that lives as long as this.
class file_with {
public:
    explicit file_with(const std::string& text)
        : name_(testing::TempDir() + "bough_search_" + std::to_string(count_++) + "_" +
                std::to_string(::getpid())) {
        std::ofstream(name_) << text;
    }
    ~file_with() { std::remove(name_.c_str()); }
    const std::string& name() const { return name_; }

private:
    static inline int count_ = 0;
    std::string name_;
};

template <class Read>
std::string refusal(const Read& read, const std::string& text) {
    const file_with file(text);
    try {
        read(file.name());
    } catch (const searches::input_error& e) {
        const std::string what = e.what();
        EXPECT_EQ(what.find(file.name()), 0u) << what;
        EXPECT_EQ(what.find('\n'), std::string::npos) << what;
        return what.substr(file.name().size());
    }
    return "nothing";
}

TEST(search_files, graphs) {
    const auto says = [](const std::string& text) { return refusal(searches::read_graph, text); };
    EXPECT_EQ(says("c a graph\n\np edge 3 2\ne 1 2\nc between\ne 3 1\nc end\n"), "nothing");
    EXPECT_EQ(says(""), ":1: the file ends before its line 'p edge VERTICES EDGES'");
    EXPECT_EQ(says("c\np edge 3\n"), ":2: not of the form 'p edge VERTICES EDGES'");
    EXPECT_EQ(says("p edge 3 1\ne 1 4\n"), ":2: vertex '4' is no number from 1 to 3");
    EXPECT_EQ(says("p edge 3 1\ne 0 1\n"), ":2: vertex '0' is no number from 1 to 3");
    EXPECT_EQ(says("p edge 3 1\ne 1 2x\n"), ":2: vertex '2x' is no number from 1 to 3");
    EXPECT_EQ(says("p edge 3 1\ne 1 \x01\n"), ":2: vertex '?' is no number from 1 to 3");
    EXPECT_EQ(says("p edge 3 1\ne 1 1\n"), ":2: an edge from a vertex to itself");
    EXPECT_EQ(says("p edge 3 2\ne 1 2\ne 2 1\n"), ":3: an edge that was there before");
    EXPECT_EQ(says("p edge 3 2\ne 1 2\n"), ":3: the file ends before all its edges are there");
    EXPECT_EQ(says("p edge 3 1\ne 1 2\ne 2 3\n"), ":3: more edges than the line 'p edge' says");
    EXPECT_EQ(says("p edge 3 4\n"), ":1: the number of edges '4' is no number from 0 to 3");
    EXPECT_EQ(says("p edge 99999999999999999999 1\n"),
              ":1: the number of vertices '99999999999999999999' is no number from 1 to 4096");
    EXPECT_EQ(says("p edge 3 1\nn 1 2\n"), ":2: not of the form 'e A B'");
    EXPECT_THROW(searches::read_graph("/no/such/file"), searches::input_error);
    EXPECT_THROW(searches::read_graph(testing::TempDir()), searches::input_error);
}

TEST(search_files, knapsacks) {
    const auto says = [](const std::string& text) { return refusal(searches::read_knapsack, text); };
    EXPECT_EQ(says("10\n0\n3 4\n"), "nothing");
    EXPECT_EQ(says("10\n0\n"), "nothing");
    EXPECT_EQ(says("10 20\n"), ":1: not of the form 'CAPACITY'");
    EXPECT_EQ(says("10\n"), ":2: the file ends before the best profit");
    EXPECT_EQ(says("10\n0\n3\n"), ":3: not of the form 'PROFIT WEIGHT'");
    EXPECT_EQ(says("10\n0\n3 -4\n"), ":3: weight '-4' is no number from 0 to 2147483647");
    EXPECT_EQ(says("10\n0\n3.5 4\n"), ":3: profit '3.5' is no number from 0 to 2147483647");
    std::string many = "10\n0\n";
    for (int i = 0; i < 257; ++i)
        many += "1 1\n";
    EXPECT_EQ(says(many), ":259: more than 256 items");
}

TEST(search_files, cities) {
    const auto says = [](const std::string& text) { return refusal(searches::read_cities, text); };
    const std::string head =
        "NAME: x\nTYPE : TSP\nDIMENSION: 2\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n";
    EXPECT_EQ(says(head + "1 0 0\n2 3 4\nEOF\n"), "nothing");
    EXPECT_EQ(says(head + "1 0 0\n2 3 4\n"), "nothing");
    EXPECT_EQ(says(head + "1 0 0\n1 3 4\n"), ":7: a city that was there before");
    EXPECT_EQ(says(head + "1 0 0\n3 3 4\n"), ":7: city '3' is no number from 1 to 2");
    EXPECT_EQ(says(head + "1 0 0\n2 nan 4\n"), ":7: coordinate 'nan' is no number from -1e+09 to 1e+09");
    EXPECT_EQ(says(head + "1 0 0\n"), ":6: the file ends after 1 of 2 cities");
    EXPECT_EQ(says(head + "1 0 0\nEOF\n"), ":7: the file ends after 1 of 2 cities");
    EXPECT_EQ(says(head + "1 0 0\n2 3 4\n3 3 4\n"), ":8: '3' where EOF should be");
    EXPECT_EQ(says("DIMENSION: 65\n"), ":1: the number of cities '65' is no number from 1 to 64");
    EXPECT_EQ(says("DIMENSION:\n"), ":1: the number of cities 'DIMENSION:' is no number from 1 to 64");
    EXPECT_EQ(says("DIMENSION: 2\nNODE_COORD_SECTION\n"),
              ":2: DIMENSION or EDGE_WEIGHT_TYPE is missing before NODE_COORD_SECTION");
    EXPECT_EQ(says("EDGE_WEIGHT_TYPE: ATT\n"), ":1: EDGE_WEIGHT_TYPE 'ATT'; known: EUC_2D, GEO");
    EXPECT_EQ(says("TYPE: ATSP\n"), ":1: TYPE 'ATSP'; known: TSP");
    EXPECT_EQ(says("EDGE_WEIGHT_SECTION\n"), ":1: 'EDGE_WEIGHT_SECTION' is not known");
    const file_with file(head + "1 0 0\n2 3 4\nEOF\n");
    EXPECT_EQ(searches::read_cities(file.name()).distances, (std::vector<std::int64_t>{0, 5, 5, 0}));
}

}  // namespace
