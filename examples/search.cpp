// A search of one's own: in how many ways do n queens stand on a board of n x n without a threat?
#include <bough/search.h>

#include <cstdio>
#include <cstdlib>

struct queens {
    struct node {  // a bit for each column: taken, and threatened along the two diagonals
        unsigned columns = 0, left = 0, right = 0;
    };
    struct children {
        children(const queens& q, const node& n) : parent(n), free(q.all & ~(n.columns | n.left | n.right)) {}
        std::size_t num_children() const { return static_cast<std::size_t>(__builtin_popcount(free)); }
        node next() {
            const unsigned queen = free & -free;
            free ^= queen;
            return {parent.columns | queen, (parent.left | queen) << 1, (parent.right | queen) >> 1};
        }
        const node& parent;
        unsigned free;
    };
    unsigned all;
};

struct solutions {
    void visit(const queens& q, const queens::node& n, unsigned) { count += n.columns == q.all; }
    void join(const solutions& other) { count += other.count; }
    unsigned long count = 0;
};

int main(int argc, char** argv) {
    const unsigned n = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 12;
    const auto found = bough::search::enumerate(queens{(1u << n) - 1}, {}, solutions{});
    std::printf("%u queens: %lu ways, %lu nodes in %lu tasks\n", n, found.value.count, found.counted.nodes,
                found.counted.executed);
}
