#pragma once
// Reduces a range as the tree that its splitting constructors make. Each leaf has a body of its own, and each inner
// node joins its two children. For parallel_deterministic_reduce.

#include <cstddef>
#include <type_traits>

#include "../partitioner.h"
#include "folded_nodes.h"
#include "loop_job.h"
#include "range_cut.h"
#include "range_levels.h"

namespace bough::detail {

// What a partitioner says about the tree: how many units it has, whether a unit is split further, and how ranges are
// split.
template <class Partitioner>
struct tree_plan;

template <>
struct tree_plan<auto_partitioner> {
    static constexpr balance mode = balance::adaptive;
    static constexpr bool down_to_the_grain = false;
    static constexpr bool in_proportion = false;
    template <class Range>
    static unit units(const Range& range) {
        return unit{1} << automatic_levels(levels_of(range, 2 * tree_cut<Range>::max_depth));
    }
};

// Adaptive too: threads claim leaves in batches, but each leaf is a call of its own.
template <>
struct tree_plan<simple_partitioner> {
    static constexpr balance mode = balance::adaptive;
    static constexpr bool down_to_the_grain = true;
    static constexpr bool in_proportion = false;
    template <class Range>
    static unit units(const Range& range) {
        return unit{1} << levels_of(range, tree_cut<Range>::max_depth);
    }
};

template <>
struct tree_plan<static_partitioner> {
    static constexpr balance mode = balance::fixed;
    static constexpr bool down_to_the_grain = false;
    static constexpr bool in_proportion = true;
    template <class Range>
    static unit units(const Range&) {
        return concurrency();
    }
};

template <class Range, class Body, class Partitioner>
struct tree_fold_job : loop_job {
    using plan = tree_plan<Partitioner>;

    tree_fold_job(const Range& whole, Body& b, task_group_context* ctx) : range(whole), root(b), folded(b) {
        run = [](loop_job& job, void* accumulator, unit first, unit last) {
            auto& self = static_cast<tree_fold_job&>(job);
            Range whole_range(self.range);
            self.descend(self.folded.of(accumulator), whole_range, 0, self.units, first, last);
        };
        fork = [](loop_job& job, unit first) {
            return static_cast<tree_fold_job&>(job).folded.take_over(first);
        };
        units = whole.empty() ? 0 : plan::units(whole);
        site = &site_of<tree_fold_job>::value;
        context = ctx;
        mode = plan::mode;
    }

    void finish() { folded.finish(units); }

private:
    using halves = typename split_tags<Range>::halves;
    using proportional = typename split_tags<Range>::proportional;

    static Range split_off(Range& whole, unit left, unit right) {
        if constexpr (plan::in_proportion && std::is_constructible_v<Range, Range&, proportional&>) {
            proportional share(static_cast<std::size_t>(left), static_cast<std::size_t>(right));
            return Range(whole, share);
        } else {
            return Range(whole, halves());
        }
    }

    // A node that cannot be split belongs to its first unit.
    static bool is_leaf(const Range& r, unit lo, unit hi) { return hi - lo == 1 || !r.is_divisible(); }

    // Folds the units of [first, last) that lie in node [lo, hi), whose range is r. False: the job was stopped, and
    // nothing more is to be joined.
    bool descend(folded_interval<Body>& mine, Range& r, unit lo, unit hi, unit first, unit last) {
        const bool leaf = is_leaf(r, lo, hi);
        if (first <= lo && (leaf ? lo < last : hi <= last))
            return fold(mine.add(lo, hi, halves()), r, lo, hi);
        if (leaf)
            return true;
        const unit mid = middle(lo, hi);
        Range right = split_off(r, mid - lo, hi - mid);
        if ((first < mid && !descend(mine, r, lo, mid, first, last)) ||
            (mid < last && !descend(mine, right, mid, hi, first, last)))
            return false;
        if (mine.first <= lo && hi <= last)  // the node may have begun in an earlier batch
            mine.join_last_two();
        return true;
    }

    bool fold(Body& body, Range& r, unit lo, unit hi) {
        if (is_leaf(r, lo, hi))
            return fold_unit(body, r);
        const unit mid = middle(lo, hi);
        Range right = split_off(r, mid - lo, hi - mid);
        if (!fold(body, r, lo, mid))
            return false;
        Body other(root, halves());
        if (!fold(other, right, mid, hi))
            return false;
        body.join(other);
        return true;
    }

    bool fold_unit(Body& body, Range& r) {
        if (node.is_stopped())
            return false;
        if constexpr (plan::down_to_the_grain) {
            if (r.is_divisible()) {
                Range right(r, halves());
                if (!fold_unit(body, r))
                    return false;
                Body other(root, halves());
                if (!fold_unit(other, right))
                    return false;
                body.join(other);
                return true;
            }
        }
        body(r);
        return true;
    }

    const Range& range;
    Body& root;
    folded_loop<Body> folded;
};

}  // namespace bough::detail
