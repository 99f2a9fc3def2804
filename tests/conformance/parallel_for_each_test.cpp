// tbb::parallel_for_each: kinds of iterators and containers, items, bodies, the feeder, exceptions and cancellation.
#include "support.h"

#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/task_group.h>

#include <array>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <map>
#include <numeric>
#include <sstream>

using namespace conformance;

namespace {

// An input iterator over numbers: single pass, and the values are made on the way.
class counter {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;

    explicit counter(int n) : n_(n) {}
    int operator*() const { return n_; }
    counter& operator++() {
        ++n_;
        return *this;
    }
    counter operator++(int) { return counter(n_++); }
    bool operator==(const counter& other) const { return n_ == other.n_; }
    bool operator!=(const counter& other) const { return n_ != other.n_; }

private:
    int n_;
};

template <typename Container>
Container filled(int size) {
    std::vector<int> numbers(static_cast<std::size_t>(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    return Container(numbers.begin(), numbers.end());
}

template <typename Container>
void expect_visits_container() {
    for (int size : {0, 1, 3, 4, 5, 500}) {
        auto items = filled<Container>(size);
        visits seen(static_cast<std::size_t>(size));
        const auto body = [&](int i) { seen.add(static_cast<std::size_t>(i)); };
        const auto expect_seen = [&] {
            EXPECT_TRUE(seen.each_once());
            seen.clear();
        };
        tbb::task_group_context context;
        tbb::parallel_for_each(items.begin(), items.end(), body);
        expect_seen();
        tbb::parallel_for_each(items.begin(), items.end(), body, context);
        expect_seen();
        tbb::parallel_for_each(items, body);
        expect_seen();
        tbb::parallel_for_each(items, body, context);
        expect_seen();
        const auto& constant = items;
        tbb::parallel_for_each(constant, body);
        expect_seen();
        tbb::parallel_for_each(constant, body, context);
        expect_seen();
        tbb::parallel_for_each(constant.begin(), constant.end(), body);
        expect_seen();
    }
}

TEST(parallel_for_each, every_kind_of_container) {
    for_widths([] {
        expect_visits_container<std::vector<int>>();
        expect_visits_container<std::deque<int>>();
        expect_visits_container<std::list<int>>();
        expect_visits_container<std::forward_list<int>>();
    });
}

TEST(parallel_for_each, input_iterators) {
    for_widths([] {
        for (int size : {0, 1, 3, 4, 5, 1000}) {
            visits seen(static_cast<std::size_t>(size));
            tbb::parallel_for_each(counter(0), counter(size),
                                   [&](int i) { seen.add(static_cast<std::size_t>(i)); });
            EXPECT_TRUE(seen.each_once());
        }
        std::istringstream text("1 2 3 4 5 6 7 8 9 10");
        std::atomic<int> sum{0};
        tbb::parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                               [&](int i) { sum += i; });
        EXPECT_EQ(sum, 55);
    });
}

TEST(parallel_for_each, arrays_pointers_maps_and_bools) {
    for_widths([] {
        int raw[100] = {};
        tbb::parallel_for_each(raw, [](int& i) { ++i; });
        tbb::parallel_for_each(std::begin(raw), std::end(raw), [](int& i) { ++i; });
        EXPECT_EQ(std::accumulate(std::begin(raw), std::end(raw), 0), 200);
        std::array<int, 0> none;
        tbb::parallel_for_each(none, [](int) { ADD_FAILURE(); });
        std::map<int, std::atomic<int>> map;
        for (int i = 0; i < 100; ++i)
            map[i] = 0;
        tbb::parallel_for_each(map, [](auto& pair) { pair.second = pair.first; });
        for (auto& [key, value] : map)
            EXPECT_EQ(key, value);
        const std::vector<bool> bits(100, true);
        std::atomic<int> set{0};
        tbb::parallel_for_each(bits, [&](bool b) { set += b; });
        EXPECT_EQ(set, 100);
    });
}

TEST(parallel_for_each, elements_are_passed_by_reference) {
    for_widths([] {
        auto vector = filled<std::vector<int>>(500);
        auto list = filled<std::list<int>>(500);
        tbb::parallel_for_each(vector, [](int& i) { i = -i; });
        tbb::parallel_for_each(list.begin(), list.end(), [](int& i) { i = -i; });
        int n = 0;
        for (int i : vector)
            EXPECT_EQ(i, -n++);
        n = 0;
        for (int i : list)
            EXPECT_EQ(i, -n++);
    });
}

TEST(parallel_for_each, move_only_items) {
    using item = std::unique_ptr<int>;
    for_widths([] {
        std::vector<item> items;
        for (int i = 0; i < 200; ++i)
            items.push_back(std::make_unique<int>(i));
        std::atomic<int> sum{0};
        tbb::parallel_for_each(items, [&](item& p) { sum += *p; });
        tbb::parallel_for_each(items, [&](const item& p) { sum += *p; });
        EXPECT_EQ(sum, 2 * 19900);
        tbb::parallel_for_each(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()),
                               [&](item&& p) {
                                   const item mine = std::move(p);
                                   sum += *mine;
                               });
        EXPECT_EQ(sum, 3 * 19900);
        for (const item& p : items)
            EXPECT_EQ(p, nullptr);
    });
}

TEST(parallel_for_each, kinds_of_bodies) {
    struct cell {
        void touch() { ++hits; }
        std::atomic<int> hits{0};
    };
    struct once_only {
        explicit once_only(std::atomic<int>& c) : calls(c) {}
        once_only(const once_only&) = delete;
        void operator()(int) const { ++calls; }
        std::atomic<int>& calls;
    };
    for_widths([] {
        std::vector<cell> cells(100);
        tbb::parallel_for_each(cells, &cell::touch);
        for (const cell& c : cells)
            EXPECT_EQ(c.hits, 1);
        std::atomic<int> calls{0};
        const once_only body(calls);
        tbb::parallel_for_each(std::vector<int>(50), body);
        EXPECT_EQ(calls, 50);
        static std::atomic<int> count;
        count = 0;
        tbb::parallel_for_each(filled<std::list<int>>(20), +[](int i) { count += i; });
        EXPECT_EQ(count, 190);
    });
}

TEST(parallel_for_each, nested) {
    for_widths([] {
        const auto outer = filled<std::vector<int>>(30);
        const auto inner = filled<std::list<int>>(30);
        std::atomic<int> count{0};
        tbb::parallel_for_each(outer, [&](int) { tbb::parallel_for_each(inner, [&](int) { ++count; }); });
        EXPECT_EQ(count, 900);
    });
}

// Below each number n lie 2n+1 and 2n+2: the feeder grows the whole tree from its root.
template <typename Items>
void expect_feeder_grows_tree(const Items& roots) {
    constexpr int size = 1023;
    visits seen(size);
    tbb::parallel_for_each(roots.begin(), roots.end(), [&](int n, tbb::feeder<int>& feeder) {
        seen.add(static_cast<std::size_t>(n));
        if (2 * n + 2 < size) {
            feeder.add(2 * n + 1);
            const int right = 2 * n + 2;
            feeder.add(right);
        }
    });
    EXPECT_TRUE(seen.each_once());
}

TEST(feeder, adds_items) {
    for_widths([] {
        expect_feeder_grows_tree(std::vector<int>{0});
        expect_feeder_grows_tree(std::list<int>{0});
        visits seen(300);
        tbb::parallel_for_each(counter(0), counter(100), [&](int n, tbb::feeder<int>& feeder) {
            seen.add(static_cast<std::size_t>(n));
            if (n < 200)
                feeder.add(n + 100);
        });
        EXPECT_TRUE(seen.each_once()) << "input iterators";
    });
}

TEST(feeder, a_long_chain) {
    for_widths([] {
        std::atomic<int> last{0};
        const std::vector<int> one{1};
        tbb::parallel_for_each(one, [&](int n, tbb::feeder<int>& feeder) {
            last = n;
            if (n < 20000)
                feeder.add(n + 1);
        });
        EXPECT_EQ(last, 20000);
    });
}

TEST(feeder, move_only_items) {
    using item = std::unique_ptr<int>;
    for_widths([] {
        std::vector<item> items;
        for (int i = 0; i < 20; ++i)
            items.push_back(std::make_unique<int>(3));
        std::atomic<int> count{0};
        tbb::parallel_for_each(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()),
                               [&](item&& p, tbb::feeder<item>& feeder) {
                                   ++count;
                                   const int depth = *p;
                                   for (int i = 0; depth > 0 && i < 2; ++i)
                                       feeder.add(std::make_unique<int>(depth - 1));
                               });
        EXPECT_EQ(count, 20 * 15);
    });
}

TEST(feeder, items_are_destroyed) {
    for_widths([] {
        const auto token = std::make_shared<int>(5);
        std::vector<std::shared_ptr<int>> items(100, token);
        std::atomic<int> count{0};
        tbb::parallel_for_each(items,
                               [&](const std::shared_ptr<int>& p, tbb::feeder<std::shared_ptr<int>>& feeder) {
                                   if (++count <= 50)
                                       feeder.add(p);
                               });
        EXPECT_EQ(count, 150);
        EXPECT_EQ(token.use_count(), 101);
        EXPECT_EQ(number_thrown_by([&] {
                      tbb::parallel_for_each(items,
                                             [&](const auto& p, tbb::feeder<std::shared_ptr<int>>& feeder) {
                                                 feeder.add(p);
                                                 throw test_error(1);
                                             });
                  }),
                  1);
        EXPECT_EQ(token.use_count(), 101) << "also those that never got their turn";
    });
}

TEST(parallel_for_each, throws) {
    for_widths([] {
        const auto vector = filled<std::vector<int>>(200);
        const auto list = filled<std::list<int>>(200);
        const auto fail = [](int) { throw test_error(1); };
        const auto fail_later = [](int n, tbb::feeder<int>& feeder) {
            if (n >= 1000)
                throw test_error(2);
            feeder.add(n + 200);
        };
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for_each(vector, fail); }), 1);
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for_each(list, fail); }), 1);
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for_each(counter(0), counter(200), fail); }), 1);
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for_each(vector, fail_later); }), 2);
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for_each(list, fail_later); }), 2);
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for_each(counter(0), counter(200), fail_later); }), 2);
        tbb::task_group_context context;
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_for_each(vector, fail, context); }), 1);
        EXPECT_TRUE(context.is_group_execution_cancelled());
    });
}

// Throws from its fifth copy on: one exception may be kept in a group that nobody waits for any more, while its thread
// works off another item, which feeds itself until it ends so.
struct fragile {
    explicit fragile(std::atomic<int>& c) : copies(&c) {}
    fragile(const fragile& other) : copies(other.copies) {
        if (++*copies >= 5)
            throw test_error(6);
    }
    fragile& operator=(const fragile&) = default;
    std::atomic<int>* copies;
};

TEST(feeder, throws_from_the_copy_of_an_item) {
    for_widths([] {
        std::atomic<int> copies{0};
        const std::list<int> items(100);
        fragile item(copies);
        EXPECT_EQ(number_thrown_by([&] {
                      tbb::parallel_for_each(items.begin(), items.end(), [&](int) {
                          const std::vector<fragile> one(1, item);
                          tbb::parallel_for_each(
                              one, [](const fragile& f, tbb::feeder<fragile>& feeder) { feeder.add(f); });
                      });
                  }),
                  6);
    });
}

TEST(parallel_for_each, cancelled) {
    for_widths([] {
        tbb::task_group_context context;
        context.cancel_group_execution();
        tbb::parallel_for_each(filled<std::vector<int>>(100), [](int) { ADD_FAILURE(); }, context);
        tbb::parallel_for_each(filled<std::list<int>>(100), [](int) { ADD_FAILURE(); }, context);
        tbb::parallel_for_each(counter(0), counter(100), [](int) { ADD_FAILURE(); }, context);
        context.reset();
        const std::vector<int> one{0};
        tbb::parallel_for_each(
            one,
            [&](int n, tbb::feeder<int>& feeder) {  // ends only by being cancelled
                if (n == 500)
                    context.cancel_group_execution();
                feeder.add(n + 1);
            },
            context);
        EXPECT_TRUE(context.is_group_execution_cancelled());
    });
}

}  // namespace
