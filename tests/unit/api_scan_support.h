#pragma once
// Both scans and their trailing arguments, chosen at run time: a test is compiled once, not once for each of the twelve
// combinations.

#include "unit/api_erased.h"

#include <bough/parallel_scan.h>

#include <functional>
#include <string>
#include <utility>

namespace bough_test {

using indices = bough::blocked_range<int>;

// Trailing arguments of a scan, with a context of their own.
class scan_tail {
public:
    enum kind { none, automatic, simple, context, automatic_context, simple_context };
    explicit scan_tail(kind k) : kind_(k) {}

    // Calls run(arguments...).
    template <class Run>
    void choose(Run&& run) {
        switch (kind_) {
        case none:
            return run();
        case automatic:
            return run(bough::auto_partitioner());
        case simple:
            return run(bough::simple_partitioner());
        case context:
            return run(context_);
        case automatic_context:
            return run(bough::auto_partitioner(), context_);
        case simple_context:
            return run(bough::simple_partitioner(), context_);
        }
    }

    // For the kinds that pass it.
    bough::task_group_context& own_context() { return context_; }

private:
    const kind kind_;
    bough::task_group_context context_;
};

inline void for_each_tail(body_ref<void(scan_tail&)> test) {
    for (const auto kind : {scan_tail::none, scan_tail::automatic, scan_tail::simple, scan_tail::context,
                            scan_tail::automatic_context, scan_tail::simple_context}) {
        scan_tail tail(kind);
        test(tail);
    }
}

enum class scan_kind { free, deterministic };

class any_scan : public ::testing::TestWithParam<scan_kind> {
protected:
    // parallel_scan or parallel_deterministic_scan.
    template <class... Args>
    static auto scan_now(Args&&... args) {
        return GetParam() == scan_kind::free
                   ? bough::parallel_scan(std::forward<Args>(args)...)
                   : bough::parallel_deterministic_scan(std::forward<Args>(args)...);
    }

    // Imperative.
    template <class Range, class Body>
    static void scan_into(const Range& range, Body& body, scan_tail& tail) {
        tail.choose([&](auto&&... arguments) { scan_now(range, body, arguments...); });
    }
    template <class Range, class Body>
    static void scan_into(const Range& range, Body& body) {
        scan_tail none(scan_tail::none);
        scan_into(range, body, none);
    }

    // Functional; the join is +.
    // A temporary lambda lives as long as the call.
    template <class Range, class Value>
    using part = std::type_identity_t<body_ref<Value(const Range&, Value, bool)>>;

    template <class Range, class Value>
    static Value sum_of(const Range& range, const Value& identity, part<Range, Value> body, scan_tail& tail) {
        Value all = identity;
        tail.choose(
            [&](auto&&... arguments) { all = scan_now(range, identity, body, std::plus<>(), arguments...); });
        return all;
    }
    template <class Range, class Value>
    static Value sum_of(const Range& range, const Value& identity, part<Range, Value> body) {
        scan_tail none(scan_tail::none);
        return sum_of(range, identity, body, none);
    }
};

// For INSTANTIATE_TEST_SUITE_P.
inline auto both_scans() {
    return ::testing::Values(scan_kind::free, scan_kind::deterministic);
}
inline std::string scan_name(const ::testing::TestParamInfo<scan_kind>& scan) {
    return scan.param == scan_kind::free ? "free" : "deterministic";
}

}  // namespace bough_test
