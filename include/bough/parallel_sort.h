#pragma once
// parallel_sort: in place, not stable, after Hoare. A quick sort that sorts its halves as fork-join calls. The first
// partitions are parallel as well, as they would bound the speed-up otherwise. A range that is in order is only read,
// and one in the opposite order is read and reversed.

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

    // One thread sorts so many doubles in 40 us, about ten times the time in which it wakes another thread.
    static constexpr distance serial_limit = 2000;
    // A partition by several threads is worth its hand-off if each has at least so many elements: 16 us (doubles).
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
    // Does in_order(a) hold for all neighbours a and a + 1? With random elements the first few say no.
    template <class InOrder>
    bool is_run(const InOrder& in_order) const {
        const distance pairs = size_ - 1, at_once = std::min(pairs, serial_limit);
        for (distance i = 0; i < at_once; ++i)
            if (!in_order(first_ + i))
                return false;
        if (at_once == pairs)
            return true;
        constexpr distance chunk = 256;  // elements between two looks at the flag
        std::atomic<bool> broken{false};
        // relaxed: the value counts after the join; before that it only ends the search early.
        bough::parallel_for(blocked_range<distance>(at_once, pairs, chunk),
                            [&](const blocked_range<distance>& piece) {
                                for (distance i = piece.begin();
                                     i < piece.end() && !broken.load(std::memory_order_relaxed); i += chunk)
                                    if (!are_in_order(i, std::min(piece.end(), i + chunk), in_order))
                                        broken.store(true, std::memory_order_relaxed);
                            });
        return !broken.load(std::memory_order_relaxed);
    }

    // Without branches, so that the compiler can vectorise it.
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

    // Sorts the halves as fork-join calls. Parts that are as large as the shares of several threads are partitioned by
    // so many threads.
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
// more than O(threads) memory. Elements are moved and swapped, so they may be move-only. Neighbours must be separate
// objects (no vector<bool>). Throws what the comparator throws, nesting_too_deep and std::bad_alloc; then the range
// holds the same elements in some order. The same holds if the loop or task around the sort is cancelled. Thread-safe,
// may be nested.
template <class It, class Compare>
void parallel_sort(It begin, It end, const Compare& comp) {
    detail::parallel_sorter<It, Compare>(begin, end, comp).run();
}
// The same, by std::less.
template <class It>
void parallel_sort(It begin, It end) {
    bough::parallel_sort(begin, end, std::less<typename std::iterator_traits<It>::value_type>());
}
// The same for a container or an array.
template <class Container, class Compare>
void parallel_sort(Container&& items, const Compare& comp) {
    bough::parallel_sort(std::begin(items), std::end(items), comp);
}
template <class Container>
void parallel_sort(Container&& items) {
    bough::parallel_sort(std::begin(items), std::end(items));
}

}  // namespace bough
