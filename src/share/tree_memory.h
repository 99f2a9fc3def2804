#pragma once
// Does it pay to hand the first tasks of a tree to idle workers, or is the tree over before they have begun? Measured
// both ways, call to return, for trees that are alike: an estimate of the tasks alone misleads where they wait for each
// other. All values are hints: a wrong one costs time, never progress, as the watcher takes what lies for long.

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
        const float kept = kept_.load(std::memory_order_relaxed),
                    handed = handed_.load(std::memory_order_relaxed);
        if (kept == 0 || handed == 0)
            return handed == 0;
        const bool clearly = 2 * kept < handed || 2 * handed < kept;
        const bool try_other = prediction::is_turn(trees, clearly ? 1024 : 64);
        return (handed < kept) != try_other;
    }

    // A read of the clock costs as much as a short tree: most are not measured.
    bool is_to_be_measured(std::uint32_t trees) const {
        return kept_.load(std::memory_order_relaxed) == 0 || handed_.load(std::memory_order_relaxed) == 0 ||
               prediction::is_turn(trees, 8);
    }

    void learn(bool handed, machine::ticks took) {
        std::atomic<float>& value = handed ? handed_ : kept_;
        const auto seen = static_cast<float>(took);
        const float old = value.load(std::memory_order_relaxed);
        // Down fast, up slowly: interrupts and cold caches only ever make a tree look longer.
        const float weight = old == 0 ? 1.0f : seen < old ? 0.5f : 0.125f;
        value.store(old + (seen - old) * weight, std::memory_order_relaxed);
    }

private:
    static constexpr std::size_t count = 256;

    std::atomic<float> kept_{0};    // ticks of a tree of which nothing was handed out
    std::atomic<float> handed_{0};  // and of one of which something was

    static tree_memory all[count];
};

inline constinit tree_memory tree_memory::all[tree_memory::count];

}  // namespace bough
