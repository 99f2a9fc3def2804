// An optimum: which of these items are worth most together, if all of them may weigh 10?
#include <bough/search.h>

#include <cstdio>
#include <vector>

struct knapsack {
    struct item {
        std::int64_t value, weight;
    };
    struct node {
        std::size_t decided = 0;  // so many items are taken, or left
        std::int64_t value = 0, weight = 0;
    };
    struct children {  // the next item is taken, if it is not too heavy, or left
        children(const knapsack& k, const node& n)
            : all(k), parent(n), can_leave(n.decided < k.items.size()),
              can_take(can_leave && n.weight + k.items[n.decided].weight <= k.limit) {}
        std::size_t num_children() const { return std::size_t{can_leave} + std::size_t{can_take}; }
        node next() {
            const item& i = all.items[parent.decided];
            const bool takes = can_take;
            can_take = false;
            return takes ? node{parent.decided + 1, parent.value + i.value, parent.weight + i.weight}
                         : node{parent.decided + 1, parent.value, parent.weight};
        }
        const knapsack& all;
        const node& parent;
        bool can_leave, can_take;
    };
    std::int64_t objective(const node& n) const { return n.value; }
    std::int64_t bound(const node& n) const {  // as if all the rest could be taken
        std::int64_t most = n.value;
        for (std::size_t i = n.decided; i < items.size(); ++i)
            most += items[i].value;
        return most;
    }
    std::vector<item> items;
    std::int64_t limit;
};

int main() {
    const knapsack problem{{{10, 5}, {40, 4}, {30, 6}, {50, 3}}, 10};
    bough::search::options how;
    how.budget = 100;  // nodes: a small tree
    const auto found = bough::search::maximise(problem, {}, how);
    if (found.node)
        std::printf("value %lld, weight %lld\n", static_cast<long long>(found.objective),
                    static_cast<long long>(found.node->weight));
}
