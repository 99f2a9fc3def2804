// parallel_sort: kinds of elements and of containers.

#include <array>
#include <deque>
#include <string>

#include "unit/api_sort_support.h"

namespace {

using bough_test::random_ints;

TEST(api_sort, every_container) {
    const auto numbers = random_ints(50000, 1000000);
    std::deque<int> deque(numbers.begin(), numbers.end());
    bough::parallel_sort(deque);
    EXPECT_TRUE(std::is_sorted(deque.begin(), deque.end()));
    std::array<int, 5> array{5, 3, 1, 2, 4};
    bough::parallel_sort(array);
    EXPECT_TRUE(std::is_sorted(array.begin(), array.end()));
    std::vector<bool> bits(1000);  // references that are none; short, since neighbours share a word
    for (std::size_t i = 0; i < bits.size(); ++i)
        bits[i] = i * 7919 % 13 % 2;
    const auto set = std::count(bits.begin(), bits.end(), true);
    bough::parallel_sort(bits.begin(), bits.end());
    EXPECT_TRUE(std::is_sorted(bits.begin(), bits.end()));
    EXPECT_EQ(std::count(bits.begin(), bits.end(), true), set);
}

TEST(api_sort, move_only_elements) {
    std::vector<std::unique_ptr<int>> pointers;
    for (int n : random_ints(70000, 5000))
        pointers.push_back(std::make_unique<int>(n));
    const auto less = [](const auto& a, const auto& b) { return *a < *b; };  // a lost one would crash
    bough::parallel_sort(pointers, less);
    EXPECT_TRUE(std::is_sorted(pointers.begin(), pointers.end(), less));
}

// Neither default-constructible nor assignable from anything but itself; wider than what is copied without branches.
struct record {
    explicit record(int k) : key(k), text(std::to_string(k)) {}
    bool operator<(const record& other) const { return key < other.key; }
    int key;
    std::string text;
};

TEST(api_sort, records_keep_together) {
    std::vector<record> records;
    for (int n : random_ints(60000, 3000))
        records.emplace_back(n);
    bough::parallel_sort(records);
    EXPECT_TRUE(std::is_sorted(records.begin(), records.end()));
    for (const record& r : records)
        ASSERT_EQ(std::to_string(r.key), r.text);
}

}  // namespace
