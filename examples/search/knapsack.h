#pragma once
// The 0/1 knapsack: which items, at most a capacity heavy together, have the most profit? A node's children add one
// item each, of those behind its last one, best profit for its weight first.

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include <bough/search.h>

namespace searches {

struct knapsack_item {
    std::int64_t profit, weight;
};

struct knapsack_problem {
    std::int64_t capacity = 0;
    std::int64_t known_profit = 0;  // of the best choice; 0: not known
    std::vector<knapsack_item> items;
};

class knapsack {
public:
    static constexpr std::size_t most_items = 256;
    static constexpr std::int64_t most = std::int64_t{1}
                                         << 31;  // a profit or weight: products of two must fit

    struct node {
        std::int64_t profit = 0, weight = 0;
        std::uint32_t next = 0;          // items from here on may be added
        std::bitset<most_items> chosen;  // by their numbers in items()
    };

    class children {
    public:
        children(const knapsack& of, const node& n) : of_(of), parent_(n), at_(n.next) {
            for (std::size_t i = n.next; i < of.items_.size(); ++i)
                number_ += of.fits(n, i);
        }
        std::size_t num_children() const { return number_; }
        node next() {
            while (!of_.fits(parent_, at_))
                ++at_;
            node child = parent_;
            child.profit += of_.items_[at_].profit;
            child.weight += of_.items_[at_].weight;
            child.chosen.set(at_);
            child.next = static_cast<std::uint32_t>(++at_);
            return child;
        }

    private:
        const knapsack& of_;
        const node& parent_;
        std::size_t at_;
        std::size_t number_ = 0;
    };

    // Throws std::invalid_argument if there are too many items, or numbers that are negative or too large.
    explicit knapsack(const knapsack_problem& p) : capacity_(p.capacity) {
        for (const knapsack_item& i : p.items) {
            if (i.profit < 0 || i.weight < 0 || i.profit >= most || i.weight >= most)
                throw std::invalid_argument("knapsack: a profit or weight below 0, or 2^31 or more");
            if (i.profit > 0 && i.weight <= capacity_)
                items_.push_back(i);
        }
        if (items_.size() > most_items)
            throw std::invalid_argument("knapsack: more than " + std::to_string(most_items) + " items");
        std::stable_sort(items_.begin(), items_.end(), [](const knapsack_item& a, const knapsack_item& b) {
            return a.profit * b.weight > b.profit * a.weight;
        });
    }

    std::int64_t objective(const node& n) const { return n.profit; }
    // As if the first item that does not fit whole were added in part (Dantzig).
    std::int64_t bound(const node& n) const {
        std::int64_t profit = n.profit, room = capacity_ - n.weight;
        for (std::size_t i = n.next; i < items_.size(); ++i) {
            const knapsack_item& item = items_[i];
            if (item.weight > room)
                return profit + item.profit * room / item.weight;
            profit += item.profit;
            room -= item.weight;
        }
        return profit;
    }

    const std::vector<knapsack_item>& items() const { return items_; }

private:
    bool fits(const node& n, std::size_t i) const { return items_[i].weight <= capacity_ - n.weight; }

    std::int64_t capacity_;
    std::vector<knapsack_item> items_;  // those that may be of use
};

}  // namespace searches
