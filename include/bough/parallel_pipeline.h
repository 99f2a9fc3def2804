#pragma once
// parallel_pipeline with oneTBB's meanings: items go through a chain of filters, several at a time.

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "context.h"
#include "detail/pipeline.h"
#include "detail/raise.h"
#include "detail/slot_view.h"

namespace bough {

// The argument of the first filter.
class flow_control {
public:
    // The first filter says that the input has ended. What its present call returns is thrown away.
    void stop() noexcept { is_stopped_ = true; }
    bool is_stopped() const noexcept { return is_stopped_; }

private:
    bool is_stopped_ = false;
};

namespace detail {

// Immutable. The chains that contain the filter share it.
template <class In, class Out, class Body>
struct body_filter : pipeline_filter {
    static_assert(std::is_same_v<In, std::decay_t<In>> && std::is_same_v<Out, std::decay_t<Out>>,
                  "bough::filter: items are values: no references, no const");

    body_filter(filter_mode m, const Body& b) : body(b) {
        call = call_body;
        mode = m;
        if constexpr (!std::is_void_v<In>)
            if constexpr (!std::is_trivially_destructible_v<In>)
                drop = destroy;
        if constexpr (!std::is_void_v<Out>) {
            out_size = sizeof(Out);
            out_alignment = alignof(Out);
        }
    }

    const Body body;

private:
    static bool call_body(const pipeline_filter& self, void* in, void* out) {
        const Body& b = static_cast<const body_filter&>(self).body;
        if constexpr (std::is_void_v<In>) {
            static_cast<void>(in);
            flow_control control;
            make_item(out, [&]() -> decltype(auto) { return std::invoke(b, control); });
            if constexpr (!std::is_void_v<Out>)
                if (control.is_stopped())
                    at<Out>(out)->~Out();
            return !control.is_stopped();
        } else {
            In* const item = at<In>(in);
            make_item(out, [&]() -> decltype(auto) { return std::invoke(b, std::move(*item)); });
            item->~In();
            return true;
        }
    }

    template <class Make>
    static void make_item([[maybe_unused]] void* out, Make&& make) {
        if constexpr (std::is_void_v<Out>)
            make();
        else
            new (out) Out(make());
    }

    template <class T>
    static T* at(void* item) {
        return std::launder(static_cast<T*>(item));
    }

    static void destroy(const pipeline_filter&, void* in) noexcept { at<In>(in)->~In(); }
};

using filter_chain = std::vector<std::shared_ptr<const pipeline_filter>>;

inline filter_chain joined(const filter_chain& left, const filter_chain& right) {
    if (left.empty() || right.empty())
        raise(std::invalid_argument("bough::filter: an empty filter in a chain"));
    filter_chain both;
    both.reserve(left.size() + right.size());
    both.insert(both.end(), left.begin(), left.end());
    both.insert(both.end(), right.begin(), right.end());
    return both;
}

// The types that a body takes and returns.
template <class F>
struct call_types : call_types<decltype(&F::operator())> {};
template <class R, class A, bool N>
struct call_types<R (*)(A) noexcept(N)> {
    using in = std::decay_t<A>;
    using out = std::decay_t<R>;
};
template <class F, class R, class A, bool N>
struct call_types<R (F::*)(A) const noexcept(N)> : call_types<R (*)(A)> {};

template <class Body>
using body_in = std::conditional_t<std::is_same_v<typename call_types<std::decay_t<Body>>::in, flow_control>,
                                   void, typename call_types<std::decay_t<Body>>::in>;
template <class Body>
using body_out = typename call_types<std::decay_t<Body>>::out;

}  // namespace detail

// A chain of filters from In to Out, which are void at the ends of a whole chain. The first filter is called with a
// flow_control&, any other filter with an item, as an rvalue. What a filter returns is the next filter's item. The
// library does not move items, and they need be neither copyable nor default-constructible. Any value is an item, also
// a null pointer. Bodies are called as const, and concurrently if the mode is parallel. Copies of a chain share the
// filters. A chain may be run any number of times, also several times at once.
template <class In, class Out>
class filter {
public:
    // An empty chain, for a later assignment.
    filter() = default;
    // A chain of one filter, which holds a copy of `body`. Throws std::bad_alloc, and what copying `body` throws.
    template <class Body>
    filter(filter_mode mode, const Body& body)
        : chain_{std::make_shared<const detail::body_filter<In, Out, std::decay_t<Body>>>(mode, body)} {}

    // Appends `right`. O(filters). Throws std::invalid_argument if one of the two chains is empty, and std::bad_alloc.
    filter& operator&=(const filter<Out, Out>& right) {
        chain_ = detail::joined(chain_, right.chain());
        return *this;
    }
    void clear() noexcept { chain_.clear(); }

    // For the library.
    explicit filter(detail::filter_chain chain) noexcept : chain_(std::move(chain)) {}
    const detail::filter_chain& chain() const noexcept { return chain_; }

private:
    detail::filter_chain chain_;
};

template <class Body>
filter(filter_mode, Body) -> filter<detail::body_in<Body>, detail::body_out<Body>>;

template <class In, class Out, class Body>
filter<In, Out> make_filter(filter_mode mode, const Body& body) {
    return filter<In, Out>(mode, body);
}

// The types are those of the body's only operator().
template <class Body>
filter<detail::body_in<Body>, detail::body_out<Body>> make_filter(filter_mode mode, const Body& body) {
    return filter<detail::body_in<Body>, detail::body_out<Body>>(mode, body);
}

// A chain of both, one after the other. As filter::operator&=.
template <class In, class Item, class Out>
filter<In, Out> operator&(const filter<In, Item>& left, const filter<Item, Out>& right) {
    static_assert(!std::is_void_v<Item>, "bough::filter: only the ends of a chain take or give nothing");
    return filter<In, Out>(detail::joined(left.chain(), right.chain()));
}

namespace detail {

inline void run_chain(std::size_t max_live_tokens, const filter_chain& chain, task_group_context* context) {
    if (max_live_tokens == 0)
        raise(std::invalid_argument("bough::parallel_pipeline: max_live_tokens is 0, must be at least 1"));
    if (chain.empty())
        raise(std::invalid_argument("bough::parallel_pipeline: the filter is empty"));
    std::vector<const pipeline_filter*> filters;
    for (const auto& f : chain)
        filters.push_back(f.get());
    pipeline_job job;
    job.filters = filters.data();
    job.filter_count = filters.size();
    job.max_live_tokens = max_live_tokens;
    const slot_view& caller = here();
    const bound_node bound(job.node, context, caller.scope);
    job.fp_settings = caller.fp_settings;
    run_pipeline(job);
    if (!job.error)
        return;
    if (context)
        context->cancel_group_execution();
    raise_again(std::move(job.error));
}

}  // namespace detail

// Runs the chain until its first filter has called flow_control::stop() and every item has gone through the last
// filter. At most max_live_tokens items are alive at a time. The larger this number, the more filters run at once, and
// the more memory is used. One thread at a time calls a serial filter, but not always the same thread. Other threads
// may call a parallel first filter while one call says stop(), and once more after that.
//
// Throws the first exception of a filter, or nesting_too_deep in place of a filter's call, after the rest was
// cancelled, and the context if there is one. Throws std::bad_alloc, and std::invalid_argument if max_live_tokens is 0
// or the chain is empty; then no filter was called. If it is cancelled, it returns early and destroys the items that
// are left. Thread-safe; may be nested.
inline void parallel_pipeline(std::size_t max_live_tokens, const filter<void, void>& chain) {
    detail::run_chain(max_live_tokens, chain.chain(), nullptr);
}

// The same. `context` cancels it, too.
inline void parallel_pipeline(std::size_t max_live_tokens, const filter<void, void>& chain,
                              task_group_context& context) {
    detail::run_chain(max_live_tokens, chain.chain(), &context);
}

// parallel_pipeline(n, f0, f1, f2 ...) is parallel_pipeline(n, f0 & f1 & f2 ...). The last argument may be a context.
template <class In, class Item, class Out, class... Rest>
void parallel_pipeline(std::size_t max_live_tokens, const filter<In, Item>& first,
                       const filter<Item, Out>& second, Rest&&... rest) {
    bough::parallel_pipeline(max_live_tokens, first & second, std::forward<Rest>(rest)...);
}

}  // namespace bough
