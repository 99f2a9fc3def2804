#pragma once
// The 0/1 knapsack by branch and bound, every decision a fork. Branches are cut against the greedy filling, which is
// known before. Were they cut against the best one found so far, as in Cilk's examples, a runtime that happens to try
// "with" first would do hundreds of times less work than one that tries "without" first, and nothing else would be
// measured.

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"

namespace bench {

struct item {
    std::int64_t value, weight;
};

// By value per weight, falling. A value is its weight and a constant, which is known to be hard (Pisinger, "Where are
// the hard knapsack problems?", 2005): bounds are tight late, so that much is searched.
inline std::vector<item> random_items(index n) {
    std::mt19937 random(3);  // its sequence is fixed by the standard
    std::vector<item> items(n);
    for (item& i : items) {
        i.weight = 100 + static_cast<std::int64_t>(random() % 900);
        i.value = i.weight + 100;
    }
    std::sort(items.begin(), items.end(), [](const item& a, const item& b) { return a.weight < b.weight; });
    return items;
}

// By dynamic programming over weights.
inline std::int64_t best_filling(const std::vector<item>& items, std::int64_t capacity) {
    std::vector<std::int64_t> best(static_cast<std::size_t>(capacity) + 1, 0);
    for (const item& i : items)
        for (auto w = capacity; w >= i.weight; --w) {
            auto& here = best[static_cast<std::size_t>(w)];
            here = std::max(here, best[static_cast<std::size_t>(w - i.weight)] + i.value);
        }
    return best.back();
}

// Each item that still fits, the densest first.
inline std::int64_t greedy_filling(const std::vector<item>& items, std::int64_t capacity) {
    std::int64_t value = 0;
    for (const item& i : items)
        if (i.weight <= capacity) {
            capacity -= i.weight;
            value += i.value;
        }
    return value;
}

template <class Runtime>
class knapsack {
public:
    explicit knapsack(index n) : items_(random_items(n)) {
        for (const item& i : items_)
            capacity_ += i.weight;
        capacity_ /= 2;
        greedy_ = greedy_filling(items_, capacity_);
        expected_ = best_filling(items_, capacity_);
    }

    void reset() { best_ = -1; }
    void run() {
        fork_root<Runtime>([this] { best_ = std::max(greedy_, best_of(0, capacity_, 0)); });
    }
    std::size_t first_wrong() const { return best_ == expected_ ? none : 0; }

private:
    // The greatest value when items before k are decided and `room` is left; where it cannot beat the greedy one, any
    // that can be reached.
    std::int64_t best_of(index k, std::int64_t room, std::int64_t value) const {
        while (k < items_.size() && items_[k].weight > room)
            ++k;
        if (k == items_.size() || !can_beat_greedy(k, room, value))
            return value;
        std::int64_t with = 0, without = 0;
        Runtime::fork(
            [=, this, &with] { with = best_of(k + 1, room - items_[k].weight, value + items_[k].value); },
            [=, this, &without] { without = best_of(k + 1, room, value); });
        return std::max(with, without);
    }

    // As if all that is left were as dense as the next item.
    bool can_beat_greedy(index k, std::int64_t room, std::int64_t value) const {
        return value * items_[k].weight + room * items_[k].value > greedy_ * items_[k].weight;
    }

    std::vector<item> items_;
    std::int64_t capacity_ = 0, greedy_ = 0, expected_ = 0, best_ = -1;
};

template <class Runtime>
void register_knapsack(const options& o) {
    const index n = o.full ? 36 : o.papers ? 34 : 30;  // 3.4 million, 580,000 and 49,000 forks
    register_long_workload("knapsack/branch_and_bound/" + std::to_string(n),
                           lazy<knapsack<Runtime>>([n] { return knapsack<Runtime>(n); }));
}

}  // namespace bench
