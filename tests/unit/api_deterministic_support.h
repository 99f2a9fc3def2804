#pragma once
// parallel_deterministic_reduce with trailing arguments that are chosen at run time: a test is compiled once, not once
// for each of the eight combinations.

#include "unit/api_erased.h"

#include <bough/parallel_deterministic_reduce.h>

namespace bough_test {

using indices = bough::blocked_range<int>;

class tail {
public:
    enum partitioner { none, automatic, simple, fixed };
    explicit tail(partitioner p, bool context = false) : partitioner_(p), has_context_(context) {}

    // Calls run(arguments...).
    template <class Run>
    void choose(Run&& run) {
        switch (partitioner_) {
        case none:
            return has_context_ ? run(context_) : run();
        case automatic:
            return with(run, bough::auto_partitioner());
        case simple:
            return with(run, bough::simple_partitioner());
        case fixed:
            return with(run, bough::static_partitioner());
        }
    }
    bool has_context() const { return has_context_; }
    bough::task_group_context& context() { return context_; }

private:
    template <class Run, class Partitioner>
    void with(Run& run, const Partitioner& p) {
        has_context_ ? run(p, context_) : run(p);
    }

    const partitioner partitioner_;
    const bool has_context_;
    bough::task_group_context context_;
};

inline void for_each_tail(body_ref<void(tail&)> test) {
    for (const bool context : {false, true}) {
        for (const auto p : {tail::none, tail::automatic, tail::simple, tail::fixed}) {
            tail t(p, context);
            test(t);
        }
    }
}

template <class Range, class Body>
void reduce_into(const Range& range, Body& body, tail& t) {
    t.choose([&](auto&&... arguments) { bough::parallel_deterministic_reduce(range, body, arguments...); });
}

template <class Range, class Leaf, class Node, class Value>
Value reduce(const Range& range, const Value& identity, const Leaf& leaf, const Node& node, tail& t) {
    Value result = identity;
    t.choose([&](auto&&... arguments) {
        result = bough::parallel_deterministic_reduce(range, identity, leaf, node, arguments...);
    });
    return result;
}

}  // namespace bough_test
