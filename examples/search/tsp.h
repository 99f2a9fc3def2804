#pragma once
// The travelling salesman: the shortest round trip through all cities. A node is a path from city 0; its children go on
// to one more city each, the nearest first. The rest of a trip is a spanning tree of what it still has to touch, so a
// smallest such tree is a bound.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <vector>

#include <bough/search.h>

namespace searches {

class tsp {
public:
    static constexpr unsigned most_cities = 64;

    struct node {
        std::int64_t length = 0;  // of the path; of the whole trip when all cities are on it
        std::int64_t bound = 0;   // no trip that begins like this is shorter
        std::uint64_t open = 0;   // cities that are not on the path
        std::uint8_t cities = 1;
        std::uint8_t path[most_cities] = {};
    };

    class children {
    public:
        children(const tsp& of, const node& n)
            : of_(of), parent_(n), rest_(n.open ? of.smallest_tree(n.open | 1) : 0) {
            for (std::uint64_t open = n.open; open != 0; open &= open - 1)
                order_[number_++] = static_cast<std::uint8_t>(__builtin_ctzll(open));
            const unsigned last = n.path[n.cities - 1];
            std::sort(order_, order_ + number_,
                      [&](unsigned a, unsigned b) { return of.distance(last, a) < of.distance(last, b); });
        }
        std::size_t num_children() const { return number_; }
        node next() {
            const unsigned city = order_[made_++];
            node child = parent_;
            child.length += of_.distance(parent_.path[parent_.cities - 1], city);
            child.bound = child.length + rest_;
            child.open &= ~(std::uint64_t{1} << city);
            child.path[child.cities++] = static_cast<std::uint8_t>(city);
            if (child.open == 0)
                child.bound = child.length += of_.distance(city, 0);
            return child;
        }

    private:
        const tsp& of_;
        const node& parent_;
        const std::int64_t rest_;
        std::size_t number_ = 0, made_ = 0;
        std::uint8_t order_[most_cities];
    };

    // distances: n x n, symmetric. Throws std::invalid_argument if there are no cities, or too many.
    tsp(std::size_t n, std::vector<std::int64_t> distances) : n_(n), distances_(std::move(distances)) {
        if (n == 0 || n > most_cities)
            throw std::invalid_argument("tsp: the number of cities is not 1 to 64");
    }

    node root() const {
        node n;
        n.open = (n_ == most_cities ? 0 : std::uint64_t{1} << n_) - 2;
        if (n_ == 1)
            n.open = 0;
        return n;
    }

    std::optional<std::int64_t> objective(const node& n) const {
        return n.open == 0 ? std::optional(n.length) : std::nullopt;
    }
    std::int64_t bound(const node& n) const { return n.bound; }
    static constexpr bool bounds_fall = true;  // all children of a node have the same rest

    std::size_t cities() const { return n_; }
    std::int64_t distance(std::size_t a, std::size_t b) const { return distances_[a * n_ + b]; }

private:
    // The length of a smallest spanning tree of these cities, 0 among them (Prim).
    std::int64_t smallest_tree(std::uint64_t cities) const {
        std::int64_t nearest[most_cities];
        std::uint64_t left = cities & ~std::uint64_t{1};
        for (std::uint64_t c = left; c != 0; c &= c - 1)
            nearest[__builtin_ctzll(c)] = distance(0, static_cast<unsigned>(__builtin_ctzll(c)));
        std::int64_t sum = 0;
        while (left != 0) {
            unsigned best = static_cast<unsigned>(__builtin_ctzll(left));
            for (std::uint64_t c = left; c != 0; c &= c - 1)
                if (const auto i = static_cast<unsigned>(__builtin_ctzll(c)); nearest[i] < nearest[best])
                    best = i;
            sum += nearest[best];
            left &= ~(std::uint64_t{1} << best);
            for (std::uint64_t c = left; c != 0; c &= c - 1) {
                const auto i = static_cast<unsigned>(__builtin_ctzll(c));
                nearest[i] = std::min(nearest[i], distance(best, i));
            }
        }
        return sum;
    }

    std::size_t n_;
    std::vector<std::int64_t> distances_;
};

}  // namespace searches
