#pragma once
// Reduces an index range as a tree over even leaves, whose number is a power of two: the automatic grain of
// parallel_deterministic_reduce. A thread folds nodes in the order in which a binary counter carries, without recursion
// and without splitting: 3 ns a leaf. Splitting down from the root takes 10 ns a leaf.

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "folded_nodes.h"
#include "loop_job.h"
#include "range_cut.h"
#include "range_levels.h"

namespace bough::detail {

// The bodies of the right siblings on the way to a leaf: one for each bit of the leaf's number.
template <class Body>
class body_stack {
public:
    body_stack() = default;
    body_stack(const body_stack&) = delete;
    body_stack& operator=(const body_stack&) = delete;
    ~body_stack() {
        while (size_ != 0)
            pop();
    }

    template <class Split>
    Body& push(Body& root, Split tag) {
        Body* fresh = new (place(size_)) Body(root, tag);
        ++size_;
        return *fresh;
    }
    void pop() { at(--size_).~Body(); }
    Body& top() { return at(size_ - 1); }
    // The body below the top; below the last one lies `bottom`.
    Body& below_top(Body& bottom) { return size_ == 1 ? bottom : at(size_ - 2); }

private:
    static constexpr unsigned depth = 33;  // automatic_levels(64), and one more

    struct room {
        alignas(Body) std::byte bytes[sizeof(Body)];
    };
    // Large bodies lie on the heap, each from its first use on: histograms would use up the stack.
    static constexpr bool in_place = sizeof(room) * depth <= 16384;

    void* place(unsigned i) {
        if constexpr (in_place) {
            return rooms_[i].bytes;
        } else {
            if (!rooms_[i])
                rooms_[i].reset(new room);
            return rooms_[i]->bytes;
        }
    }
    Body& at(unsigned i) { return *std::launder(static_cast<Body*>(place(i))); }

    std::conditional_t<in_place, room, std::unique_ptr<room>> rooms_[depth];
    unsigned size_ = 0;
};

template <class Range, class Body>
struct even_fold_job : loop_job {
    even_fold_job(const Range& whole, Body& b, task_group_context* ctx)
        : cut(whole, leaves_of(whole)), root(b), folded(b) {
        run = [](loop_job& job, void* accumulator, unit first, unit last) {
            auto& self = static_cast<even_fold_job&>(job);
            self.fold(self.folded.of(accumulator), first, last);
        };
        fork = [](loop_job& job, unit first) {
            return static_cast<even_fold_job&>(job).folded.take_over(first);
        };
        units = cut.units();
        site = &site_of<even_fold_job>::value;
        context = ctx;
    }

    void finish() { folded.finish(units); }

private:
    using halves = typename split_tags<Range>::halves;

    static unit leaves_of(const Range& range) {
        const unit grains = index_cut<Range>(range, ~unit{0}).units();
        unsigned levels = 0;
        while (grains >> levels > 1)
            ++levels;
        return unit{1} << automatic_levels(levels);
    }

    // The largest node that begins at `first` and ends at or before `last`.
    static unit size_of_node(unit first, unit last) {
        unit size = 1;
        while ((first & size) == 0 && size <= (last - first) / 2)
            size *= 2;
        return size;
    }

    void fold(folded_interval<Body>& mine, unit first, unit last) {
        while (first != last) {
            const unit size = size_of_node(first, last);
            fold_node(mine.add(first, first + size, halves()), first, size);
            first += size;
            // Joins siblings. One of them may come from an earlier batch.
            for (unit width = size; (first & width) == 0 && first - mine.first >= 2 * width; width *= 2)
                mine.join_last_two();
        }
    }

    void fold_node(Body& body, unit first, unit size) {
        body_stack<Body> right;
        unit leaf = 0;
        cut.visit(delivery::single, first, first + size, [&](Range& piece) {
            if (leaf == 0)
                body(piece);
            else
                right.push(root, halves())(piece);
            for (unit bits = leaf++; bits & 1; bits >>= 1) {
                right.below_top(body).join(right.top());
                right.pop();
            }
            return true;
        });
    }

    index_cut<Range> cut;
    Body& root;
    folded_loop<Body> folded;
};

}  // namespace bough::detail
