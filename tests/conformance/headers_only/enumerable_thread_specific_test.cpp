// enumerable_thread_specific with each kind of key, flattened2d, and combinable.

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/combinable.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::first_numbers;
using headers_only::sum_below;

template <class T, tbb::ets_key_usage_type key>
using ets_of = tbb::enumerable_thread_specific<T, tbb::cache_aligned_allocator<T>, key>;

// f(0) to f(n - 1), each on a thread of its own, all of them alive until the last is done: a thread that begins when
// another has gone may get that one's identity, and its element with it.
template <class F>
void on_threads_at_once(int n, F&& f) {
    std::atomic<int> done{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < n; ++t)
        threads.emplace_back([&, t] {
            f(t);
            ++done;
            while (done < n)
                std::this_thread::yield();
        });
    for (auto& thread : threads)
        thread.join();
}

template <tbb::ets_key_usage_type key>
struct key_kind {
    template <class T>
    using ets = ets_of<T, key>;
};

template <class Kind>
class ets_kinds : public testing::Test {};
using kinds = testing::Types<key_kind<tbb::ets_no_key>, key_kind<tbb::ets_key_per_instance>,
                             key_kind<tbb::ets_suspend_aware>>;
TYPED_TEST_SUITE(ets_kinds, kinds);

TYPED_TEST(ets_kinds, one_element_per_thread) {
    typename TypeParam::template ets<int> counts;
    std::mutex mutex;
    std::set<std::thread::id> ids;
    EXPECT_TRUE(counts.empty());
    tbb::parallel_for(0, 2000, [&](int) {
        bool exists = true;
        int& mine = counts.local(exists);
        if (!exists) {
            EXPECT_EQ(mine, 0);
            std::lock_guard lock(mutex);
            ids.insert(std::this_thread::get_id());
        }
        ++mine;
    });
    EXPECT_EQ(counts.size(), ids.size());
    EXPECT_EQ(counts.combine(std::plus<int>()), 2000);
    int total = 0;
    for (int count : counts)
        total += count;
    EXPECT_EQ(total, 2000);
    EXPECT_EQ(std::distance(counts.begin(), counts.end()), static_cast<std::ptrdiff_t>(counts.size()));
}

TYPED_TEST(ets_kinds, elements_stay_where_they_are) {
    typename TypeParam::template ets<int> values;
    std::atomic<int> moved{0};
    on_threads_at_once(8, [&](int t) {
        int* mine = &values.local();
        *mine = t;
        for (int i = 0; i < 100; ++i)
            moved += &values.local() == mine && *mine == t ? 0 : 1;
    });
    EXPECT_EQ(moved, 0);
    EXPECT_EQ(values.combine(std::plus<int>()), sum_below(8));
    EXPECT_EQ(values.size(), 8u);
}

TYPED_TEST(ets_kinds, initial_values) {
    using strings = typename TypeParam::template ets<std::string>;
    EXPECT_EQ(strings().local(), "");
    const std::string exemplar = "exemplar";
    EXPECT_EQ(strings(exemplar).local(), "exemplar");
    EXPECT_EQ(strings(std::string("moved")).local(), "moved");
    EXPECT_EQ(strings([] { return std::string("made"); }).local(), "made");
    EXPECT_EQ(strings(3, 'x').local(), "xxx");
    typename TypeParam::template ets<int> zero;
    EXPECT_EQ(zero.local(), 0);
}

TYPED_TEST(ets_kinds, the_initial_function_runs_once_per_element) {
    std::atomic<int> made{0};
    typename TypeParam::template ets<int> values([&] { return ++made * 0 + 5; });
    tbb::parallel_for(0, 1000, [&](int) { EXPECT_EQ(values.local(), 5); });
    EXPECT_EQ(static_cast<std::size_t>(made), values.size());
}

TYPED_TEST(ets_kinds, combine_of_nothing_is_the_initial_value) {
    typename TypeParam::template ets<int> values(42);
    EXPECT_EQ(values.combine([](int a, int b) { return a + b; }), 42);
    int seen = 0;
    values.combine_each([&](int) { ++seen; });
    EXPECT_EQ(seen, 0);
}

TYPED_TEST(ets_kinds, range_is_parallel) {
    typename TypeParam::template ets<int> values;
    on_threads_at_once(8, [&](int t) { values.local() = t; });
    std::atomic<int> sum{0};
    tbb::parallel_for(values.range(), [&](const auto& range) {
        for (int& value : range) {
            sum += value;
            value += 10;
        }
    });
    EXPECT_EQ(sum, sum_below(8));
    const auto& constant = values;
    int total = 0;
    auto range = constant.range(2);
    for (auto i = range.begin(); i != range.end(); ++i)
        total += *i;
    EXPECT_EQ(total, sum_below(8) + 80);
    values.combine_each([&](int value) { total -= value; });
    EXPECT_EQ(total, 0);
}

TYPED_TEST(ets_kinds, copies_and_moves_keep_what_belongs_to_the_thread) {
    using ints = typename TypeParam::template ets<int>;
    ints original([] { return 5; });
    original.local() = 7;
    std::thread([&] { original.local() = 8; }).join();

    ints copy(original);
    copy.local() += 100;
    EXPECT_EQ(original.local(), 7);
    EXPECT_EQ(copy.local(), 107);
    EXPECT_EQ(copy.size(), 2u);

    ints moved(std::move(copy));
    EXPECT_EQ(moved.local(), 107);
    ints assigned;
    assigned.local() = 1;
    assigned = original;
    EXPECT_EQ(assigned.local(), 7);
    EXPECT_EQ(assigned.combine(std::plus<int>()), 15);
    assigned = std::move(moved);
    EXPECT_EQ(assigned.combine(std::plus<int>()), 115);

    assigned.clear();
    EXPECT_TRUE(assigned.empty());
    bool exists = true;
    EXPECT_EQ(assigned.local(exists), 5) << "the initial function came along";
    EXPECT_FALSE(exists);
}

TYPED_TEST(ets_kinds, all_elements_are_destroyed) {
    struct tag {};
    using item = headers_only::tracked<tag>;
    {
        typename TypeParam::template ets<item> values;
        tbb::parallel_for(0, 500, [&](int) { values.local(); });
        auto copy = values;
        EXPECT_EQ(static_cast<std::size_t>(item::live()), 2 * values.size());
        values.clear();
        EXPECT_EQ(static_cast<std::size_t>(item::live()), copy.size());
    }
    EXPECT_EQ(item::live(), 0);
}

TEST(enumerable_thread_specific, copies_from_another_kind_of_key) {
    ets_of<int, tbb::ets_no_key> plain;
    plain.local() = 3;
    ets_of<int, tbb::ets_key_per_instance> keyed(plain);
    EXPECT_EQ(keyed.local(), 3);
    keyed.local() = 4;
    plain = keyed;
    EXPECT_EQ(plain.local(), 4);
    ets_of<int, tbb::ets_no_key> moved(std::move(keyed));
    EXPECT_EQ(moved.local(), 4);
}

TEST(enumerable_thread_specific, many_instances_with_keys_of_their_own) {
    using keyed = ets_of<int, tbb::ets_key_per_instance>;
    std::vector<keyed> all(100);
    tbb::parallel_for(std::size_t{0}, std::size_t{1000},
                      [&](std::size_t i) { ++all[i % all.size()].local(); });
    for (auto& one : all)
        EXPECT_EQ(one.combine(std::plus<int>()), 10);
}

// A task that is suspended and resumed, maybe by another thread, finds its own element again.
TEST(enumerable_thread_specific, suspend_aware_follows_the_task) {
    ets_of<int, tbb::ets_suspend_aware> values;
    std::atomic<int> lost{0};
    std::mutex mutex;
    std::vector<std::thread> resumers;
    tbb::task_group group;
    for (int t = 0; t < 12; ++t)
        group.run([&] {
            int* before = &values.local();
            tbb::task::suspend([&](tbb::task::suspend_point point) {
                std::lock_guard lock(mutex);
                resumers.emplace_back([point] { tbb::task::resume(point); });
            });
            lost += before == &values.local() ? 0 : 1;
            ++*before;
        });
    group.wait();
    for (auto& resumer : resumers)
        resumer.join();
    EXPECT_EQ(lost, 0);
    EXPECT_EQ(values.combine(std::plus<int>()), 12);
}

TEST(flattened2d, walks_over_all_containers) {
    tbb::enumerable_thread_specific<std::vector<int>> parts;
    tbb::parallel_for(0, 1000, [&](int i) { parts.local().push_back(i); });
    std::thread([&] { parts.local(); }).join();
    auto flat = tbb::flatten2d(parts);
    EXPECT_EQ(flat.size(), 1000u);
    std::vector<int> all(flat.begin(), flat.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, first_numbers(1000));

    const auto& constant = parts;
    auto first_only = tbb::flatten2d(constant, constant.begin(), std::next(constant.begin()));
    EXPECT_EQ(first_only.size(), parts.begin()->size());
    tbb::enumerable_thread_specific<std::vector<int>> nothing;
    auto empty = tbb::flatten2d(nothing);
    EXPECT_TRUE(empty.begin() == empty.end());
}

TEST(combinable, local_combine_and_clear) {
    tbb::combinable<int> counts;
    tbb::parallel_for(0, 1000, [&](int i) { counts.local() += i; });
    EXPECT_EQ(counts.combine([](int a, int b) { return a + b; }), sum_below(1000));
    int total = 0;
    counts.combine_each([&](int value) { total += value; });
    EXPECT_EQ(total, sum_below(1000));
    counts.clear();
    bool exists = true;
    EXPECT_EQ(counts.local(exists), 0);
    EXPECT_FALSE(exists);
}

TEST(combinable, initial_function_copies_and_moves) {
    tbb::combinable<std::string> words([] { return std::string("a"); });
    EXPECT_EQ(words.combine(std::plus<std::string>()), "a");
    words.local() += "b";
    tbb::combinable<std::string> copy(words);
    copy.local() += "c";
    EXPECT_EQ(words.local(), "ab");
    EXPECT_EQ(copy.local(), "abc");
    words = copy;
    EXPECT_EQ(words.local(), "abc");
    tbb::combinable<std::string> moved(std::move(copy));
    EXPECT_EQ(moved.local(), "abc");
    words = std::move(moved);
    std::thread([&] { EXPECT_EQ(words.local(), "a"); }).join();
}

}  // namespace
