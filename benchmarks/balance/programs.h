#pragma once
// The programs of the paper on channels (Prell and Rauber), section 3. Each verifies its answer. Tasks of a given
// length spin; with `poll_us` they call bough::poll() that often.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include <bough/bough.h>

#include "uts/tree.h"

namespace bench::balance {

using seconds = std::chrono::duration<double>;
using clock = std::chrono::steady_clock;

inline void spin(double us, double poll_us = 0) {
    const auto begin = clock::now();
    const auto spin_for = [&](double part_us) {
        while (clock::now() - begin < seconds(part_us * 1e-6)) {
        }
    };
    for (double part_us = poll_us; poll_us > 0 && part_us < us; part_us += poll_us) {
        spin_for(part_us);
        bough::poll();
    }
    spin_for(us);
}

// One count for each thread of the arena, each on lines of its own.
template <class T>
class by_thread {
public:
    T& mine() {
        const int i = bough::this_task_arena::current_thread_index();
        return of_[static_cast<std::size_t>(i) % of_.size()].value;
    }
    template <class Add>
    T sum(Add&& add) const {
        T all{};
        for (const place& p : of_)
            add(all, p.value);
        return all;
    }

private:
    struct alignas(128) place {
        T value{};
    };
    std::vector<place> of_ = std::vector<place>(1024);
};

inline std::uint64_t total(const by_thread<std::uint64_t>& counted) {
    return counted.sum([](std::uint64_t& all, std::uint64_t one) { all += one; });
}

// SPC: one producer.
inline bool single_producer(std::uint64_t tasks, double us) {
    by_thread<std::uint64_t> ran;
    bough::task_group group;
    for (std::uint64_t i = 0; i < tasks; ++i)
        group.run([&] {
            spin(us);
            ++ran.mine();
        });
    group.wait();
    return total(ran) == tasks;
}

// BPC: a producer makes the next one, then its consumers.
struct bouncing {
    void produce(std::uint64_t depth) {
        if (depth > 1)
            group.run([this, depth] { produce(depth - 1); });
        for (int i = 0; i < consumers; ++i)
            group.run([this] {
                spin(us, poll_us);
                ++ran.mine();
            });
    }
    bool run(std::uint64_t depth) {
        group.run([this, depth] { produce(depth); });
        group.wait();
        return total(ran) == depth * static_cast<std::uint64_t>(consumers);
    }

    int consumers;
    double us;
    double poll_us;  // 0: does not poll
    by_thread<std::uint64_t> ran{};
    bough::task_group group{};
};

inline std::uint64_t tree_recursion(unsigned n, double us) {
    if (n < 2) {
        if (us > 0)
            spin(us);
        return n;
    }
    std::uint64_t a = 0, b = 0;
    bough::parallel_invoke([&] { a = tree_recursion(n - 1, us); }, [&] { b = tree_recursion(n - 2, us); });
    return a + b;
}

// The product of two matrices, by blocks; a task for each block of the result. Entries are small integers, so that
// every order of the sums gives the same.
inline bool blocked_product(std::size_t n, std::size_t block) {
    std::vector<double> a(n * n), b(n * n), c(n * n);
    std::mt19937 random(1);
    for (std::size_t i = 0; i < n * n; ++i) {
        a[i] = static_cast<double>(random() % 8);
        b[i] = static_cast<double>(random() % 8);
    }
    const auto multiply = [&](std::size_t i0, std::size_t j0) {
        for (std::size_t k0 = 0; k0 < n; k0 += block)
            for (std::size_t i = i0; i < i0 + block; ++i)
                for (std::size_t k = k0; k < k0 + block; ++k) {
                    const double x = a[i * n + k];
                    for (std::size_t j = j0; j < j0 + block; ++j)
                        c[i * n + j] += x * b[k * n + j];
                }
    };
    bough::task_group group;
    for (std::size_t i = 0; i < n; i += block)
        for (std::size_t j = 0; j < n; j += block)
            group.run([&, i, j] { multiply(i, j); });
    group.wait();
    for (int probe = 0; probe < 1000; ++probe) {
        const std::size_t i = random() % n, j = random() % n;
        double sum = 0;
        for (std::size_t k = 0; k < n; ++k)
            sum += a[i * n + k] * b[k * n + j];
        if (sum != c[i * n + j])
            return false;
    }
    return true;
}

// LU decomposition of a sparse matrix by blocks, as in BOTS: in each step the diagonal, a phase for its row and column,
// a phase for the rest. The answer is checked by x = A y and two triangular solutions.
class sparse_lu {
public:
    sparse_lu(std::size_t blocks, std::size_t size) : n_(blocks), b_(size), of_(blocks * blocks) {
        std::mt19937 random(2);
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < n_; ++j)
                if (is_there(i, j)) {
                    at(i, j) = make();
                    for (std::size_t e = 0; e < b_ * b_; ++e)
                        at(i, j)[e] = static_cast<double>(random() % 1000) / 1000;
                    for (std::size_t d = 0; i == j && d < b_; ++d)
                        at(i, j)[d * b_ + d] += 2 * static_cast<double>(n_ * b_);
                }
        y_.resize(n_ * b_);
        x_.resize(n_ * b_);
        for (double& y : y_)
            y = static_cast<double>(random() % 100) / 100;
        for (std::size_t i = 0; i < n_; ++i)
            for (std::size_t j = 0; j < n_; ++j)
                if (at(i, j))
                    for (std::size_t r = 0; r < b_; ++r)
                        for (std::size_t s = 0; s < b_; ++s)
                            x_[i * b_ + r] += at(i, j)[r * b_ + s] * y_[j * b_ + s];
    }

    void run() {
        bough::task_group group;
        for (std::size_t k = 0; k < n_; ++k) {
            factor(at(k, k).get());
            for (std::size_t j = k + 1; j < n_; ++j)
                if (at(k, j))
                    group.run([this, k, j] { solve_row(at(k, k).get(), at(k, j).get()); });
            for (std::size_t i = k + 1; i < n_; ++i)
                if (at(i, k))
                    group.run([this, k, i] { solve_column(at(k, k).get(), at(i, k).get()); });
            group.wait();
            for (std::size_t i = k + 1; i < n_; ++i)
                for (std::size_t j = k + 1; at(i, k) && j < n_; ++j)
                    if (at(k, j))
                        group.run([this, i, j, k] { update(i, j, k); });
            group.wait();
        }
    }

    bool is_right() const {
        std::vector<double> v = x_;
        const std::size_t all = n_ * b_;
        const auto entry = [&](std::size_t i, std::size_t j) {
            const auto& p = of_[i / b_ * n_ + j / b_];
            return p ? p[i % b_ * b_ + j % b_] : 0.0;
        };
        for (std::size_t i = 0; i < all; ++i)
            for (std::size_t j = 0; j < i; ++j)
                v[i] -= entry(i, j) * v[j];
        for (std::size_t i = all; i-- > 0;) {
            for (std::size_t j = i + 1; j < all; ++j)
                v[i] -= entry(i, j) * v[j];
            v[i] /= entry(i, i);
        }
        for (std::size_t i = 0; i < all; ++i)
            if (std::abs(v[i] - y_[i]) > 1e-6)
                return false;
        return true;
    }

private:
    using values = std::unique_ptr<double[]>;

    bool is_there(std::size_t i, std::size_t j) const {
        return (i > j ? i - j : j - i) <= 1 || (i * 7 + j * 3) % 5 == 0;
    }
    values make() const { return std::make_unique<double[]>(b_ * b_); }
    values& at(std::size_t i, std::size_t j) { return of_[i * n_ + j]; }

    void factor(double* d) const {
        for (std::size_t k = 0; k < b_; ++k)
            for (std::size_t i = k + 1; i < b_; ++i) {
                d[i * b_ + k] /= d[k * b_ + k];
                for (std::size_t j = k + 1; j < b_; ++j)
                    d[i * b_ + j] -= d[i * b_ + k] * d[k * b_ + j];
            }
    }
    void solve_row(const double* d, double* r) const {
        for (std::size_t k = 0; k < b_; ++k)
            for (std::size_t i = k + 1; i < b_; ++i)
                for (std::size_t j = 0; j < b_; ++j)
                    r[i * b_ + j] -= d[i * b_ + k] * r[k * b_ + j];
    }
    void solve_column(const double* d, double* c) const {
        for (std::size_t i = 0; i < b_; ++i)
            for (std::size_t k = 0; k < b_; ++k) {
                c[i * b_ + k] /= d[k * b_ + k];
                for (std::size_t j = k + 1; j < b_; ++j)
                    c[i * b_ + j] -= c[i * b_ + k] * d[k * b_ + j];
            }
    }
    void update(std::size_t i, std::size_t j, std::size_t k) {
        if (!at(i, j))
            at(i, j) = make();
        const double* const c = at(i, k).get();
        const double* const r = at(k, j).get();
        double* const x = at(i, j).get();
        for (std::size_t p = 0; p < b_; ++p)
            for (std::size_t q = 0; q < b_; ++q)
                for (std::size_t s = 0; s < b_; ++s)
                    x[p * b_ + s] -= c[p * b_ + q] * r[q * b_ + s];
    }

    std::size_t n_, b_;
    std::vector<values> of_;
    std::vector<double> y_, x_;
};

inline void insertion_sort(int* first, int* last) {
    for (int* i = first + 1; i < last; ++i)
        for (int* j = i; j > first && j[-1] > *j; --j)
            std::swap(j[-1], *j);
}

inline void quicksort(int* first, int* last) {
    if (last - first <= 100)
        return insertion_sort(first, last);
    const int a = *first, b = first[(last - first) / 2], c = last[-1];
    const int pivot = std::max(std::min(a, b), std::min(std::max(a, b), c));
    int* const less = std::partition(first, last, [pivot](int x) { return x < pivot; });
    int* const more = std::partition(less, last, [pivot](int x) { return x == pivot; });
    bough::parallel_invoke([=] { quicksort(first, less); }, [=] { quicksort(more, last); });
}

// T2L's shape: the branching varies with the depth in cycles.
struct cyclic_tree {
    unsigned depth;
    double branching;
    std::uint32_t seed;

    index children(const tree_node& node) const {
        constexpr double pi = 3.141592653589793, most = 100;
        if (node.depth > 5 * depth)
            return 0;
        const double b =
            node.depth == 0 ? branching
                            : std::pow(branching, std::sin(2 * pi * static_cast<double>(node.depth) / depth));
        const double p = 1 / (1 + b);
        return static_cast<index>(std::min(most, std::floor(std::log(1 - node.uniform()) / std::log(1 - p))));
    }
};

// A task for each node; none waits for another, so a deep tree needs no stack.
template <class Tree>
struct tree_search {
    void visit(const tree_node& node) {
        ++nodes.mine();
        const index children = tree.children(node);
        for (index i = 0; i < children; ++i)
            group.run([this, child = node.child(static_cast<std::uint32_t>(i))] { visit(child); });
    }
    std::uint64_t run() {
        group.run([this] { visit(tree_node::root(tree.seed)); });
        group.wait();
        return total(nodes);
    }

    Tree tree;
    by_thread<std::uint64_t> nodes{};
    bough::task_group group{};
};

}  // namespace bench::balance
