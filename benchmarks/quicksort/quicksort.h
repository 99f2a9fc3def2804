#pragma once
// Quicksort: a serial partition, then both parts. The parts differ in size, and the first partition bounds the
// speed-up.

#include <algorithm>
#include <string>

#include "common/fork_join.h"
#include "common/measure.h"
#include "common/options.h"
#include "common/shuffled.h"

namespace bench {

inline sortable median_of_three(sortable a, sortable b, sortable c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// [first, less) < pivot, [less, more) == pivot, [more, last) > pivot.
template <class Runtime>
void sort_parts(sortable* first, sortable* last) {
    if (static_cast<index>(last - first) <= sort_grain) {
        std::sort(first, last);
        return;
    }
    const sortable pivot = median_of_three(*first, first[(last - first) / 2], last[-1]);
    sortable* const less = std::partition(first, last, [pivot](sortable x) { return x < pivot; });
    sortable* const more = std::partition(less, last, [pivot](sortable x) { return x == pivot; });
    Runtime::fork([=] { sort_parts<Runtime>(first, less); }, [=] { sort_parts<Runtime>(more, last); });
}

template <class Runtime>
class quick_sort : public sorting {
public:
    using sorting::sorting;

    void run() {
        fork_root<Runtime>([this] {
            std::copy_n(input_.data(), input_.size(), output_.data());
            sort_parts<Runtime>(output_.data(), output_.data() + output_.size());
        });
    }
};

template <class Runtime>
void register_quicksort(const options& o) {
    const index largest = o.full ? 10000000 : o.papers ? 1000000 : 100000;
    for (index n = o.papers ? largest : 100000; n <= largest; n *= 10)
        register_long_workload("quicksort/random/" + std::to_string(n),
                               lazy<quick_sort<Runtime>>([n] { return quick_sort<Runtime>(n); }));
}

}  // namespace bench
