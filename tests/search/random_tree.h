#pragma once
// Random trees for tests: any shape, an objective and a bound for each node, and nodes that notice if one of them is
// lost, destroyed twice or used after its end.

#include <bough/search.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace bough_test {

inline std::uint64_t mixed(std::uint64_t x) {  // splitmix64
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

class random_tree {
public:
    class node {
    public:
        node(std::uint64_t i, std::uint32_t d) : id(i), depth(d), number_(new std::uint64_t(i)) { ++alive; }
        node(const node& other) : node(other.id, other.depth) {}
        node(node&& other) noexcept : id(other.id), depth(other.depth), number_(std::move(other.number_)) {
            ++alive;
        }
        node& operator=(const node&) = delete;
        ~node() { --alive; }

        void pack(std::vector<std::byte>& out) const {
            const std::size_t at = out.size();
            out.resize(at + 12);
            std::memcpy(out.data() + at, &id, 8);
            std::memcpy(out.data() + at + 8, &depth, 4);
        }
        static node unpack(const std::byte* bytes, std::size_t size) {
            if (size != 12)
                throw std::invalid_argument("no node");
            std::uint64_t i = 0;
            std::uint32_t d = 0;
            std::memcpy(&i, bytes, 8);
            std::memcpy(&d, bytes + 8, 4);
            return {i, d};
        }
        // Not a node that was moved from.
        bool is_whole() const { return number_ && *number_ == id; }

        std::uint64_t id;
        std::uint32_t depth;
        static inline std::atomic<std::int64_t> alive{0};

    private:
        std::unique_ptr<std::uint64_t> number_;
    };

    class children {
    public:
        children(const random_tree& of, const node& n)
            : of_(of), parent_(n), number_(of.number_of_children(n)) {
            of.maybe_throw(n.id, 1);
            ++alive;
        }
        children(const children&) = delete;
        ~children() { --alive; }
        std::size_t num_children() const { return number_; }
        node next() {
            if (made_ == number_ || !parent_.is_whole())
                throw std::logic_error("next() after the last child, or of a parent that is gone");
            of_.maybe_throw(parent_.id + made_, 2);
            return {mixed(parent_.id + 1000 + made_++), parent_.depth + 1};
        }
        static inline std::atomic<std::int64_t> alive{0};

    private:
        const random_tree& of_;
        const node& parent_;
        const std::size_t number_;
        std::size_t made_ = 0;
    };

    random_tree(std::uint64_t seed, unsigned most_depth, unsigned most_children)
        : seed_(mixed(seed)), most_depth_(most_depth), most_children_(most_children) {}

    node root() const { return {seed_, 0}; }
    std::optional<std::int64_t> objective(const node& n) const {
        maybe_throw(n.id, 3);
        if (!n.is_whole())
            throw std::logic_error("a node that was moved from is visited");
        if (n.id % 3 == 0)
            return {};
        return static_cast<std::int64_t>(n.id >> 8 & 0xffff) - 0x8000;
    }
    std::size_t number_of_children(const node& n) const {
        if (n.depth == most_depth_)
            return 0;
        const std::size_t some = static_cast<std::size_t>(n.id >> 32) % (most_children_ + 1);
        return n.depth < 3 ? std::max<std::size_t>(1, some) : some;  // no tree ends at once
    }

    // What calls of some kind throw, for one of so many nodes: 1 making children, 2 the next child, 3 the objective,
    // 4 a visit. 0: none.
    int throws_at = 0;
    std::uint64_t throws_one_in = 1;
    void maybe_throw(std::uint64_t id, int place) const {
        if (throws_at == place && mixed(id ^ 77) % throws_one_in == 0)
            throw std::runtime_error("thrown by a tree");
    }

private:
    std::uint64_t seed_;
    unsigned most_depth_, most_children_;
};

// The same tree, with bounds that are right, and sometimes tight.
class bounded_tree : public random_tree {
public:
    using random_tree::random_tree;
    class children : public random_tree::children {
    public:
        children(const bounded_tree& of, const node& n) : random_tree::children(of, n) {}
    };
    explicit bounded_tree(bool largest, std::uint64_t seed, unsigned most_depth, unsigned most_children)
        : random_tree(seed, most_depth, most_children), largest_(largest) {}

    std::int64_t bound(const node& n) const {
        const std::int64_t slack = static_cast<std::int64_t>(mixed(n.id) % 4) * 5000;
        return largest_ ? best_below(n) + slack : best_below(n) - slack;
    }
    // Of the subtree; a very bad value if no node has an objective.
    std::int64_t best_below(const node& n) const {
        const std::int64_t worst = largest_ ? -1'000'000 : 1'000'000;
        std::int64_t best = objective(n).value_or(worst);
        children below(*this, n);
        for (std::size_t i = 0; i < below.num_children(); ++i) {
            const std::int64_t other = best_below(below.next());
            best = largest_ ? std::max(best, other) : std::min(best, other);
        }
        return best;
    }

private:
    bool largest_;
};

// What an enumeration should see: each node once, with its depth.
struct tree_sum {
    std::uint64_t nodes = 0, ids = 0, depths = 0;
    void visit(const random_tree& t, const random_tree::node& n, unsigned depth) {
        t.maybe_throw(n.id, 4);
        ++nodes;
        ids += n.is_whole() && n.depth == depth ? mixed(n.id) : 1;
        depths += depth;
    }
    void join(const tree_sum& other) {
        nodes += other.nodes;
        ids += other.ids;
        depths += other.depths;
    }
    friend bool operator==(const tree_sum&, const tree_sum&) = default;
};

// By recursion alone.
inline void sum_below(const random_tree& t, const random_tree::node& n, tree_sum& sum,
                      unsigned limit = 1000) {
    sum.visit(t, n, n.depth);
    if (n.depth == limit)
        return;
    random_tree::children below(t, n);
    for (std::size_t i = 0; i < below.num_children(); ++i)
        sum_below(t, below.next(), sum, limit);
}

}  // namespace bough_test
