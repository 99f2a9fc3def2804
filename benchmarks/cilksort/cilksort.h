#pragma once
// Merge sort by quarters with parallel merges, after Akl and Santoro, as in Cilk's examples.

#include <algorithm>
#include <string>

#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/shuffled.h"

namespace bench {

// Merges a[0, n) and b[0, m): the longer is halved, the other one where the middle value belongs.
template <class Runtime>
void merge_halves(const sortable* a, index n, const sortable* b, index m, sortable* to) {
    if (n < m) {
        merge_halves<Runtime>(b, m, a, n, to);
        return;
    }
    if (n + m <= sort_grain) {
        std::merge(a, a + n, b, b + m, to);
        return;
    }
    const index i = n / 2;
    const auto j = static_cast<index>(std::lower_bound(b, b + m, a[i]) - b);
    Runtime::fork([=] { merge_halves<Runtime>(a, i, b, j, to); },
                  [=] { merge_halves<Runtime>(a + i, n - i, b + j, m - j, to + i + j); });
}

// Sorts from[0, n), which it leaves alone, into `to`; scratch holds n.
template <class Runtime>
void sort_quarters(const sortable* from, sortable* to, sortable* scratch, index n) {
    if (n <= sort_grain) {
        std::copy_n(from, n, to);
        std::sort(to, to + n);
        return;
    }
    const index q = n / 4, rest = n - 3 * q;
    fork_each<Runtime>(0, 4, [=](index k) {
        sort_quarters<Runtime>(from + k * q, scratch + k * q, to + k * q, k < 3 ? q : rest);
    });
    // scratch holds four sorted quarters, then `to` two halves, then scratch all: one copy back.
    Runtime::fork([=] { merge_halves<Runtime>(scratch, q, scratch + q, q, to); },
                  [=] { merge_halves<Runtime>(scratch + 2 * q, q, scratch + 3 * q, rest, to + 2 * q); });
    merge_halves<Runtime>(to, 2 * q, to + 2 * q, q + rest, scratch);
    fork_each<Runtime>(0, 4, [=](index k) { std::copy_n(scratch + k * q, k < 3 ? q : rest, to + k * q); });
}

template <class Runtime>
class merge_sort : public sorting {
public:
    explicit merge_sort(index n) : sorting(n), scratch_(n) {}

    void run() {
        fork_root<Runtime>([this] {
            sort_quarters<Runtime>(input_.data(), output_.data(), scratch_.data(), input_.size());
        });
    }

private:
    buffer<sortable> scratch_;
};

template <class Runtime>
void register_cilksort(const options& o) {
    const index largest = o.full ? 10000000 : o.papers ? 1000000 : 100000;
    for (index n = o.papers ? largest : 100000; n <= largest; n *= 10)
        register_long_workload("cilksort/random/" + std::to_string(n),
                               lazy<merge_sort<Runtime>>([n] { return merge_sort<Runtime>(n); }));
}

}  // namespace bench
