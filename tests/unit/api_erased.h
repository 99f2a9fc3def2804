#pragma once
// Bodies and partitioners behind one type each, so that a test is compiled once and not once for each combination.

#include "unit/api_support.h"

#include <type_traits>
#include <utility>

namespace bough_test {

// A body of somebody else's, of one type for all with this signature: the compiler makes an algorithm once for all
// tests that use it, not once for each lambda. To bough their loops are one call site, with one memory of what they
// cost; a test that wants a site of its own, or is about what a body may be, passes its lambda itself.
template <class Signature>
class body_ref;

template <class Result, class... Args>
class body_ref<Result(Args...)> {
public:
    template <class F, std::enable_if_t<!std::is_same_v<F, body_ref>, int> = 0>
    body_ref(const F& f)
        : body_(&f), call_([](const void* body, Args... args) -> Result {
              return (*static_cast<const F*>(body))(std::forward<Args>(args)...);
          }) {}

    Result operator()(Args... args) const { return call_(body_, std::forward<Args>(args)...); }

private:
    const void* body_;
    Result (*call_)(const void*, Args...);
};

// One of oneTBB's four partitioners, chosen at run time: what is around the loops is compiled once.
class any_partitioner {
public:
    enum kind { automatic, simple, fixed, affinity };

    explicit any_partitioner(kind k) : kind_(k) {}
    const char* name() const {
        static constexpr const char* names[] = {"auto_partitioner", "simple_partitioner",
                                                "static_partitioner", "affinity_partitioner"};
        return names[kind_];
    }
    // Calls loop(partitioner).
    template <class Loop>
    void choose(Loop&& loop) {
        switch (kind_) {
        case automatic:
            return loop(automatic_);
        case simple:
            return loop(simple_);
        case fixed:
            return loop(fixed_);
        case affinity:
            return loop(affinity_);
        }
    }

private:
    const kind kind_;
    const bough::auto_partitioner automatic_{};
    const bough::simple_partitioner simple_{};
    const bough::static_partitioner fixed_{};
    bough::affinity_partitioner affinity_;
};

// Calls test(name, partitioner) for any_partitioners of each kind.
inline void for_any_partitioner(body_ref<void(const char*, any_partitioner&)> test) {
    for (const auto kind : {any_partitioner::automatic, any_partitioner::simple, any_partitioner::fixed,
                            any_partitioner::affinity}) {
        any_partitioner partitioner(kind);
        test(partitioner.name(), partitioner);
    }
}

// The three forms of parallel_for.
template <class Range, class... Context>
void for_range(const Range& range, body_ref<void(const std::type_identity_t<Range>&)> body,
               any_partitioner& partitioner, Context&... context) {
    partitioner.choose([&](auto& p) { bough::parallel_for(range, body, p, context...); });
}
template <class Index, class... Context>
void for_index(Index first, std::type_identity_t<Index> last,
               body_ref<void(std::type_identity_t<Index>)> body, any_partitioner& partitioner,
               Context&... context) {
    partitioner.choose([&](auto& p) { bough::parallel_for(first, last, body, p, context...); });
}
template <class Index, class... Context>
void for_step(Index first, std::type_identity_t<Index> last, std::type_identity_t<Index> step,
              body_ref<void(std::type_identity_t<Index>)> body, any_partitioner& partitioner,
              Context&... context) {
    partitioner.choose([&](auto& p) { bough::parallel_for(first, last, step, body, p, context...); });
}

}  // namespace bough_test
