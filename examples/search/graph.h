#pragma once
// Graphs for the maximum clique, those of the second DIMACS challenge among them: made anew, as their files are.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace searches {

class graph {
public:
    explicit graph(std::size_t vertices) : n_(vertices), edges_(vertices * vertices, false) {}

    std::size_t vertices() const { return n_; }
    bool has_edge(std::size_t a, std::size_t b) const { return edges_[a * n_ + b]; }
    void set_edge(std::size_t a, std::size_t b, bool there = true) {
        edges_[a * n_ + b] = edges_[b * n_ + a] = there;
    }
    std::size_t edges() const;
    // All edges that are not there, and no others.
    graph complement() const;

private:
    std::size_t n_;
    std::vector<bool> edges_;
};

// brock200_1 to brock800_4, hamming6-2, johnson8-2-4, keller4, MANN_a9, c-fat200-1 and others of these families. Empty
// if the name is none, or the graph would have more than `most_vertices`. The brock and c-fat graphs are those of the
// DIMACS files, edge by edge. The others have the published sizes and cliques; their vertices may be numbered in
// another way than in the files.
std::optional<graph> make_graph(const std::string& name);
inline constexpr std::size_t most_vertices = 4096;

}  // namespace searches
