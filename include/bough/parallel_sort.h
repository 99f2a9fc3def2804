#pragma once
// parallel_sort: in place, not stable, after Hoare. Quick sort whose halves are forked; the first partitions are
// parallel as well, since they would bound the speed-up. Ranges that are in order, or in the opposite one, are only
// looked through.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <iterator>
#include <utility>

#include "blocked_range.h"
#include "detail/loop_job.h"
#include "detail/parallel_partition.h"
#include "detail/quick_sort.h"
#include "parallel_for.h"
#include "parallel_invoke.h"

namespace bough {
namespace detail {

template <class It, class Compare>
class parallel_sorter {
    using serial = quick_sort<It, Compare>;
    using part = typename serial::part;
    using distance = typename serial::distance;

    // What one thread sorts in 40 us (doubles): some ten times what waking another one takes.
    static constexpr distance serial_limit = 2000;
    // What makes a partition by several threads worth its hand-off: 16 us (doubles) for each.
    static constexpr distance least_share = 16384;

public:
    parallel_sorter(It first, It last, const Compare& comp)
        : first_(first), size_(last - first), comp_(comp), serial_(comp) {}

    void run() {
        if (size_ < 2)
            return;
        const bool descending = comp_(first_[1], first_[0]);
        if (!descending && is_run([&](It a) { return !comp_(a[1], a[0]); }))
            return;
        if (descending && is_run([&](It a) -> bool { return comp_(a[1], a[0]); }))
            return reverse();
        const unsigned threads = size_ > serial_limit ? concurrency() : 1;
        if (threads == 1)
            return serial_.sort(serial::whole(first_, first_ + size_));
        per_thread_ = std::max<distance>(size_ / static_cast<distance>(threads), least_share);
        sort(serial::whole(first_, first_ + size_));
    }

private:
    // Whether in_order(a) holds for all neighbours a and a + 1. Random elements say no at once.
    template <class InOrder>
    bool is_run(const InOrder& in_order) const {
        const distance pairs = size_ - 1, at_once = std::min(pairs, serial_limit);
        for (distance i = 0; i < at_once; ++i)
            if (!in_order(first_ + i))
                return false;
        if (at_once == pairs)
            return true;
        constexpr distance chunk = 256;  // without a look at the flag
        std::atomic<bool> broken{false};
        // relaxed: it counts after the join; before that it only ends the search early.
        bough::parallel_for(blocked_range<distance>(at_once, pairs, chunk),
                            [&](const blocked_range<distance>& piece) {
                                for (distance i = piece.begin();
                                     i < piece.end() && !broken.load(std::memory_order_relaxed); i += chunk)
                                    if (!are_in_order(i, std::min(piece.end(), i + chunk), in_order))
                                        broken.store(true, std::memory_order_relaxed);
                            });
        return !broken.load(std::memory_order_relaxed);
    }

    // Without branches, so that it can be vectorised.
    template <class InOrder>
    bool are_in_order(distance i, distance last, const InOrder& in_order) const {
        bool all = true;
        for (; i < last; ++i)
            all &= in_order(first_ + i);
        return all;
    }

    void reverse() const {
        const It last = first_ + (size_ - 1);
        bough::parallel_for(distance{0}, size_ / 2,
                            [&](distance i) { std::iter_swap(first_ + i, last - i); });
    }

    // Halves are forked; parts of several threads' share are partitioned by as many.
    void sort(part p) const {
        while (p.size() > serial_limit && p.patience != 0) {
            const auto halves = split(p);
            if (halves.first.size() != 0) {
                bough::parallel_invoke([&] { sort(halves.first); }, [&] { sort(halves.second); });
                return;
            }
            p = halves.second;
        }
        serial_.sort(p);
    }

    std::pair<part, part> split(const part& p) const {
        const distance workers = p.size() / per_thread_;
        if (workers < 2)
            return serial_.split(p, sequential_partition());
        return serial_.split(p, [&](It first, It last, const auto& goes_left) {
            parallel_partition partition(first, last, goes_left);
            return partition.run(static_cast<unsigned>(workers));
        });
    }

    const It first_;
    const distance size_;
    const Compare& comp_;
    const serial serial_;
    distance per_thread_ = 0;
};

}  // namespace detail

// Sorts [begin, end) by comp, a strict weak order that is called as const and concurrently. O(n log n) comparisons, no
// more than O(threads) memory. Elements are moved and swapped, so they may be move-only; neighbours must be separate
// objects (no vector<bool>). Throws what the comparator does, nesting_too_deep and std::bad_alloc: the range then holds
// the same elements in some order, and so it does when the sort is cancelled with what it runs in. Thread-safe, may be
// nested.
template <class It, class Compare>
void parallel_sort(It begin, It end, const Compare& comp) {
    detail::parallel_sorter<It, Compare>(begin, end, comp).run();
}
// By std::less.
template <class It>
void parallel_sort(It begin, It end) {
    bough::parallel_sort(begin, end, std::less<typename std::iterator_traits<It>::value_type>());
}
// A container or an array.
template <class Container, class Compare>
void parallel_sort(Container&& items, const Compare& comp) {
    bough::parallel_sort(std::begin(items), std::end(items), comp);
}
template <class Container>
void parallel_sort(Container&& items) {
    bough::parallel_sort(std::begin(items), std::end(items));
}

}  // namespace bough
