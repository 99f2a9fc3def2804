#pragma once
// The 0/1 knapsack by branch and bound, every decision a fork, as in Cilk's examples: which branches are cut depends on
// how early a good filling is found, so the number of tasks is not the same in each run. The answer is.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
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

// By value per weight, falling. A value is its weight and a constant, which is known to be hard (Pisinger, "Where are the
// hard knapsack problems?", 2005): bounds are tight late, so that much is searched.
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

template <class Runtime>
class knapsack {
public:
    explicit knapsack(index n) : items_(random_items(n)) {
        for (const item& i : items_)
            capacity_ += i.weight;
        capacity_ /= 2;
        expected_ = best_filling(items_, capacity_);
    }

    void reset() { best_->store(-1, std::memory_order_relaxed); }
    void run() {
        best_->store(-1, std::memory_order_relaxed);
        fork_root<Runtime>([this] { decide(0, capacity_, 0); });
    }
    std::size_t first_wrong() const { return best_->load(std::memory_order_relaxed) == expected_ ? none : 0; }

private:
    // Items before k are decided; `room` is left.
    void decide(index k, std::int64_t room, std::int64_t value) {
        if (room < 0)
            return;
        raise_best(value);
        if (k == items_.size() || !can_beat(best_->load(std::memory_order_relaxed), k, room, value))
            return;
        Runtime::fork([=, this] { decide(k + 1, room - items_[k].weight, value + items_[k].value); },
                      [=, this] { decide(k + 1, room, value); });
    }

    // As if all that is left were as dense as the next item.
    bool can_beat(std::int64_t best, index k, std::int64_t room, std::int64_t value) const {
        return value * items_[k].weight + room * items_[k].value > best * items_[k].weight;
    }

    void raise_best(std::int64_t value) {
        auto best = best_->load(std::memory_order_relaxed);
        while (value > best && !best_->compare_exchange_weak(best, value, std::memory_order_relaxed)) {
        }
    }

    std::vector<item> items_;
    std::int64_t capacity_ = 0, expected_ = 0;
    // Apart, as a workload is moved to where it stays.
    std::unique_ptr<std::atomic<std::int64_t>> best_ = std::make_unique<std::atomic<std::int64_t>>(-1);
};

template <class Runtime>
void register_knapsack(const options& o) {
    const index n = o.full ? 48 : o.papers ? 40 : 32;
    register_long_workload("knapsack/branch_and_bound/" + std::to_string(n),
                           lazy<knapsack<Runtime>>([n] { return knapsack<Runtime>(n); }));
}

}  // namespace bench
