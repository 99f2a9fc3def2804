#pragma once
// A quick sort for one thread, whose steps parallel_sort uses too. The sort only swaps elements, or takes one element
// out and puts it back. So if the comparator throws, the range holds the same elements in some order. Every scan is
// bounded: with a comparator that is no order (NaNs) the result is not in order, but no memory outside the range is
// touched. After McGeoch and Tygar (samples that grow with the range), Peters (pdqsort: equal elements, limits to bad
// pivots) and Lomuto (the partition).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <type_traits>
#include <utility>

namespace bough::detail {

template <class It>
using value_of = typename std::iterator_traits<It>::value_type;
template <class It>
using distance_of = typename std::iterator_traits<It>::difference_type;

// Elements of one or two words: the sort copies them, and does not swap them, in a partition without branches.
template <class It>
inline constexpr bool is_cheap =
    std::is_trivially_copyable_v<value_of<It>> && sizeof(value_of<It>) <= 2 * sizeof(void*) &&
    std::is_same_v<typename std::iterator_traits<It>::reference, value_of<It>&>;

// An element that was taken out of the range. The sort may move the gap that the element left. The destructor puts the
// element into the gap, also when an exception is on its way. If that throws, the destructor throws this exception,
// unless another one is on its way already.
template <class It>
struct taken_out {
    explicit taken_out(It from) : gap(from), value(std::move(*from)) {}
    ~taken_out() noexcept(can_be_put_back) {
        if constexpr (can_be_put_back) {
            *gap = std::move(value);
        } else {
            try {
                *gap = std::move(value);
            } catch (...) {
                if (std::uncaught_exceptions() == exceptions_before)
                    throw;
            }
        }
    }
    taken_out(const taken_out&) = delete;
    taken_out& operator=(const taken_out&) = delete;

    static constexpr bool can_be_put_back =
        std::is_nothrow_assignable_v<decltype(*std::declval<It>()), value_of<It>&&>;

    It gap;
    value_of<It> value;
    const int exceptions_before = can_be_put_back ? 0 : std::uncaught_exceptions();
};

// Lomuto's partition, as a cycle of moves through one gap. The element at `it` always moves to the boundary. The
// boundary then moves on if the element belongs to the left. No branch depends on the elements.
template <class It, class GoesLeft>
It partition_without_branches(It first, It last, const GoesLeft& goes_left) {
    if (first == last)
        return first;
    It boundary = first;
    const bool first_goes_left = goes_left(*first);
    {
        taken_out<It> hand(first);
        for (It it = first + 1; it != last; ++it) {
            const bool left = goes_left(*it);
            *hand.gap = *boundary;
            *boundary = *it;
            hand.gap = it;
            boundary += left;
        }
        *hand.gap = *boundary;
        hand.gap = boundary;
    }
    return boundary + first_goes_left;
}

// Puts the elements for which goes_left holds first. Returns where the others begin.
struct sequential_partition {
    template <class It, class GoesLeft>
    It operator()(It first, It last, const GoesLeft& goes_left) const {
        if constexpr (is_cheap<It>)
            return partition_without_branches(first, last, goes_left);
        else
            return std::partition(first, last, [&](const auto& x) -> bool { return goes_left(x); });
    }
};

template <class It, class Compare>
class quick_sort {
public:
    using distance = distance_of<It>;

    explicit quick_sort(const Compare& comp) : comp_(comp) {}

    // A part of the range that is to be sorted.
    struct part {
        It first, last;
        bool is_leftmost;   // else the element before the part is not greater than any in it
        unsigned patience;  // how many more bad pivots are allowed

        distance size() const { return last - first; }
    };
    static part whole(It first, It last) {
        unsigned log2 = 0;
        for (distance n = last - first; n > 1; n /= 2)
            ++log2;
        return {first, last, true, log2};
    }

    // O(n log n), in place.
    void sort(part p) const {
        while (p.size() > insertion_limit) {
            if (p.patience == 0)
                return heap_sort(p.first, p.size());
            const auto [left, right] = split(p, sequential_partition());
            sort(left);
            p = right;
        }
        insertion_sort(p.first, p.last);
    }

    // Returns the parts to the left and right of the elements that are in their final places now. If these are the
    // elements equal to the one before p, the left part is empty.
    template <class Partition>
    std::pair<part, part> split(const part& p, const Partition& partition) const {
        std::iter_swap(p.first, sampled_median(p.first, p.size()));
        pivot_of pivot = *p.first;
        const It rest = p.first + 1;
        if (!p.is_leftmost && !comp_(*(p.first - 1), pivot)) {
            const It greater =
                partition(rest, p.last, [&](const auto& x) -> bool { return !comp_(pivot, x); });
            return {{p.first, p.first, false, p.patience}, {greater, p.last, false, p.patience}};
        }
        const It place = partition(rest, p.last, [&](const auto& x) -> bool { return comp_(x, pivot); }) - 1;
        std::iter_swap(p.first, place);
        const bool was_bad = std::min(place - p.first, p.last - place) < p.size() / 8;
        const unsigned patience = p.patience - (was_bad ? 1 : 0);
        return {{p.first, place, p.is_leftmost, patience}, {place + 1, p.last, false, patience}};
    }

private:
    // Measured on doubles, ints, pairs and strings: the best of 16, 24, 32 and 48, which lie within 10 % of each other.
    static constexpr distance insertion_limit = 32;
    using pivot_of =
        std::conditional_t<is_cheap<It>, const value_of<It>, typename std::iterator_traits<It>::reference>;

    It median_of_three(It a, It b, It c) const {
        if (comp_(*b, *a))
            std::swap(a, b);
        return comp_(*c, *b) ? (comp_(*c, *a) ? a : c) : b;
    }

    // The median of medians of medians ... of three, from about n^0.4 elements: one random element of each interval.
    It sampled_median(It first, distance n) const {
        unsigned levels = 1;
        for (distance m = n / 1024; m > 0; m /= 16)
            ++levels;
        std::uint64_t seed = static_cast<std::uint64_t>(n);
        return sampled_median(first, n, levels, seed);
    }
    It sampled_median(It first, distance n, unsigned levels, std::uint64_t& seed) const {
        if (levels == 0) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;  // Knuth's MMIX
            return first + static_cast<distance>((seed >> 33) % static_cast<std::uint64_t>(n));
        }
        const distance third = n / 3;
        const It a = sampled_median(first, third, levels - 1, seed);
        const It b = sampled_median(first + third, third, levels - 1, seed);
        const It c = sampled_median(first + 2 * third, third, levels - 1, seed);
        return median_of_three(a, b, c);
    }

    void insertion_sort(It first, It last) const {
        if (first == last)
            return;
        for (It it = first + 1; it != last; ++it) {
            if (!comp_(*it, *(it - 1)))
                continue;
            taken_out<It> hand(it);
            do {
                *hand.gap = std::move(*(hand.gap - 1));
                --hand.gap;
            } while (hand.gap != first && comp_(hand.value, *(hand.gap - 1)));
        }
    }

    void sift_down(It heap, distance parent, distance n) const {
        for (distance child; (child = 2 * parent + 1) < n; parent = child) {
            if (child + 1 < n && comp_(heap[child], heap[child + 1]))
                ++child;
            if (!comp_(heap[parent], heap[child]))
                return;
            std::iter_swap(heap + parent, heap + child);
        }
    }
    void heap_sort(It first, distance n) const {
        for (distance parent = n / 2; parent-- > 0;)
            sift_down(first, parent, n);
        while (n-- > 1) {
            std::iter_swap(first, first + n);
            sift_down(first, 0, n);
        }
    }

    const Compare& comp_;
};

}  // namespace bough::detail
