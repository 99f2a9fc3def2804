#pragma once
// Maximum clique by colouring, on sets of bits (San Segundo et al., "An exact bit-parallel algorithm for the maximum
// clique problem", 2011): vertices of one colour have no edges between them, so a clique has at most one of each.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <vector>

#include <bough/search.h>

#include "graph.h"

namespace searches {

// Words: of 64 vertices each.
template <std::size_t Words>
class clique {
public:
    static constexpr std::size_t most_vertices = 64 * Words;
    using vertex_set = std::array<std::uint64_t, Words>;

    struct node {
        vertex_set chosen, candidates;  // each candidate is a neighbour of all chosen vertices
        std::uint32_t size, bound;
    };

    // Adds one candidate each, of the last colour first; later children do without those before them.
    class children {
    public:
        children(const clique& of, const node& n) : of_(of), parent_(n), left_(n.candidates) { colour(); }
        std::size_t num_children() const { return number_; }
        node next() {
            const std::size_t v = order_[--at_];
            node child;
            child.chosen = parent_.chosen;
            add(child.chosen, v);
            for (std::size_t i = 0; i < Words; ++i)
                child.candidates[i] = left_[i] & of_.neighbours_[v][i];
            child.size = parent_.size + 1;
            child.bound = parent_.size + colours_[at_];
            remove(left_, v);
            return child;
        }

    private:
        void colour() {
            vertex_set uncoloured = left_;
            for (std::uint16_t c = 1; !is_empty(uncoloured); ++c) {
                vertex_set free = uncoloured;
                for (std::size_t w = 0; w < Words; ++w)
                    while (free[w] != 0) {
                        const std::size_t v = 64 * w + static_cast<std::size_t>(__builtin_ctzll(free[w]));
                        free[w] &= free[w] - 1;
                        remove(uncoloured, v);
                        for (std::size_t i = w; i < Words; ++i)
                            free[i] &= ~of_.neighbours_[v][i];
                        order_[number_] = static_cast<std::uint16_t>(v);
                        colours_[number_++] = c;
                    }
            }
            at_ = number_;
        }

        const clique& of_;
        const node& parent_;
        vertex_set left_;
        std::size_t number_ = 0, at_ = 0;
        std::uint16_t order_[most_vertices], colours_[most_vertices];
    };

    // Throws std::invalid_argument if the graph has too many vertices.
    explicit clique(const graph& g) : names_(g.vertices()), neighbours_(g.vertices()) {
        if (g.vertices() > most_vertices)
            throw std::invalid_argument("clique: too many vertices");
        order(g);
        for (std::size_t a = 0; a < names_.size(); ++a) {
            neighbours_[a].fill(0);
            for (std::size_t b = 0; b < names_.size(); ++b)
                if (g.has_edge(names_[a], names_[b]))
                    add(neighbours_[a], b);
        }
    }

    node root() const {
        node n{};
        for (std::size_t v = 0; v < names_.size(); ++v)
            add(n.candidates, v);
        n.bound = static_cast<std::uint32_t>(names_.size());
        return n;
    }
    std::int64_t objective(const node& n) const { return n.size; }
    std::int64_t bound(const node& n) const { return n.bound; }
    static constexpr bool bounds_fall = true;

    // The clique's vertices, as the graph numbers them.
    std::vector<std::size_t> vertices(const node& n) const {
        std::vector<std::size_t> found;
        for (std::size_t v = 0; v < names_.size(); ++v)
            if (n.chosen[v / 64] >> v % 64 & 1)
                found.push_back(names_[v]);
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    static void add(vertex_set& s, std::size_t v) { s[v / 64] |= std::uint64_t{1} << v % 64; }
    static void remove(vertex_set& s, std::size_t v) { s[v / 64] &= ~(std::uint64_t{1} << v % 64); }
    static bool is_empty(const vertex_set& s) {
        return std::all_of(s.begin(), s.end(), [](std::uint64_t w) { return w == 0; });
    }

    // Smallest degree last: of those that are left, a vertex with the fewest neighbours among them goes to the end.
    void order(const graph& g) {
        std::vector<std::size_t> degree(g.vertices(), 0);
        for (std::size_t a = 0; a < g.vertices(); ++a)
            for (std::size_t b = 0; b < g.vertices(); ++b)
                degree[a] += g.has_edge(a, b);
        std::iota(names_.begin(), names_.end(), std::size_t{0});
        for (std::size_t end = names_.size(); end > 0; --end) {
            const auto least =
                std::min_element(names_.begin(), names_.begin() + static_cast<std::ptrdiff_t>(end),
                                 [&](std::size_t a, std::size_t b) { return degree[a] < degree[b]; });
            std::iter_swap(least, names_.begin() + static_cast<std::ptrdiff_t>(end - 1));
            for (std::size_t i = 0; i + 1 < end; ++i)
                degree[names_[i]] -= g.has_edge(names_[i], names_[end - 1]);
        }
    }

    std::vector<std::size_t> names_;  // in the order in which the search numbers them
    std::vector<vertex_set> neighbours_;
};

}  // namespace searches
