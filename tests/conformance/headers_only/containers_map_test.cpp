// concurrent_hash_map, the ordered and the unordered containers under concurrent use.

#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/concurrent_map.h>
#include <oneapi/tbb/concurrent_set.h>
#include <oneapi/tbb/concurrent_unordered_map.h>
#include <oneapi/tbb/concurrent_unordered_set.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "headers_only_support.h"

namespace {

using headers_only::first_numbers;
using headers_only::gate;
using headers_only::sum_below;
using headers_only::test_error;

using hash_map = tbb::concurrent_hash_map<int, int>;

TEST(concurrent_hash_map, an_accessor_is_a_lock_on_its_element) {
    hash_map map;
    tbb::parallel_for(0, 4000, [&](int i) {
        hash_map::accessor element;
        map.insert(element, i % 40);
        ++element->second;
    });
    EXPECT_EQ(map.size(), 40u);
    for (const auto& [key, count] : map)
        EXPECT_EQ(count, 100) << key;
}

TEST(concurrent_hash_map, insert_find_erase) {
    hash_map map;
    std::atomic<int> inserted{0};
    std::atomic<int> erased{0};
    tbb::parallel_for(0, 2000, [&](int i) {
        inserted += map.insert({i % 500, i}) ? 1 : 0;
        hash_map::const_accessor found;
        EXPECT_TRUE(map.find(found, i % 500));
        EXPECT_EQ(found->second % 500, i % 500);
    });
    EXPECT_EQ(inserted, 500);
    tbb::parallel_for(0, 2000, [&](int i) { erased += map.erase(i % 500) ? 1 : 0; });
    EXPECT_EQ(erased, 500);
    EXPECT_TRUE(map.empty());
    EXPECT_EQ(map.count(3), 0u);
}

// Inserts and erasures of the same keys at once: what is left is what the calls report.
TEST(concurrent_hash_map, insert_and_erase_at_once) {
    hash_map map;
    std::atomic<int> balance{0};
    tbb::parallel_for(0, 4000, [&](int i) {
        const int key = i % 16;
        if (i / 16 % 2 == 0) {
            balance += map.emplace(key, i) ? 1 : 0;
        } else {
            hash_map::accessor element;
            if (map.find(element, key))
                balance -= map.erase(element) ? 1 : 0;
        }
    });
    EXPECT_EQ(static_cast<int>(map.size()), balance);
}

TEST(concurrent_hash_map, readers_share_an_element_and_writers_wait) {
    hash_map map;
    map.insert({1, 10});
    gate both_read;
    hash_map::const_accessor mine;
    ASSERT_TRUE(map.find(mine, 1));
    std::thread reader([&] {
        hash_map::const_accessor other;
        EXPECT_TRUE(map.find(other, 1));
        both_read.open();
    });
    both_read.wait();
    reader.join();
    std::atomic<bool> released{false};
    std::thread writer([&] {
        hash_map::accessor element;
        EXPECT_TRUE(map.find(element, 1));
        EXPECT_TRUE(released);
        element->second = 11;
    });
    EXPECT_EQ(mine->second, 10);
    released = true;
    mine.release();
    writer.join();
    ASSERT_TRUE(map.find(mine, 1));
    EXPECT_EQ(mine->second, 11);
}

TEST(concurrent_hash_map, grows_while_it_is_read) {
    tbb::concurrent_hash_map<std::string, int> map;
    tbb::parallel_invoke(
        [&] { tbb::parallel_for(0, 2000, [&](int i) { map.insert({std::to_string(i), i}); }); },
        [&] {
            tbb::parallel_for(0, 2000, [&](int i) {
                tbb::concurrent_hash_map<std::string, int>::const_accessor found;
                if (map.find(found, std::to_string(i))) {
                    EXPECT_EQ(found->second, i);
                }
            });
        });
    EXPECT_EQ(map.size(), 2000u);
    map.rehash(5000);
    std::atomic<int> sum{0};
    tbb::parallel_for(map.range(), [&](const auto& range) {
        for (const auto& element : range)
            sum += element.second;
    });
    EXPECT_EQ(sum, sum_below(2000));
    auto copy = map;
    map.clear();
    EXPECT_EQ(copy.size(), 2000u);
    swap(copy, map);
    EXPECT_TRUE(copy.empty());
}

struct throwing_value {
    throwing_value() = default;
    explicit throwing_value(int value) {
        if (value == 13)
            throw test_error(value);
    }
};

TEST(concurrent_hash_map, a_throwing_value_is_not_inserted) {
    tbb::concurrent_hash_map<int, throwing_value> map;
    std::atomic<int> caught{0};
    tbb::parallel_for(0, 100, [&](int i) {
        try {
            map.emplace(i, i);
        } catch (const test_error&) {
            ++caught;
        }
    });
    EXPECT_EQ(caught, 1);
    EXPECT_EQ(map.size(), 99u);
    EXPECT_EQ(map.count(13), 0u);
}

template <class Set>
class every_set : public testing::Test {};
using sets = testing::Types<tbb::concurrent_set<int>, tbb::concurrent_unordered_set<int>>;
TYPED_TEST_SUITE(every_set, sets);

TYPED_TEST(every_set, one_of_each) {
    TypeParam set;
    std::atomic<int> inserted{0};
    tbb::parallel_for(0, 4000, [&](int i) {
        const auto [where, fresh] = set.insert(i % 1000);
        EXPECT_EQ(*where, i % 1000);
        inserted += fresh ? 1 : 0;
        EXPECT_TRUE(set.contains(i % 1000));
        EXPECT_NE(set.find(i % 1000), set.end());
    });
    EXPECT_EQ(inserted, 1000);
    EXPECT_EQ(set.size(), 1000u);
    std::vector<int> all(set.begin(), set.end());
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, first_numbers(1000));
    std::atomic<int> sum{0};
    tbb::parallel_for(set.range(), [&](const auto& range) {
        for (int value : range)
            sum += value;
    });
    EXPECT_EQ(sum, sum_below(1000));
    for (int i = 0; i < 1000; i += 2)
        EXPECT_EQ(set.unsafe_erase(i), 1u);
    EXPECT_EQ(set.size(), 500u);
}

template <class Set>
class every_multiset : public testing::Test {};
using multisets = testing::Types<tbb::concurrent_multiset<int>, tbb::concurrent_unordered_multiset<int>>;
TYPED_TEST_SUITE(every_multiset, multisets);

TYPED_TEST(every_multiset, all_of_each) {
    TypeParam set;
    tbb::parallel_for(0, 2000, [&](int i) { set.emplace(i % 100); });
    EXPECT_EQ(set.size(), 2000u);
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(set.count(i), 20u);
    auto copy = set;
    set.clear();
    EXPECT_TRUE(set.empty());
    set.merge(copy);
    EXPECT_EQ(set.size(), 2000u);
}

template <class Map>
class every_map : public testing::Test {};
using maps = testing::Types<tbb::concurrent_map<int, std::atomic<int>>,
                            tbb::concurrent_unordered_map<int, std::atomic<int>>>;
TYPED_TEST_SUITE(every_map, maps);

TYPED_TEST(every_map, elements_are_made_once) {
    TypeParam map;
    tbb::parallel_for(0, 3000, [&](int i) { ++map[i % 30]; });
    EXPECT_EQ(map.size(), 30u);
    for (auto& [key, count] : map)
        EXPECT_EQ(count, 100) << key;
    EXPECT_EQ(map.at(29), 100);
    EXPECT_THROW(map.at(30), std::out_of_range);
    const auto& constant = map;
    EXPECT_THROW(constant.at(31), std::out_of_range);
}

TYPED_TEST(every_map, iterates_while_others_insert) {
    TypeParam map;
    std::atomic<int> strange{0};
    tbb::parallel_invoke([&] { tbb::parallel_for(0, 2000, [&](int i) { map.emplace(i, i); }); },
                         [&] {
                             for (int round = 0; round < 5; ++round)
                                 for (auto& [key, value] : map)
                                     strange += key == value ? 0 : 1;
                         });
    EXPECT_EQ(strange, 0);
    EXPECT_EQ(map.size(), 2000u);
}

TEST(concurrent_map, keeps_the_order) {
    tbb::concurrent_map<int, std::string> map;
    tbb::parallel_for(0, 1000, [&](int i) { map.insert({(i * 7919) % 1000, "x"}); });
    std::vector<int> keys;
    for (const auto& element : map)
        keys.push_back(element.first);
    EXPECT_EQ(keys, first_numbers(1000));
    EXPECT_EQ(map.lower_bound(500)->first, 500);
    EXPECT_EQ(map.upper_bound(500)->first, 501);
    auto node = map.unsafe_extract(3);
    node.key() = 5000;
    map.insert(std::move(node));
    EXPECT_TRUE(map.contains(5000));
    EXPECT_FALSE(map.contains(3));
}

TEST(concurrent_multimap, equal_range) {
    tbb::concurrent_multimap<int, int> ordered;
    tbb::concurrent_unordered_multimap<int, int> unordered;
    tbb::parallel_for(0, 1000, [&](int i) {
        ordered.emplace(i % 10, i);
        unordered.emplace(i % 10, i);
    });
    std::set<int> from_ordered;
    std::set<int> from_unordered;
    for (auto [i, end] = ordered.equal_range(3); i != end; ++i)
        from_ordered.insert(i->second);
    for (auto [i, end] = unordered.equal_range(3); i != end; ++i)
        from_unordered.insert(i->second);
    EXPECT_EQ(from_ordered.size(), 100u);
    EXPECT_EQ(from_ordered, from_unordered);
}

TEST(concurrent_unordered_map, buckets_and_load_factor) {
    tbb::concurrent_unordered_map<int, int> map;
    EXPECT_THROW(map.max_load_factor(-1.0f), std::out_of_range);
    map.max_load_factor(2.0f);
    tbb::parallel_for(0, 1000, [&](int i) { map.insert({i, i}); });
    EXPECT_GE(map.unsafe_bucket_count() * 2, 1000u);
    map.rehash(4096);
    EXPECT_GE(map.unsafe_bucket_count(), 4096u);
    for (int i = 0; i < 1000; ++i)
        ASSERT_EQ(map.at(i), i);
}

}  // namespace
