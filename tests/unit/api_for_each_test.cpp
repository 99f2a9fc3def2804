// parallel_for_each: kinds of ranges, how items reach the body, endless sources, items that wait.

#include <deque>
#include <map>
#include <sstream>
#include <string>

#include "unit/api_for_each_support.h"
#include "unit/blocking_bodies.h"

namespace {

using bough_test::body_ref;
using bough_test::counter;
using bough_test::filled;
using bough_test::index;
using bough_test::source;
using bough_test::visits;

// Sizes around a block of 256 items.
const std::vector<int> sizes{0, 1, 2, 3, 100, 255, 256, 257, 5000};

template <class Container>
void check_container() {
    for (const int n : sizes) {
        auto items = filled<Container>(n);
        const auto& constant = items;
        bough::task_group_context context;
        const auto check = [n](body_ref<void(body_ref<void(int)>)> run) {
            visits seen(index(n));
            run([&](int i) { seen.hit(index(i)); });
            EXPECT_TRUE(seen.each_once()) << n;
        };
        check([&](body_ref<void(int)> body) { bough::parallel_for_each(items.begin(), items.end(), body); });
        check([&](body_ref<void(int)> body) {
            bough::parallel_for_each(items.begin(), items.end(), body, context);
        });
        check([&](body_ref<void(int)> body) { bough::parallel_for_each(items, body); });
        check([&](body_ref<void(int)> body) { bough::parallel_for_each(items, body, context); });
        check([&](body_ref<void(int)> body) { bough::parallel_for_each(constant, body); });
        check([&](body_ref<void(int)> body) { bough::parallel_for_each(constant, body, context); });
        check([&](body_ref<void(int)> body) { bough::parallel_for_each(filled<Container>(n), body); });
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
        bough::parallel_for_each(counter(0), counter(n),
                                 body_ref<void(int)>([&](int i) { seen.hit(index(i)); }));
        bough::parallel_for_each(counter(0), counter(n),
                                 body_ref<void(int)>([&](int i) { with_context.hit(index(i)); }), context);
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
    std::atomic<bool> last_ran{false}, in_time{false};
    run([&](int i) {
        if (i == n - 1)
            last_ran = true;
        if (i == 0)
            in_time = bough_test::comes_true([&] { return last_ran.load(); });
    });
    EXPECT_TRUE(in_time) << n << " items";
}

TEST(api_for_each, a_waiting_item_does_not_stop_the_others) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the first item waits for the last");
    for (const int n : {2, 4, 1000, 10000}) {
        const auto list = filled<std::list<int>>(n);
        const auto vector = filled<std::vector<int>>(n);
        check_first_waits_for_last(n, [&](auto body) { bough::parallel_for_each(list, body); });
        check_first_waits_for_last(n, [&](auto body) { bough::parallel_for_each(vector, body); });
        check_first_waits_for_last(
            n, [&](auto body) { bough::parallel_for_each(counter(0), counter(n), body); });
    }
}

}  // namespace
