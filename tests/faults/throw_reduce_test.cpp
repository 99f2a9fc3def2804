// Reductions and scans, thrown out of everywhere.

#include "faults/matrix.h"

namespace {

using namespace throwing;
using bough::task_group_context;

constexpr std::size_t expected = experiment::elements * (experiment::elements - 1) / 2;

template <class Call>
void with(task_group_context* context, const Call& call) {
    if (context)
        call(*context);
    else
        call();
}

struct summing_body : copied {
    explicit summing_body(experiment& e) : copied(e) {}
    summing_body(summing_body& other, bough::split) : copied(other.of()) { of().pass(place::split); }
    template <class Range>
    void operator()(const Range& r) {
        of().pass(place::call);
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            of().visit(i);
            value += i;
        }
    }
    // Of a scan.
    template <class Range, class Tag>
    void operator()(const Range& r, Tag) {
        of().pass(place::call);
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            if (Tag::is_final_scan())
                of().visit(i);
            value += i;
        }
    }
    void join(summing_body& right) {
        of().pass(place::join);
        value += right.value;
    }
    void reverse_join(summing_body& left) {
        of().pass(place::join);
        value += left.value;
    }
    void assign(summing_body& other) {
        of().pass(place::assign);
        value = other.value;
    }
    std::size_t value = 0;
};

const auto add_range = [](const auto& r, sum s) {
    s.of().pass(place::call);
    for (std::size_t i = r.begin(); i < r.end(); ++i) {
        s.of().visit(i);
        s.value += i;
    }
    return s;
};
const auto add = [](sum left, sum right) {
    left.of().pass(place::join);
    left.value += right.value;
    return left;
};

struct plain {
    template <class... Args>
    static void reduce(Args&&... args) {
        bough::parallel_reduce(std::forward<Args>(args)...);
    }
    template <class... Args>
    static auto value(Args&&... args) {
        return bough::parallel_reduce(std::forward<Args>(args)...);
    }
};
struct deterministic {
    template <class... Args>
    static void reduce(Args&&... args) {
        bough::parallel_deterministic_reduce(std::forward<Args>(args)...);
    }
    template <class... Args>
    static auto value(Args&&... args) {
        return bough::parallel_deterministic_reduce(std::forward<Args>(args)...);
    }
};

template <class Kind, class Partitioner>
bool by_a_body(experiment& e, task_group_context* context) {
    const range whole(e, 0, experiment::elements);
    summing_body body(e);
    Partitioner partitioner;
    with(context, [&](auto&... c) { Kind::reduce(whole, body, partitioner, c...); });
    return body.value == expected;
}

template <class Kind>
bool by_a_body_over_indices(experiment& e, task_group_context* context) {
    const bough::blocked_range<std::size_t> whole(0, experiment::elements, 2);
    summing_body body(e);
    with(context, [&](auto&... c) { Kind::reduce(whole, body, c...); });
    return body.value == expected;
}

// So many leaves, and so cheap but for the first two, that a thread folds several in one go.
bool many_leaves(experiment& e, task_group_context* context) {
    struct body : summing_body {
        using summing_body::summing_body;
        body(body& other, bough::split tag) : summing_body(other, tag) {}
        void operator()(const bough::blocked_range<std::size_t>& r) {
            of().pass(place::call);
            for (std::size_t i = r.begin(); i < r.end(); ++i) {
                if (i < experiment::elements)
                    of().visit(i);
                value += i;
            }
        }
        void join(body& right) { summing_body::join(right); }
    } sums(e);
    constexpr std::size_t n = 4096;
    with(context, [&](auto&... c) {
        bough::parallel_deterministic_reduce(bough::blocked_range<std::size_t>(0, n), sums, c...);
    });
    return sums.value == n * (n - 1) / 2;
}

template <class Kind>
bool by_functions(experiment& e, task_group_context* context) {
    const bough::blocked_range<std::size_t> whole(0, experiment::elements, 2);
    const sum identity(e);
    std::size_t result = 0;
    with(context, [&](auto&... c) { result = Kind::value(whole, identity, add_range, add, c...).value; });
    return result == expected;
}

const std::vector<place> of_a_body{place::call, place::range_copy, place::range_split, place::range_empty,
                                   place::range_divisible};

// Bodies are split, and joined, where somebody comes to help: with one thread nobody does.
std::vector<place> and_where_shared(std::vector<place> all, std::initializer_list<place> more) {
    if (bough_test::allowed_threads() > 1)
        all.insert(all.end(), more);
    return all;
}

TEST(throws, parallel_reduce) {
    const auto from = and_where_shared(of_a_body, {place::split, place::join});
    try_all({"reduce, auto", by_a_body<plain, bough::auto_partitioner>, true, from});
    try_all({"reduce, simple", by_a_body<plain, bough::simple_partitioner>, true, from});
    try_all({"reduce, static", by_a_body<plain, bough::static_partitioner>, true,
             and_where_shared({place::call, place::range_empty},
                              {place::range_copy, place::split, place::join})});
    try_all({"reduce, affinity", by_a_body<plain, bough::affinity_partitioner>, true, of_a_body});
    try_all({"reduce, indices", by_a_body_over_indices<plain>, true, {place::call}});
    try_all({"reduce, functions", by_functions<plain>, true,
             and_where_shared({place::call, place::copy, place::move}, {place::join})});
}

TEST(throws, parallel_deterministic_reduce) {
    std::vector<place> from = of_a_body;
    from.insert(from.end(), {place::split, place::join});
    try_all({"deterministic reduce, auto", by_a_body<deterministic, bough::auto_partitioner>, true, from});
    try_all(
        {"deterministic reduce, simple", by_a_body<deterministic, bough::simple_partitioner>, true, from});
    try_all({"deterministic reduce, static", by_a_body<deterministic, bough::static_partitioner>, true,
             and_where_shared({place::call, place::range_empty}, {place::split, place::join})});
    try_all({"deterministic reduce, indices",
             by_a_body_over_indices<deterministic>,
             true,
             {place::call, place::split, place::join}});
    try_all(
        {"deterministic reduce, many leaves", many_leaves, true, {place::call, place::split, place::join}});
    try_all({"deterministic reduce, functions",
             by_functions<deterministic>,
             true,
             {place::call, place::copy, place::move, place::join}});
}

// ---- scans

template <bool is_deterministic, class... Args>
void scan(Args&&... args) {
    if constexpr (is_deterministic)
        bough::parallel_deterministic_scan(std::forward<Args>(args)...);
    else
        bough::parallel_scan(std::forward<Args>(args)...);
}

template <bool is_deterministic, class Partitioner>
bool scan_by_a_body(experiment& e, task_group_context* context) {
    const range whole(e, 0, experiment::elements);
    summing_body body(e);
    const Partitioner partitioner;
    with(context, [&](auto&... c) { scan<is_deterministic>(whole, body, partitioner, c...); });
    return body.value == expected;
}

bool scan_by_functions(experiment& e, task_group_context* context) {
    const bough::blocked_range<std::size_t> whole(0, experiment::elements, 2);
    const sum identity(e);
    std::size_t result = 0;
    const auto scan_range = [](const auto& r, sum s, bool is_final) {
        s.of().pass(place::call);
        for (std::size_t i = r.begin(); i < r.end(); ++i) {
            if (is_final)
                s.of().visit(i);
            s.value += i;
        }
        return s;
    };
    with(context, [&](auto&... c) {
        result = bough::parallel_deterministic_scan(whole, identity, scan_range, add, c...).value;
    });
    return result == expected;
}

TEST(throws, scans) {
    const auto free = and_where_shared(of_a_body, {place::split, place::join});
    std::vector<place> fixed = of_a_body;
    fixed.insert(fixed.end(), {place::split, place::join});
    try_all({"scan, auto", scan_by_a_body<false, bough::auto_partitioner>, true, free});
    try_all({"scan, simple", scan_by_a_body<false, bough::simple_partitioner>, true, free});
    try_all({"deterministic scan, auto", scan_by_a_body<true, bough::auto_partitioner>, true, fixed});
    try_all({"deterministic scan, simple", scan_by_a_body<true, bough::simple_partitioner>, true, fixed});
    try_all({"deterministic scan, functions",
             scan_by_functions,
             true,
             {place::call, place::copy, place::move, place::join}});
}

}  // namespace
