#pragma once
// Does it pay to hand the first tasks of a tree to idle workers, or is the tree over before they have begun? Both ways
// are measured, from call to return, for trees that are alike. An estimate of the tasks alone would mislead where tasks
// wait for each other. All values are hints: a wrong one costs time, never progress, as the watcher takes tasks that
// lie for long.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "bough/detail/estimate.h"
#include "machine/clock.h"
#include "share/prediction.h"

namespace bough {

class tree_memory {
public:
    // `kind`: an address that all trees of a kind have in common. Kinds that find no place of their own share one.
    static tree_memory& of(const void* kind) {
        const std::size_t home = place_of(kind);
        for (std::size_t i = 0; i < probes; ++i) {
            tree_memory& m = all[(home + i) % count];
            const void* owner = m.kind_.load(std::memory_order_relaxed);
            // relaxed: what the entry holds is atomic, and any thread may have written it.
            if (owner == kind ||
                (!owner &&
                 (m.kind_.compare_exchange_strong(owner, kind, std::memory_order_relaxed) || owner == kind)))
                return m;
        }
        return all[home];
    }

    // `trees`: how many trees and loops this slot has judged. By it the slower way is tried now and then, twice in a
    // row: a tree that is kept right after one that was handed off finds the worker awake.
    bool choose_handing_out(std::uint32_t trees) const {
        if (handed_.is_new())
            return true;  // a bounded bet: a few letters at most, against a tree of unknown length
        const std::uint32_t pair = trees / 2;
        if (!kept_.is_settled() || !handed_.is_settled())
            return pair % 2 != 0;
        const float kept = kept_.value(), handed = handed_.value();
        const bool clearly = 2 * kept < handed || 2 * handed < kept;
        const bool try_other = prediction::is_turn(pair, clearly ? 512 : 64);
        return (handed < kept) != try_other;
    }

    // A read of the clock costs as much as a short tree, so most trees are not measured.
    bool is_to_be_measured(std::uint32_t trees) const {
        return !kept_.is_settled() || !handed_.is_settled() || prediction::is_turn(trees / 2, 8);
    }

    void learn(bool handed, machine::ticks took) { (handed ? handed_ : kept_).add(static_cast<float>(took)); }

private:
    static constexpr std::size_t bits = 10, count = 1 << bits, probes = 4;

    static std::size_t place_of(const void* kind) {
        const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(kind));
        return static_cast<std::size_t>(address * 0x9E3779B97F4A7C15u >>
                                        (64 - bits));  // multiples of the golden ratio
    }

    std::atomic<const void*> kind_{nullptr};
    detail::estimate kept_;    // of trees of which nothing was handed off
    detail::estimate handed_;  // of trees of which something was

    static tree_memory all[count];
};

inline constinit tree_memory tree_memory::all[tree_memory::count];

// One tree, from where it is judged to its end; then the next one of the same thread.
class tree_trial {
public:
    // True: the tree's tasks are to be handed out. `trees` as in tree_memory.
    bool begin(tree_memory& m, std::uint32_t trees) {
        handed_ = m.choose_handing_out(trees);
        kept_in_a_row_ = handed_ ? 0 : std::min(kept_in_a_row_ + 1u, most_unjudged);
        memory_ = m.is_to_be_measured(trees) ? &m : nullptr;
        unjudged_ = memory_ ? 0 : kept_in_a_row_;
        if (memory_)
            began_ = machine::now();
        return handed_;
    }
    void end() {
        if (tree_memory* const m = std::exchange(memory_, nullptr))
            m->learn(handed_, machine::now() - began_);
    }
    // No tree can be handed out here: there is no other slot.
    void take_all_as_short() { unjudged_ = ~0U; }
    // Asked before each tree. True: the tree is taken to be as short as those before it. Judging costs a third of the
    // shortest tree.
    bool takes_as_short() { return unjudged_ != 0 && unjudged_-- != 0; }

private:
    static constexpr std::uint32_t most_unjudged = 15;

    tree_memory* memory_ = nullptr;  // null: not measured
    machine::ticks began_ = 0;
    bool handed_ = false;
    std::uint32_t kept_in_a_row_ = 0;
    std::uint32_t unjudged_ = 0;  // so many trees to come
};

}  // namespace bough
