#pragma once
// Several threads partition a range in place, after Tsigas and Zhang (2003). Each thread claims blocks from both ends
// and partitions them. It swaps the elements on the wrong side of a left block with those of a right block. A block
// without such elements is done, and the thread claims another one. In the end each thread has at most one unfinished
// block. The caller brings these to the middle, and partitions the middle. O(n / threads + threads * block) time.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "../config.h"
#include "../parallel_for.h"
#include "quick_sort.h"

namespace bough::detail {

template <class It, class GoesLeft>
class parallel_partition {
public:
    using distance = distance_of<It>;

    // 16 KiB: the elements that are swapped are still in the L1 cache. A block takes much longer than the two contended
    // increments that claim it.
    static constexpr distance block =
        std::max<distance>(64, static_cast<distance>(16384 / sizeof(value_of<It>)));

    parallel_partition(It first, It last, const GoesLeft& goes_left)
        : first_(first), last_(last), goes_left_(goes_left), blocks_((last - first) / block) {}

    // Returns where the elements begin for which goes_left does not hold. Up to `workers` threads take part.
    It run(unsigned workers) {
        std::vector<piece> unfinished(workers);
        bough::parallel_for(0u, workers, [&](unsigned w) { unfinished[w] = work(); }, simple_partitioner());
        return finish(unfinished);
    }

private:
    struct piece {
        It first{}, last{};
        distance size() const { return last - first; }
    };

    // May the thread claim one more block, from either end? relaxed: the loop's join publishes what threads did to the
    // blocks.
    bool may_claim() { return claimed_.fetch_add(1, std::memory_order_relaxed) < blocks_; }

    // Claims blocks until one has elements on the wrong side, and returns these elements. Empty: no block is left.
    piece next_left() {
        while (may_claim()) {
            const It b = first_ + left_.fetch_add(1, std::memory_order_relaxed) * block;
            const piece wrong{sequential_partition()(b, b + block, goes_left_), b + block};
            if (wrong.size() != 0)
                return wrong;
        }
        return {};
    }
    piece next_right() {
        while (may_claim()) {
            const It e = last_ - right_.fetch_add(1, std::memory_order_relaxed) * block;
            const piece wrong{e - block, sequential_partition()(e - block, e, goes_left_)};
            if (wrong.size() != 0)
                return wrong;
        }
        return {};
    }

    // Returns the elements that are still on the wrong side of the thread's last block.
    piece work() {
        piece left, right;
        for (;;) {
            if (left.size() == 0 && (left = next_left()).size() == 0)
                return right;
            if (right.size() == 0 && (right = next_right()).size() == 0)
                return left;
            const distance n = std::min(left.size(), right.size());
            std::swap_ranges(left.first, left.first + n, right.last - n);
            left.first += n;
            right.last -= n;
        }
    }

    // Brings unfinished pieces to the middle, those nearest to the middle first: each changes places with elements that
    // are done. Partitions the middle.
    It finish(std::vector<piece>& unfinished) {
        It middle_first = first_ + left_.load(std::memory_order_relaxed) * block;
        It middle_last = last_ - right_.load(std::memory_order_relaxed) * block;
        const auto end = std::remove_if(unfinished.begin(), unfinished.end(),
                                        [](const piece& p) { return p.size() == 0; });
        std::sort(unfinished.begin(), end, [](const piece& a, const piece& b) { return a.first < b.first; });
        const auto left_end = std::partition_point(unfinished.begin(), end,
                                                   [&](const piece& p) { return p.first < middle_first; });
        for (auto p = left_end; p != unfinished.begin();) {
            --p;
            const distance n = std::min(p->size(), middle_first - p->last);
            std::swap_ranges(p->first, p->first + n, middle_first - n);
            middle_first -= p->size();
        }
        for (auto p = left_end; p != end; ++p) {
            const distance n = std::min(p->size(), p->first - middle_last);
            std::swap_ranges(p->last - n, p->last, middle_last);
            middle_last += p->size();
        }
        return sequential_partition()(middle_first, middle_last, goes_left_);
    }

    const It first_, last_;
    const GoesLeft& goes_left_;
    const distance blocks_;
    alignas(cache_line) std::atomic<distance> claimed_{0};
    std::atomic<distance> left_{0}, right_{0};
};

}  // namespace bough::detail
