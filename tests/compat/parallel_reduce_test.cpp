// tbb::parallel_reduce and parallel_deterministic_reduce through the compat tree.

#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "engine_count.h"

namespace {

using range = tbb::blocked_range<int>;

std::string letters(const range& r, std::string s) {
    for (int i = r.begin(); i != r.end(); ++i)
        s += static_cast<char>('a' + i % 26);
    return s;
}

// Concatenation does not commute: the order of joins shows.
struct text {
    std::string value;
    text() = default;
    text(text&, tbb::split) {}
    void operator()(const range& r) { value = letters(r, std::move(value)); }
    void join(text& right) { value += right.value; }
};

template <class Partitioner>
void expect_both_forms(Partitioner&& p) {
    const std::string expected = letters(range(0, 5000), "");
    const engine_count::snapshot before;
    EXPECT_EQ(tbb::parallel_reduce(range(0, 5000), std::string(), letters, std::plus<>(), p), expected);
    text body;
    tbb::parallel_reduce(range(0, 5000, 10), body, p);
    EXPECT_EQ(body.value, expected);
    EXPECT_TRUE(before.only_bough());
}

TEST(parallel_reduce, both_forms_with_every_partitioner) {
    expect_both_forms(tbb::auto_partitioner());
    expect_both_forms(tbb::simple_partitioner());
    expect_both_forms(tbb::static_partitioner());
    tbb::affinity_partitioner affinity;
    for (int i = 0; i < 3; ++i)
        expect_both_forms(affinity);
}

TEST(parallel_reduce, body_goes_on_from_its_value) {
    text body;
    body.value = "start:";
    tbb::parallel_reduce(range(0, 0), body);
    EXPECT_EQ(body.value, "start:");
    tbb::parallel_reduce(range(0, 26), body);
    EXPECT_EQ(body.value, "start:abcdefghijklmnopqrstuvwxyz");
}

TEST(parallel_reduce, exception_reaches_the_caller) {
    const auto f = [](const range& r, int v) -> int {
        if (r.begin() <= 500 && 500 < r.end())
            throw std::runtime_error("500");
        return v;
    };
    EXPECT_THROW(tbb::parallel_reduce(range(0, 1000), 0, f, std::plus<>()), std::runtime_error);
}

// Splits in uneven parts, and joins must still come in order.
struct thirds {
    int begin, end;
    thirds(int b, int e) : begin(b), end(e) {}
    thirds(thirds& r, tbb::split) : begin(r.begin + (r.end - r.begin) / 3), end(r.end) { r.end = begin; }
    bool empty() const { return begin >= end; }
    bool is_divisible() const { return end - begin > 3; }
};

TEST(parallel_reduce, user_written_range) {
    const auto f = [](const thirds& r, std::string s) {
        return letters(range(r.begin, r.end), std::move(s));
    };
    const std::string expected = letters(range(0, 1000), "");
    EXPECT_EQ(tbb::parallel_reduce(thirds(0, 1000), std::string(), f, std::plus<>()), expected);
    EXPECT_EQ(
        tbb::parallel_reduce(thirds(0, 1000), std::string(), f, std::plus<>(), tbb::simple_partitioner()),
        expected);
}

// Each body knows what it was split from, and that it was joined.
struct family {
    family() = default;
    family(family& left, tbb::split) : splits(left.splits), parent(&left) { ++splits; }
    void operator()(const thirds& r) {
        value = letters(range(r.begin, r.end), std::move(value));
        if (r.begin == 0)
            first_piece();
        if (r.end == 9)
            last_piece();
    }
    void join(family& right) {
        EXPECT_EQ(right.parent, this);
        value += right.value;
    }
    std::atomic<int>& splits = all_splits;
    family* parent = nullptr;
    std::string value;

    inline static std::atomic<int> all_splits{0};
    inline static std::function<void()> first_piece, last_piece;
};

TEST(parallel_reduce, a_user_written_range_has_another_body_where_a_piece_is_stolen) {
    const auto splits_of = [](std::function<void()> first_piece, std::function<void()> last_piece) {
        family::first_piece = std::move(first_piece);
        family::last_piece = std::move(last_piece);
        family::all_splits = 0;
        family body;
        tbb::parallel_reduce(thirds(0, 9), body, tbb::simple_partitioner());
        EXPECT_EQ(body.value, "abcdefghi");
        return family::all_splits.load();
    };
    const auto nothing = [] {};
    {
        const tbb::global_control alone(tbb::global_control::max_allowed_parallelism, 1);
        EXPECT_EQ(splits_of(nothing, nothing), 0);
    }
    if (tbb::this_task_arena::max_concurrency() < 2)
        GTEST_SKIP() << "with one thread nothing is stolen";
    std::atomic<int> here{0};
    const auto meet = [&] {
        ++here;
        while (here != 2)
            std::this_thread::yield();
    };
    EXPECT_GE(splits_of(meet, meet), 1);
}

TEST(parallel_reduce, deterministic_form) {
    const engine_count::snapshot before;
    const auto add = [](const range& r, double v) {
        for (int i = r.begin(); i != r.end(); ++i)
            v += 1.0 / (1 + i);
        return v;
    };
    const auto run = [&] {
        return tbb::parallel_deterministic_reduce(range(0, 100000, 100), 0.0, add, std::plus<>());
    };
    const double first = run();
    for (int i = 0; i < 5; ++i)
        EXPECT_EQ(run(), first);
    EXPECT_TRUE(before.only_bough());
}

TEST(parallel_reduce, context_form_stays_with_onetbb) {
    const engine_count::snapshot before;
    tbb::task_group_context context;
    EXPECT_EQ(tbb::parallel_reduce(range(0, 26), std::string(), letters, std::plus<>(), context),
              "abcdefghijklmnopqrstuvwxyz");
    EXPECT_TRUE(before.only_onetbb());
}

}  // namespace
