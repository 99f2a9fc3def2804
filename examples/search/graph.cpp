#include "graph.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <regex>

#include "graph_brock.h"

namespace searches {

std::size_t graph::edges() const {
    return static_cast<std::size_t>(std::count(edges_.begin(), edges_.end(), true)) / 2;
}

graph graph::complement() const {
    graph other(n_);
    for (std::size_t a = 0; a < n_; ++a)
        for (std::size_t b = 0; b < a; ++b)
            other.set_edge(a, b, !has_edge(a, b));
    return other;
}

namespace {

template <class Vertex, class Adjacent>
graph graph_of(const std::vector<Vertex>& vertices, const Adjacent& adjacent) {
    graph g(vertices.size());
    for (std::size_t a = 0; a < vertices.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
            if (adjacent(vertices[a], vertices[b]))
                g.set_edge(a, b);
    return g;
}

// Edges between words that differ in at least d places.
graph far_words(const std::vector<std::uint64_t>& words, unsigned d) {
    return graph_of(words, [d](std::uint64_t a, std::uint64_t b) {
        return static_cast<unsigned>(std::popcount(a ^ b)) >= d;
    });
}

graph hamming(unsigned bits, unsigned d) {
    std::vector<std::uint64_t> words(std::size_t{1} << bits);
    std::iota(words.begin(), words.end(), std::uint64_t{0});
    return far_words(words, d);
}

// Words with so many ones.
graph johnson(unsigned bits, unsigned ones, unsigned d) {
    std::vector<std::uint64_t> words;
    const std::uint64_t end = std::uint64_t{1} << bits;
    for (std::uint64_t w = (std::uint64_t{1} << ones) - 1; w < end;) {
        words.push_back(w);
        const std::uint64_t carry = w + (w & -w);  // the next larger word with as many ones
        w = carry | (((w ^ carry) >> 2) / (w & -w));
    }
    return far_words(words, d);
}

// Cubes in a tiling, seen from one of them. A vertex is a word of n digits below 4. Two are adjacent if they differ in
// at least two digits, in one of these by 2; vertices are those that are adjacent to 0.
graph keller(unsigned n) {
    const auto adjacent = [n](std::uint32_t a, std::uint32_t b) {
        unsigned differing = 0;
        bool by_two = false;
        for (unsigned i = 0; i < n; ++i, a >>= 2, b >>= 2) {
            const std::uint32_t by = (a - b) & 3;
            differing += by != 0;
            by_two = by_two || by == 2;
        }
        return differing >= 2 && by_two;
    };
    std::vector<std::uint32_t> around;
    for (std::uint32_t v = 0; v < std::uint32_t{1} << 2 * n; ++v)
        if (adjacent(v, 0))
            around.push_back(v);
    return graph_of(around, adjacent);
}

// The Steiner triples of the affine space of 3^n points, each three points that add up to 0. In the complement each
// triple is a triangle, and each of its corners is tied to its point.
graph mann(unsigned n) {
    std::size_t points = 1;
    for (unsigned i = 0; i < n; ++i)
        points *= 3;
    const auto third = [n](std::size_t a, std::size_t b) {
        std::size_t c = 0;
        for (std::size_t i = 0, unit = 1; i < n; ++i, unit *= 3, a /= 3, b /= 3)
            c += (6 - a % 3 - b % 3) % 3 * unit;
        return c;
    };
    std::vector<std::array<std::size_t, 3>> triples;
    for (std::size_t a = 0; a < points; ++a)
        for (std::size_t b = a + 1; b < points; ++b)
            if (const std::size_t c = third(a, b); c > b)
                triples.push_back({a, b, c});
    graph g(points + 3 * triples.size());
    for (std::size_t t = 0; t < triples.size(); ++t)
        for (std::size_t i = 0; i < 3; ++i) {
            const std::size_t corner = points + 3 * t + i;
            g.set_edge(corner, points + 3 * t + (i + 1) % 3);
            g.set_edge(corner, triples[t][i]);
        }
    return g.complement();
}

// Vertices in a ring of classes; edges within a class and to the next ones.
graph c_fat(std::size_t n, std::size_t c) {
    const double size = static_cast<double>(n);
    const auto classes = static_cast<std::size_t>(size / (static_cast<double>(c) * std::log(size)));
    graph g(n);
    for (std::size_t a = 0; a < n && classes > 0; ++a)
        for (std::size_t b = 0; b < a; ++b) {
            const std::size_t apart = (a % classes + classes - b % classes) % classes;
            if (apart <= 1 || apart == classes - 1)
                g.set_edge(a, b);
        }
    return g;
}

std::size_t choose(std::size_t n, std::size_t k) {
    std::size_t ways = 1;
    for (std::size_t i = 0; i < k && ways <= most_vertices; ++i)
        ways = ways * (n - i) / (i + 1);
    return ways;
}

}  // namespace

std::optional<graph> make_graph(const std::string& name) {
    std::smatch m;
    const auto is = [&](const char* pattern) { return std::regex_match(name, m, std::regex(pattern)); };
    const auto number = [&](std::size_t i) { return static_cast<unsigned>(std::stoul(m[i])); };
    if (is("brock([248]00)_([1-4])"))
        return brock(number(1), number(2));
    if (is("hamming(\\d{1,2})-(\\d{1,2})") && number(1) <= 12)
        return hamming(number(1), number(2));
    if (is("johnson(\\d{1,2})-(\\d{1,2})-(\\d{1,2})") && number(1) <= 32 && number(2) >= 1 &&
        number(2) <= number(1) && choose(number(1), number(2)) <= most_vertices)
        return johnson(number(1), number(2), number(3));
    if (is("keller([2-6])"))
        return keller(number(1));
    if (is("MANN_a(9|27|81)"))
        return mann(number(1) == 9 ? 2 : number(1) == 27 ? 3 : 4);
    if (is("c-fat(\\d{2,4})-(\\d{1,2})") && number(1) <= most_vertices && number(2) > 0)
        return c_fat(number(1), number(2));
    return {};
}

}  // namespace searches
