#pragma once
// Does it pay to hand the first tasks of a tree to idle workers, or is the tree over before they have begun? Measured
// both ways, call to return, for trees that are alike: an estimate of the tasks alone misleads where they wait for each
// other. All values are hints: a wrong one costs time, never progress, as the watcher takes what lies for long.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "machine/clock.h"
#include "share/prediction.h"

namespace bough {

class tree_memory {
public:
    // `kind`: the address of something that trees which are alike share. Kinds that collide share a memory.
    static tree_memory& of(const void* kind) {
        const auto bits = reinterpret_cast<std::uintptr_t>(kind);
        return all[(bits >> 4 ^ bits >> 12) % count];
    }

    // `trees`: number of trees that this thread has run; every so often the way not taken is tried.
    bool choose_handing_out(std::uint32_t trees) const {
        if (!kept_.is_settled() || !handed_.is_settled())
            return trees % 2 != 0;
        const float kept = kept_.ticks(), handed = handed_.ticks();
        const bool clearly = 2 * kept < handed || 2 * handed < kept;
        const bool try_other = prediction::is_turn(trees, clearly ? 512 : 64);
        return (handed < kept) != try_other;
    }

    // A read of the clock costs as much as a short tree: most are not measured.
    bool is_to_be_measured(std::uint32_t trees) const {
        return !kept_.is_settled() || !handed_.is_settled() || prediction::is_turn(trees, 8);
    }

    void learn(bool handed, machine::ticks took) { (handed ? handed_ : kept_).add(static_cast<float>(took)); }

private:
    // The least of the first few, since the first ones start threads and fault pages in; then a mean, since a kept tree that
    // a thief happens to find at once is fast.
    class estimate {
    public:
        float ticks() const { return ticks_.load(std::memory_order_relaxed); }
        bool is_settled() const { return seen_.load(std::memory_order_relaxed) >= first_few; }
        void add(float took) {
            const float old = ticks();
            const std::uint32_t n = seen_.load(std::memory_order_relaxed);
            if (n < first_few) {
                ticks_.store(n == 0 ? took : std::min(old, took), std::memory_order_relaxed);
                seen_.store(n + 1, std::memory_order_relaxed);
            } else {  // an interrupt counts as little more than a slow tree
                ticks_.store(old + (std::min(took, 4 * old) - old) / 8, std::memory_order_relaxed);
            }
        }

    private:
        static constexpr std::uint32_t first_few = 8;
        std::atomic<float> ticks_{0};
        std::atomic<std::uint32_t> seen_{0};
    };

    static constexpr std::size_t count = 256;

    estimate kept_;    // of which nothing was handed out
    estimate handed_;  // of which something was

    static tree_memory all[count];
};

inline constinit tree_memory tree_memory::all[tree_memory::count];

}  // namespace bough
