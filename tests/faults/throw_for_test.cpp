// parallel_for and parallel_for_each, thrown out of everywhere.

#include "faults/matrix.h"

namespace {

using namespace throwing;
using bough::task_group_context;

// With the context, if there is one.
template <class Call>
void with(task_group_context* context, const Call& call) {
    if (context)
        call(*context);
    else
        call();
}

struct for_body : copied {
    explicit for_body(experiment& e) : copied(e) {}
    template <class Range>
    void operator()(const Range& r) const {
        of().pass(place::call);
        for (std::size_t i = r.begin(); i < r.end(); ++i)
            of().visit(i);
    }
};

template <class Partitioner>
bool over_own_range(experiment& e, task_group_context* context) {
    const range whole(e, 0, experiment::elements);
    const for_body body(e);
    Partitioner partitioner;
    with(context, [&](auto&... c) { bough::parallel_for(whole, body, partitioner, c...); });
    return true;
}

template <class Partitioner>
bool over_indices(experiment& e, task_group_context* context) {
    const bough::blocked_range<std::size_t> whole(0, experiment::elements, 5);
    const for_body body(e);
    Partitioner partitioner;
    with(context, [&](auto&... c) { bough::parallel_for(whole, body, partitioner, c...); });
    return true;
}

// Twice with one partitioner: the second time chunks go back to their threads.
bool again_with_affinity(experiment& e, task_group_context* context) {
    bough::affinity_partitioner partitioner;
    for (const std::size_t half : {std::size_t{0}, experiment::elements / 2})
        with(context, [&](auto&... c) {
            bough::parallel_for(
                half, half + experiment::elements / 2,
                [&](std::size_t i) {
                    e.pass(place::call);
                    e.visit(i);
                    bough_test::work_a_little(4000);
                },
                partitioner, c...);
        });
    return true;
}

bool nested(experiment& e, task_group_context* context) {
    with(context, [&](auto&... c) {
        bough::parallel_for(
            0u, 8u,
            [&](unsigned i) {
                bough::parallel_for(0u, 12u, [&](unsigned j) {
                    e.pass(place::call);
                    e.visit(i * 12 + j);
                });
            },
            c...);
    });
    return true;
}

const std::vector<place> of_a_range{place::call, place::range_copy, place::range_split, place::range_empty,
                                    place::range_divisible};

TEST(throws, parallel_for) {
    try_all({"for, auto, own range", over_own_range<bough::auto_partitioner>, true, of_a_range});
    try_all({"for, simple, own range", over_own_range<bough::simple_partitioner>, true, of_a_range});
    try_all({"for, static, own range",
             over_own_range<bough::static_partitioner>,
             true,
             {place::call, place::range_empty}});
    try_all({"for, affinity, own range", over_own_range<bough::affinity_partitioner>, true, of_a_range});
    try_all({"for, auto, indices", over_indices<bough::auto_partitioner>, true, {place::call}});
    try_all({"for, static, indices", over_indices<bough::static_partitioner>, true, {place::call}});
    try_all({"for, affinity, twice", again_with_affinity, true, {place::call}});
    try_all({"for, nested", nested, true, {place::call}});
}

// ---- parallel_for_each

using item = counting_iterator<std::input_iterator_tag>::item;

struct each_body : copied {
    explicit each_body(experiment& e) : copied(e) {}
    template <class Item>
    void operator()(const Item& i) const {
        of().pass(place::call);
        of().visit(i.number);
    }
};

template <class Category>
bool each(experiment& e, task_group_context* context) {
    const counting_iterator<Category> first(e, 0), last(e, experiment::elements);
    const each_body body(e);
    with(context, [&](auto&... c) { bough::parallel_for_each(first, last, body, c...); });
    return true;
}

// Each of the first items adds those that have the same remainder.
template <class Category>
bool each_and_more(experiment& e, task_group_context* context) {
    using iterator = counting_iterator<Category>;
    using value = typename iterator::item;
    constexpr std::size_t given = 8;
    const iterator first(e, 0), last(e, given);
    const auto body = [&e](const value& i, bough::feeder<value>& more) {
        e.pass(place::call);
        e.visit(i.number);
        if (i.number + given < experiment::elements)
            more.add(value(e, i.number + given));
    };
    with(context, [&](auto&... c) { bough::parallel_for_each(first, last, body, c...); });
    return true;
}

TEST(throws, parallel_for_each) {
    const std::vector<place> of_iterators{place::call, place::dereference, place::increment, place::compare};
    std::vector<place> of_items = of_iterators;
    of_items.push_back(place::item_copy);
    try_all({"for_each, random access", each<std::random_access_iterator_tag>, true, of_iterators});
    try_all({"for_each, forward", each<std::forward_iterator_tag>, true, of_iterators});
    try_all({"for_each, input", each<std::input_iterator_tag>, true, of_iterators});
    try_all(
        {"for_each, feeder, random access", each_and_more<std::random_access_iterator_tag>, true, of_items});
    try_all({"for_each, feeder, forward", each_and_more<std::forward_iterator_tag>, true, of_items});
    try_all({"for_each, feeder, input", each_and_more<std::input_iterator_tag>, true, of_items});
}

}  // namespace
