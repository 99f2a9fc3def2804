#pragma once
// parallel_for_each over ranges of any kind, with a feeder for items that bodies add. Blocks until every item has been
// run. Thread-safe, may be nested.
//
// Throws the first exception of a body, an iterator or an item's copy, after the rest of the call was cancelled, and
// its context if there is one. Throws nesting_too_deep. Throws std::bad_alloc, also after some items have run. A
// cancelled call leaves out the items that have not begun, and returns; with random access iterators it leaves out the
// pieces of the loop that have not begun.

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>

#include "blocked_range.h"
#include "context.h"
#include "detail/for_each_blocks.h"
#include "detail/for_each_body.h"
#include "feeder.h"
#include "parallel_for.h"
#include "partitioner.h"
#include "task_group.h"

namespace bough {
namespace detail {

// The stronger of the two categories that C++17 and C++20 give an iterator.
template <class It, class = void>
struct concept_of {
    using type = std::input_iterator_tag;
};
template <class It>
struct concept_of<It, std::void_t<typename It::iterator_concept>> {
    using type = typename It::iterator_concept;
};
template <class It, class Tag>
inline constexpr bool is_category =
    std::is_base_of_v<Tag, typename std::iterator_traits<It>::iterator_category> ||
    std::is_base_of_v<Tag, typename concept_of<It>::type>;
template <class It>
using category_of =
    std::conditional_t<is_category<It, std::random_access_iterator_tag>, std::random_access_iterator_tag,
                       std::conditional_t<is_category<It, std::forward_iterator_tag>,
                                          std::forward_iterator_tag, std::input_iterator_tag>>;

// Calls call(*it) for each index of a piece.
template <class It, class Call>
struct each_item {
    It first;
    Call& call;
    void operator()(const blocked_range<std::size_t>& r) const {
        using distance = typename std::iterator_traits<It>::difference_type;
        const It base = first;
        for (std::size_t i = r.begin(), end = r.end(); i < end; ++i)
            call(*(base + static_cast<distance>(i)));
    }
};

template <class It, class Call>
void run_items(It first, It last, Call& call, task_group_context* context) {
    const blocked_range<std::size_t> all(0, static_cast<std::size_t>(last - first));
    const auto_partitioner partitioner;
    loop_over(all, each_item<It, Call>{first, call}, partitioner, context);
}

// Calls f with a group for which one call of parallel_for_each waits.
template <class F>
void run_in_group(task_group_context* context, const F& f) {
    if (!context) {
        task_group group;
        return f(group);
    }
    task_group group(*context);
    try {
        f(group);
    } catch (...) {
        context->cancel_group_execution();
        throw;
    }
}

// Feeder is the template that bodies take as their feeder. Category is an iterator tag: it says how the range is read.
template <template <class> class Feeder, class Category, class It, class Body>
void for_each(It first, It last, const Body& body, task_group_context* context) {
    constexpr bool is_random = std::is_same_v<Category, std::random_access_iterator_tag>;
    constexpr bool is_input = std::is_same_v<Category, std::input_iterator_tag>;
    using reference = typename std::iterator_traits<It>::reference;
    using item = item_of<Feeder, Body, typename std::iterator_traits<It>::value_type>;
    using fed = Feeder<item>;
    using argument = std::conditional_t<is_input, own_item<Body, item, fed, const item&>, reference>;
    constexpr bool feeds = takes_feeder<Body, argument, fed>;

    if (first == last)
        return;
    const auto run = [&](auto& call, task_group& group) {
        if constexpr (is_random) {
            group.run_and_wait([&] { run_items(first, last, call, nullptr); });
        } else {
            using kept = std::conditional_t<is_input, item, It>;
            const auto run_kept = [&](kept& k) {
                if constexpr (is_input)
                    call(static_cast<argument>(k));
                else
                    call(*k);
            };
            block_reader<is_input, It, kept, decltype(run_kept)> reader(std::move(first), std::move(last),
                                                                        run_kept, group);
            group.run_and_wait([&reader] { reader.run(); });
        }
    };
    if constexpr (feeds) {
        run_in_group(context, [&](task_group& group) {
            feeding_call<Feeder, Body, item> call(body, group);
            run(call, group);
        });
    } else {
        const plain_call<Body> call{body};
        if constexpr (is_random)
            run_items(first, last, call, context);
        else
            run_in_group(context, [&](task_group& group) { run(call, group); });
    }
}

}  // namespace detail

// Calls body(item) or body(item, feeder<Item>&) for every item of [first, last), concurrently, in no order. The body is
// called as const.
//
// With forward and random access iterators the body gets *it. Input iterators are read one after the other, possibly by
// several threads in turn. With them the body gets a copy: as an rvalue if it takes one, else as a const reference. It
// gets an item that a feeder was given as an rvalue if it takes one, else as a reference.
//
// Unless the iterators are random access, threads read items in advance, in blocks of at most 256, one block per
// thread. A thread that waits for the helpers of its block may read another block.
template <class It, class Body>
void parallel_for_each(It first, It last, const Body& body) {
    detail::for_each<feeder, detail::category_of<It>>(first, last, body, nullptr);
}
template <class It, class Body>
void parallel_for_each(It first, It last, const Body& body, task_group_context& context) {
    detail::for_each<feeder, detail::category_of<It>>(first, last, body, &context);
}

// The same for the items of a container or an array. Items of an rvalue are const.
template <class Items, class Body>
void parallel_for_each(Items& items, const Body& body) {
    bough::parallel_for_each(std::begin(items), std::end(items), body);
}
template <class Items, class Body>
void parallel_for_each(const Items& items, const Body& body) {
    bough::parallel_for_each(std::begin(items), std::end(items), body);
}
template <class Items, class Body>
void parallel_for_each(Items& items, const Body& body, task_group_context& context) {
    bough::parallel_for_each(std::begin(items), std::end(items), body, context);
}
template <class Items, class Body>
void parallel_for_each(const Items& items, const Body& body, task_group_context& context) {
    bough::parallel_for_each(std::begin(items), std::end(items), body, context);
}

}  // namespace bough
