// parallel_for_each: kinds of ranges, how items reach the body, the feeder, endless sources, exceptions, cancellation.

#include <array>
#include <deque>
#include <forward_list>
#include <iterator>
#include <list>
#include <map>
#include <numeric>
#include <sstream>
#include <string>

#include <bough/parallel_for_each.h>

#include "unit/api_support.h"

namespace {

using bough_test::boom;
using bough_test::visits;

// An input iterator: single pass; its values are made on the way.
template <class Value>
class source {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Value;
    using difference_type = std::ptrdiff_t;
    using pointer = const Value*;
    using reference = Value;

    explicit source(int n) : n_(n) {}
    Value operator*() const { return Value(n_); }
    source& operator++() {
        ++n_;
        return *this;
    }
    source operator++(int) { return source(n_++); }
    bool operator==(const source& other) const { return n_ == other.n_; }
    bool operator!=(const source& other) const { return n_ != other.n_; }

private:
    int n_;
};
using counter = source<int>;

std::size_t index(int n) {
    return static_cast<std::size_t>(n);
}

template <class Container>
Container filled(int size) {
    std::vector<int> numbers(index(size));
    std::iota(numbers.begin(), numbers.end(), 0);
    return Container(numbers.begin(), numbers.end());
}

// Sizes around a block of 256 items.
const std::vector<int> sizes{0, 1, 2, 3, 100, 255, 256, 257, 5000};

template <class Container>
void check_container() {
    for (const int n : sizes) {
        auto items = filled<Container>(n);
        const auto& constant = items;
        bough::task_group_context context;
        const auto check = [&](auto run) {
            visits seen(index(n));
            run([&](int i) { seen.hit(index(i)); });
            EXPECT_TRUE(seen.each_once()) << n;
        };
        check([&](auto body) { bough::parallel_for_each(items.begin(), items.end(), body); });
        check([&](auto body) { bough::parallel_for_each(items.begin(), items.end(), body, context); });
        check([&](auto body) { bough::parallel_for_each(items, body); });
        check([&](auto body) { bough::parallel_for_each(items, body, context); });
        check([&](auto body) { bough::parallel_for_each(constant, body); });
        check([&](auto body) { bough::parallel_for_each(constant, body, context); });
        check([&](auto body) { bough::parallel_for_each(filled<Container>(n), body); });
    }
}

TEST(api_for_each, every_kind_of_container) {
    check_container<std::vector<int>>();
    check_container<std::deque<int>>();
    check_container<std::list<int>>();
    check_container<std::forward_list<int>>();
}

TEST(api_for_each, input_iterators) {
    for (const int n : sizes) {
        visits seen(index(n)), with_context(index(n));
        bough::task_group_context context;
        bough::parallel_for_each(counter(0), counter(n), [&](int i) { seen.hit(index(i)); });
        bough::parallel_for_each(counter(0), counter(n), [&](int i) { with_context.hit(index(i)); }, context);
        EXPECT_TRUE(seen.each_once()) << n;
        EXPECT_TRUE(with_context.each_once()) << n;
    }
    std::istringstream text("1 2 3 4 5 6 7 8 9 10");
    std::atomic<int> sum{0};
    bough::parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                             [&](int i) { sum += i; });
    EXPECT_EQ(sum, 55);
}

TEST(api_for_each, elements_are_passed_by_reference) {
    int raw[100] = {};
    bough::parallel_for_each(raw, [](int& i) { ++i; });
    EXPECT_EQ(std::accumulate(std::begin(raw), std::end(raw), 0), 100);
    auto list = filled<std::list<int>>(1000);
    bough::parallel_for_each(list, [](int& i) { i = -i; });
    int n = 0;
    for (const int i : list)
        EXPECT_EQ(i, -n++);
    std::map<int, std::atomic<int>> map;
    for (int i = 0; i < 1000; ++i)
        map[i] = 0;
    bough::parallel_for_each(map, [](auto& pair) { pair.second = pair.first; });
    for (const auto& [key, value] : map)
        EXPECT_EQ(key, value);
    const std::vector<bool> bits(1000, true);
    std::atomic<int> set{0};
    bough::parallel_for_each(bits, [&](bool b) { set += b; });
    EXPECT_EQ(set, 1000);
}

// Says how it was passed: operator() const only, once for each category.
struct told {
    std::atomic<int>&lvalue, &constant, &rvalue;
    void operator()(std::string&) const { ++lvalue; }
    void operator()(const std::string&) const { ++constant; }
    void operator()(std::string&&) const { ++rvalue; }
};

TEST(api_for_each, category_of_an_item) {
    std::atomic<int> lvalue{0}, constant{0}, rvalue{0};
    const told body{lvalue, constant, rvalue};
    std::vector<std::string> words(10);
    const std::vector<std::string> constants(20);
    const std::list<std::string> list(30);
    bough::parallel_for_each(words, body);
    bough::parallel_for_each(constants, body);
    bough::parallel_for_each(list, body);
    bough::parallel_for_each(std::vector<std::string>(40), body);
    bough::parallel_for_each(std::make_move_iterator(words.begin()), std::make_move_iterator(words.end()),
                             body);
    std::istringstream text("a b c");
    bough::parallel_for_each(std::istream_iterator<std::string>(text), std::istream_iterator<std::string>(),
                             body);
    EXPECT_EQ(lvalue, 10);
    EXPECT_EQ(constant, 20 + 30 + 40);
    EXPECT_EQ(rvalue, 10 + 3) << "of move iterators, and the copies of input iterators";
    // A body that takes no rvalue gets the copy as a const reference.
    std::atomic<int> calls{0};
    bough::parallel_for_each(counter(0), counter(10), [&](const int&) { ++calls; });
    EXPECT_EQ(calls, 10);
}

struct immovable {
    explicit immovable(int n) : number(n) {}
    immovable(const immovable&) = delete;
    immovable& operator=(const immovable&) = delete;
    int number;
};

TEST(api_for_each, items_that_cannot_be_copied) {
    std::atomic<int> sum{0};
    bough::parallel_for_each(source<immovable>(0), source<immovable>(1000),
                             [&](const immovable& i) { sum += i.number; });
    EXPECT_EQ(sum, 499500);
    bough::parallel_for_each(source<immovable>(0), source<immovable>(1000),
                             [&](immovable&& i) { sum -= i.number; });
    EXPECT_EQ(sum, 0);
    std::vector<std::unique_ptr<int>> pointers;
    for (int i = 0; i < 1000; ++i)
        pointers.push_back(std::make_unique<int>(i));
    bough::parallel_for_each(pointers, [&](const std::unique_ptr<int>& p) { sum += *p; });
    EXPECT_EQ(sum, 499500);
    bough::parallel_for_each(std::make_move_iterator(pointers.begin()),
                             std::make_move_iterator(pointers.end()),
                             [&](std::unique_ptr<int> p) { sum -= *p; });
    EXPECT_EQ(sum, 0);
}

struct cell {
    void touch() { ++hits; }
    std::atomic<int> hits{0};
};

TEST(api_for_each, kinds_of_bodies) {
    std::vector<cell> cells(100);
    bough::parallel_for_each(cells, &cell::touch);
    for (const cell& c : cells)
        EXPECT_EQ(c.hits, 1);
    static std::atomic<int> sum{0};
    bough::parallel_for_each(filled<std::list<int>>(20), +[](int i) { sum += i; });
    EXPECT_EQ(sum, 190);
    struct uncopied {
        explicit uncopied(std::atomic<int>& c) : calls(c) {}
        uncopied(const uncopied&) = delete;
        uncopied& operator=(const uncopied&) = delete;
        void operator()(int) const { ++calls; }
        std::atomic<int>& calls;
    };
    std::atomic<int> calls{0};
    const uncopied body(calls);
    bough::parallel_for_each(std::vector<int>(50), body);
    bough::parallel_for_each(std::list<int>(50), body);
    EXPECT_EQ(calls, 100);
}

// Below each number n lie 2n+1 and 2n+2: the whole tree grows from its root.
template <class Run>
void check_tree(const Run& run) {
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
    check_tree([&](auto body) { bough::parallel_for_each(vector, body); });
    check_tree([&](auto body) { bough::parallel_for_each(vector, body, context); });
    check_tree([&](auto body) { bough::parallel_for_each(list, body); });
    check_tree([&](auto body) { bough::parallel_for_each(list, body, context); });
    check_tree([&](auto body) { bough::parallel_for_each(counter(0), counter(1), body); });
    EXPECT_FALSE(context.is_group_execution_cancelled());
}

TEST(api_feeder, adds_to_ranges_of_any_kind) {
    constexpr int n = 3000;
    const auto check = [](auto run) {
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
    check([&](auto body) { bough::parallel_for_each(vector, body); });
    check([&](auto body) { bough::parallel_for_each(list, body); });
    check([&](auto body) { bough::parallel_for_each(counter(0), counter(n), body); });
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

// Copies of an endless source's items are counted: they must not pile up.
struct counted {
    explicit counted(int n) : number(n) { ++alive(); }
    counted(const counted& other) : number(other.number) { ++alive(); }
    counted& operator=(const counted&) = delete;
    ~counted() { --alive(); }
    static std::atomic<int>& alive() {
        static std::atomic<int> n{0};
        return n;
    }
    int number;
};

TEST(api_for_each, an_endless_source_keeps_few_items_in_memory) {
    bough::task_group_context context;
    std::atomic<int> most{0};
    bough::parallel_for_each(
        source<counted>(0), source<counted>(-1),
        [&](const counted& c) {
            const int now = counted::alive();
            int seen = most.load();
            while (seen < now && !most.compare_exchange_weak(seen, now)) {
            }
            if (c.number == 200000)
                context.cancel_group_execution();
        },
        context);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    EXPECT_EQ(counted::alive(), 0);
    // A block for each thread; twice that, since one that waits for its own may have taken another.
    EXPECT_LE(most, 2 * 257 * bough_test::allowed_threads());
}

// While one thread is in a long body the others read on: the first item waits for the last.
template <class Run>
void check_first_waits_for_last(int n, const Run& run) {
    if (bough_test::allowed_threads() < 2)
        return;
    std::atomic<bool> last_ran{false}, gave_up{false};
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    run([&](int i) {
        if (i == n - 1)
            last_ran = true;
        while (i == 0 && !last_ran && !gave_up) {
            std::this_thread::yield();
            gave_up = std::chrono::steady_clock::now() > patience;
        }
    });
    EXPECT_FALSE(gave_up) << n << " items";
}

TEST(api_for_each, a_waiting_item_does_not_stop_the_others) {
    for (const int n : {2, 4, 1000, 10000}) {
        const auto list = filled<std::list<int>>(n);
        const auto vector = filled<std::vector<int>>(n);
        check_first_waits_for_last(n, [&](auto body) { bough::parallel_for_each(list, body); });
        check_first_waits_for_last(n, [&](auto body) { bough::parallel_for_each(vector, body); });
        check_first_waits_for_last(
            n, [&](auto body) { bough::parallel_for_each(counter(0), counter(n), body); });
    }
}

template <class Run>
void check_throw(const char* what, const Run& run) {
    for (const int thrower : {0, 1, 300, 999}) {
        std::atomic<int> inside{0};
        try {
            run([&](int i) {
                ++inside;
                bough_test::work_a_little(50);
                --inside;
                if (i == thrower)
                    throw boom{index(i)};
            });
            ADD_FAILURE() << what << ": nothing was thrown";
        } catch (const boom& caught) {
            EXPECT_EQ(caught.where, index(thrower)) << what;
        }
        EXPECT_EQ(inside, 0) << what;
    }
}

TEST(api_for_each, exceptions) {
    const auto vector = filled<std::vector<int>>(1000);
    const auto list = filled<std::list<int>>(1000);
    const std::vector<int> one{0};
    check_throw("vector", [&](auto body) { bough::parallel_for_each(vector, body); });
    check_throw("list", [&](auto body) { bough::parallel_for_each(list, body); });
    check_throw("input", [&](auto body) { bough::parallel_for_each(counter(0), counter(1000), body); });
    check_throw("fed", [&](auto body) {
        bough::parallel_for_each(one, [&](int i, bough::feeder<int>& feeder) {
            feeder.add(i + 1);
            body(i);
        });
    });
    for (const bool by_list : {true, false}) {
        bough::task_group_context context;
        const auto fail = [](int) { throw boom{1}; };
        if (by_list)
            EXPECT_THROW(bough::parallel_for_each(list, fail, context), boom);
        else
            EXPECT_THROW(bough::parallel_for_each(vector, fail, context), boom);
        EXPECT_TRUE(context.is_group_execution_cancelled());
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

// From reading, and from copying an item.
struct failing : counter {
    using counter::counter;
    int operator*() const {
        const int n = counter::operator*();
        if (n == 500)
            throw boom{500};
        return n;
    }
    failing& operator++() {
        counter::operator++();
        return *this;
    }
};

TEST(api_for_each, exceptions_from_the_range) {
    EXPECT_THROW(bough::parallel_for_each(failing(0), failing(1000), [](int) {}), boom);
    std::atomic<int> copies{0};
    struct fragile {
        explicit fragile(std::atomic<int>& c) : copies(c) {}
        fragile(const fragile& other) : copies(other.copies) {
            if (++copies == 200)
                throw boom{200};
        }
        std::atomic<int>& copies;
    };
    const std::list<int> items(100);
    const fragile item(copies);
    EXPECT_THROW(bough::parallel_for_each(items,
                                          [&](int) {
                                              const std::list<fragile> one(1, item);
                                              bough::parallel_for_each(
                                                  one, [](const fragile& f, bough::feeder<fragile>& feeder) {
                                                      feeder.add(f);
                                                  });
                                          }),
                 boom);
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_for_each, a_cancelled_context_runs_nothing) {
    bough::task_group_context context;
    context.cancel_group_execution();
    const auto fail = [](int) { ADD_FAILURE() << "ran"; };
    bough::parallel_for_each(filled<std::vector<int>>(100), fail, context);
    bough::parallel_for_each(filled<std::list<int>>(100), fail, context);
    bough::parallel_for_each(counter(0), counter(100), fail, context);
    context.reset();
    const std::vector<int> one{0};
    bough::parallel_for_each(
        one,
        [&](int n, bough::feeder<int>& feeder) {  // ends only by being cancelled
            if (n == 5000)
                context.cancel_group_execution();
            feeder.add(n + 1);
        },
        context);
    EXPECT_TRUE(context.is_group_execution_cancelled());
}

TEST(api_for_each, nested) {
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
