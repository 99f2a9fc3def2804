// parallel_deterministic_reduce joins in oneTBB's own tree: programs keep their bits when they change over.

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include <tbb/blocked_range.h>
#include <tbb/blocked_range2d.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

namespace {

using indices = tbb::blocked_range<int>;
using cells = tbb::blocked_range2d<int>;

// A third and the rest.
struct thirds {
    thirds(int first, int last) : begin(first), end(last) {}
    thirds(thirds& r, tbb::split) : begin(r.begin + (r.end - r.begin) / 3), end(r.end) { r.end = begin; }
    bool empty() const { return begin >= end; }
    bool is_divisible() const { return end - begin > 3; }
    int begin, end;
};

struct ours {
    template <class... Arguments>
    auto operator()(Arguments&&... arguments) const {
        return tbb::parallel_deterministic_reduce(std::forward<Arguments>(arguments)...);
    }
};
struct theirs {
    template <class... Arguments>
    auto operator()(Arguments&&... arguments) const {
        return tbb::detail::d1::onetbb_parallel_deterministic_reduce(std::forward<Arguments>(arguments)...);
    }
};

std::string leaf(const indices& r) {
    return std::to_string(r.begin()) + "-" + std::to_string(r.end());
}
std::string leaf(const cells& r) {
    return std::to_string(r.rows().begin()) + "," + std::to_string(r.cols().begin());
}
std::string leaf(const thirds& r) {
    return std::to_string(r.begin) + "-" + std::to_string(r.end);
}

// The tree of joins, written out.
template <class Library, class Range, class... Partitioner>
std::string tree(Library reduce, const Range& range, const Partitioner&... partitioner) {
    return reduce(
        range, std::string(), [](const Range& r, const std::string& left) { return left + leaf(r); },
        [](const std::string& a, const std::string& b) { return "(" + a + " " + b + ")"; }, partitioner...);
}

template <class Range>
void expect_same_trees(const Range& range) {
    EXPECT_EQ(tree(ours(), range), tree(theirs(), range));
    EXPECT_EQ(tree(ours(), range, tbb::simple_partitioner()),
              tree(theirs(), range, tbb::simple_partitioner()));
    for (const int width : {1, 2, 3, 8})
        tbb::task_arena(width).execute([&] {
            EXPECT_EQ(tree(ours(), range, tbb::static_partitioner()),
                      tree(theirs(), range, tbb::static_partitioner()))
                << width << " threads";
        });
}

TEST(deterministic_reduce, joins_in_onetbbs_tree) {
    for (const int n : {0, 1, 2, 3, 7, 64, 100, 777, 5000})
        for (const std::size_t grain : {1, 3, 7, 100, 100'000})
            expect_same_trees(indices(0, n, grain));
    expect_same_trees(cells(0, 60, 3, 0, 100, 2));
    expect_same_trees(thirds(0, 3000));
}

template <class Library, class... Partitioner>
float sum(Library reduce, int n, std::size_t grain, const Partitioner&... partitioner) {
    return reduce(
        indices(0, n, grain), 0.f,
        [](const indices& r, float s) {
            for (int i = r.begin(); i != r.end(); ++i)
                s += 1.f / static_cast<float>(i + 1);
            return s;
        },
        std::plus<float>(), partitioner...);
}

TEST(deterministic_reduce, gives_onetbbs_bits) {
    const auto expect_same = [](float a, float b) {
        EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << a << " " << b;
    };
    for (const int n : {1000, 1'000'000})
        for (const std::size_t grain : {1000, 1003}) {
            expect_same(sum(ours(), n, grain), sum(theirs(), n, grain));
            expect_same(sum(ours(), n, grain, tbb::static_partitioner()),
                        sum(theirs(), n, grain, tbb::static_partitioner()));
        }
}

}  // namespace
