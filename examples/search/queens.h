#pragma once
// n queens on a board of n x n, none of which threatens another: a queen for each row, from the top.

#include <cstddef>
#include <cstdint>

#include <bough/search.h>

namespace searches {

struct queens {
    static constexpr unsigned most = 32;

    // A bit for each column: taken, or threatened along a diagonal.
    struct node {
        std::uint64_t columns = 0, left = 0, right = 0;
        std::uint8_t row = 0;
        std::uint8_t column_of[most] = {};
    };

    class children {
    public:
        children(const queens& of, const node& n)
            : parent_(n), free_(of.all_ & ~(n.columns | n.left | n.right)),
              number_(static_cast<std::size_t>(__builtin_popcountll(free_))) {}
        std::size_t num_children() const { return number_; }
        node next() {
            const std::uint64_t queen = free_ & -free_;
            node child = parent_;
            child.columns |= queen;
            child.left = (child.left | queen) << 1;
            child.right = (child.right | queen) >> 1;
            child.column_of[child.row++] = static_cast<std::uint8_t>(__builtin_ctzll(queen));
            free_ ^= queen;
            return child;
        }

    private:
        const node& parent_;
        std::uint64_t free_;
        const std::size_t number_;
    };

    explicit queens(unsigned n) : size(n), all_((std::uint64_t{1} << n) - 1) {}

    std::int64_t objective(const node& n) const { return n.row; }

    const unsigned size;

private:
    const std::uint64_t all_;
};

struct all_placed {
    std::uint64_t ways = 0;
    void visit(const queens& q, const queens::node& n, unsigned) { ways += n.row == q.size; }
    void join(const all_placed& other) { ways += other.ways; }
};

}  // namespace searches
