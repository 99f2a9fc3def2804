#pragma once
// How a body of parallel_for_each takes an item: body(item) or body(item, feeder&). Feeder is a template parameter: the
// bodies of a runtime that is built on bough see that runtime's feeder, which passes items on to bough's.

#include <functional>
#include <type_traits>
#include <utility>

#include "../feeder.h"

namespace bough::detail {

// The type by which bodies see a bough::feeder<Item>.
template <template <class> class Feeder, class Item>
struct shown_feeder;
template <class Item>
struct shown_feeder<feeder, Item> {
    using type = feeder<Item>&;
};

template <class Body, class Argument, class FeederOfItem>
inline constexpr bool takes_feeder = std::is_invocable_v<const Body&, Argument, FeederOfItem&>;

// The body gets an item that belongs to the call as an rvalue, if the body takes one.
template <class Body, class Item, class FeederOfItem, class Otherwise>
using own_item =
    std::conditional_t<std::is_invocable_v<const Body&, Item&&> || takes_feeder<Body, Item&&, FeederOfItem>,
                       Item&&, Otherwise>;

// The type of items: that of the feeder which the body takes. If the body does not show it, the type that the range
// holds.
template <template <class> class Feeder, class Body, class Result, class Argument, class Item>
Item fed_to(Result (Body::*)(Argument, Feeder<Item>&) const);
template <template <class> class Feeder, class Body, class Default>
auto item_of_body(int) -> decltype(fed_to<Feeder, Body>(&Body::operator()));
template <template <class> class Feeder, class Body, class Default>
Default item_of_body(...);
template <template <class> class Feeder, class Body, class Default>
using item_of = decltype(item_of_body<Feeder, Body, Default>(0));

template <class Body>
struct plain_call {
    const Body& body;

    template <class Argument>
    void operator()(Argument&& item) const {
        std::invoke(body, std::forward<Argument>(item));
    }
};

template <template <class> class Feeder, class Body, class Item>
class feeding_call : feeder<Item> {
public:
    feeding_call(const Body& body, task_group& group)
        : feeder<Item>(group, run_added), body_(body), shown_(*this) {}

    template <class Argument>
    void operator()(Argument&& item) {
        std::invoke(body_, std::forward<Argument>(item), shown_);
    }

private:
    static void run_added(feeder<Item>& f, Item& item) {
        auto& self = static_cast<feeding_call&>(f);
        using argument = own_item<Body, Item, Feeder<Item>, Item&>;
        if constexpr (takes_feeder<Body, argument, Feeder<Item>>)
            self(static_cast<argument>(item));
        else
            std::invoke(self.body_, static_cast<argument>(item));
    }

    const Body& body_;
    typename shown_feeder<Feeder, Item>::type shown_;
};

}  // namespace bough::detail
