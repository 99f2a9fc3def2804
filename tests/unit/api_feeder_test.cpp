// parallel_for_each with a feeder: items that come up on the way.

#include <string>

#include "unit/api_for_each_support.h"

namespace {

using bough_test::body_ref;
using bough_test::boom;
using bough_test::counter;
using bough_test::filled;
using bough_test::index;
using bough_test::visits;

using fed_body = body_ref<void(int, bough::feeder<int>&)>;

// Below each number n lie 2n+1 and 2n+2: the whole tree grows from its root.
void check_tree(body_ref<void(fed_body)> run) {
    constexpr int size = 4095;
    visits seen(size);
    run([&](int n, bough::feeder<int>& feeder) {
        seen.hit(index(n));
        if (2 * n + 2 < size) {
            feeder.add(2 * n + 1);
            const int right = 2 * n + 2;
            feeder.add(right);
        }
    });
    EXPECT_TRUE(seen.each_once());
}

TEST(api_feeder, grows_a_tree) {
    bough::task_group_context context;
    const std::vector<int> vector{0};
    const std::list<int> list{0};
    check_tree([&](fed_body body) { bough::parallel_for_each(vector, body); });
    check_tree([&](fed_body body) { bough::parallel_for_each(vector, body, context); });
    check_tree([&](fed_body body) { bough::parallel_for_each(list, body); });
    check_tree([&](fed_body body) { bough::parallel_for_each(list, body, context); });
    check_tree([&](fed_body body) { bough::parallel_for_each(counter(0), counter(1), body); });
    EXPECT_FALSE(context.is_group_execution_cancelled());
}

TEST(api_feeder, adds_to_ranges_of_any_kind) {
    constexpr int n = 3000;
    const auto check = [](body_ref<void(fed_body)> run) {
        visits seen(2 * n);
        run([&](int i, bough::feeder<int>& feeder) {
            seen.hit(index(i));
            if (i < n)
                feeder.add(i + n);
        });
        EXPECT_TRUE(seen.each_once());
    };
    const auto vector = filled<std::vector<int>>(n);
    const auto list = filled<std::list<int>>(n);
    check([&](fed_body body) { bough::parallel_for_each(vector, body); });
    check([&](fed_body body) { bough::parallel_for_each(list, body); });
    check([&](fed_body body) { bough::parallel_for_each(counter(0), counter(n), body); });
}

TEST(api_feeder, a_long_chain) {
    std::atomic<int> last{0};
    const std::vector<int> one{1};
    bough::parallel_for_each(one, [&](int n, bough::feeder<int>& feeder) {
        last = n;
        if (n < 50000)
            feeder.add(n + 1);
    });
    EXPECT_EQ(last, 50000);
}

// The feeder says what the items are; the range may hold something else.
TEST(api_feeder, item_type_is_the_feeders) {
    std::atomic<int> sum{0};
    const std::list<int> list{1, 2, 3};
    bough::parallel_for_each(list, [&](long n, bough::feeder<long>& feeder) {
        sum += static_cast<int>(n);
        if (n < 10)
            feeder.add(n * 10);
    });
    EXPECT_EQ(sum, 66);
    // A body that does not say: what the range holds.
    bough::parallel_for_each(list, [&](int n, auto& feeder) {
        sum -= n;
        if (n < 10)
            feeder.add(n * 10);
    });
    EXPECT_EQ(sum, 0);
}

TEST(api_feeder, items_that_can_only_be_moved) {
    using item = std::unique_ptr<int>;
    std::vector<item> items;
    for (int i = 0; i < 20; ++i)
        items.push_back(std::make_unique<int>(3));
    std::atomic<int> count{0};
    bough::parallel_for_each(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()),
                             [&](item&& p, bough::feeder<item>& feeder) {
                                 ++count;
                                 for (int i = 0; *p > 0 && i < 2; ++i)
                                     feeder.add(std::make_unique<int>(*p - 1));
                             });
    EXPECT_EQ(count, 20 * 15);
}

TEST(api_feeder, category_of_an_added_item) {
    struct category {
        std::atomic<int>& rvalues;
        std::atomic<int>& others;
        void operator()(std::string&& s, bough::feeder<std::string>& feeder) const {
            ++rvalues;
            if (s.size() < 3)
                feeder.add(s + "x");
        }
        void operator()(const std::string& s, bough::feeder<std::string>& feeder) const {
            ++others;
            feeder.add(s + "x");
        }
    };
    std::atomic<int> rvalues{0}, others{0};
    const std::vector<std::string> words(10, "w");
    bough::parallel_for_each(words, category{rvalues, others});
    EXPECT_EQ(others, 10);
    EXPECT_EQ(rvalues, 20);
    // Else as a reference that may be changed.
    std::atomic<int> count{0};
    std::vector<int> numbers{3};
    bough::parallel_for_each(numbers, [&](int& n, bough::feeder<int>& feeder) {
        ++count;
        if (n-- > 0)
            feeder.add(n);
    });
    EXPECT_EQ(count, 4);
}

TEST(api_feeder, destroys_every_item_once) {
    const auto token = std::make_shared<int>(5);
    const std::list<std::shared_ptr<int>> items(1000, token);
    std::atomic<int> count{0};
    bough::parallel_for_each(items,
                             [&](const std::shared_ptr<int>& p, bough::feeder<std::shared_ptr<int>>& feeder) {
                                 if (++count <= 500)
                                     feeder.add(p);
                             });
    EXPECT_EQ(count, 1500);
    EXPECT_EQ(token.use_count(), 1001);
    for (int round = 0; round < 20; ++round) {
        EXPECT_THROW(bough::parallel_for_each(
                         items,
                         [&](const std::shared_ptr<int>& p, bough::feeder<std::shared_ptr<int>>& feeder) {
                             feeder.add(p);
                             throw boom{1};
                         }),
                     boom);
        ASSERT_EQ(token.use_count(), 1001) << "also those that never got their turn";
    }
}

TEST(api_feeder, nested) {
    const auto outer = filled<std::list<int>>(100);
    const auto inner = filled<std::list<int>>(300);
    std::atomic<int> count{0};
    bough::parallel_for_each(outer, [&](int) {
        bough::parallel_for_each(inner, [&](int i, bough::feeder<int>& feeder) {
            ++count;
            if (i < 10)
                feeder.add(1000);
        });
    });
    EXPECT_EQ(count, 100 * 310);
}

}  // namespace
