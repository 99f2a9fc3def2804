// A search of one's own on one machine, or on several: mpirun -n 4 search_on_ranks 12
#include <bough/search.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "search/ranks.h"

struct sums {  // in how many ways is `total` a sum of positive numbers, the largest first?
    struct node {
        unsigned left, most;  // still to be added, by numbers up to this one
    };
    struct children {
        children(const sums&, const node& n) : left(n.left), most(n.most) {}
        std::size_t num_children() const { return most < left ? most : left; }
        node next() { return {left - ++last, last}; }
        unsigned left, most, last = 0;
    };
};

struct ways {
    void visit(const sums&, const sums::node& n, unsigned) { count += n.left == 0; }
    void join(const ways& other) { count += other.count; }
    unsigned long count = 0;
};

int main(int argc, char** argv) {
    return bough::search::on_ranks(argc, argv, [&](bough::search::ranks& all) {
        const std::string text = argc > 1 ? argv[1] : "60";
        const auto total = static_cast<unsigned>(std::atoi(text.c_str()));
        if (total == 0 || std::to_string(total) != text) {
            if (all.is_first())
                std::fprintf(stderr, "'%s' is no number from 1 up\n", text.c_str());
            return 2;
        }
        const auto found = bough::search::enumerate(sums{}, {total, total}, ways{}, all.together({}));
        if (all.is_first())
            std::printf("%u is a sum in %lu ways; ranks: %d\n", total, found.value.count, all.size());
        return 0;
    });
}
