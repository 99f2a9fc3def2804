// parallel_for_each that ends early: exceptions of bodies and of ranges, cancellation.

#include "unit/api_for_each_support.h"

namespace {

using bough_test::body_ref;
using bough_test::boom;
using bough_test::counter;
using bough_test::filled;
using bough_test::index;

void check_throw(const char* what, body_ref<void(body_ref<void(int)>)> run) {
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
    check_throw("vector", [&](body_ref<void(int)> body) { bough::parallel_for_each(vector, body); });
    check_throw("list", [&](body_ref<void(int)> body) { bough::parallel_for_each(list, body); });
    check_throw("input",
                [&](body_ref<void(int)> body) { bough::parallel_for_each(counter(0), counter(1000), body); });
    check_throw("fed", [&](body_ref<void(int)> body) {
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
            // Every one from then on: a thread that waits for the loop that failed may have taken up another one.
            if (++copies >= 200)
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

// Items that were read, and have not begun, belong to those that are left out.
TEST(api_for_each, no_item_begins_after_a_cancellation) {
    const auto list = filled<std::list<int>>(200);
    const auto run_of = [](auto first, auto last) {
        int run = 0;
        bough::task_group_context context;
        const auto body = [&](int) {
            if (++run == 10)
                context.cancel_group_execution();
        };
        // In one thread it is the item that asks.
        bough::task_arena(1).execute([&] { bough::parallel_for_each(first, last, body, context); });
        return run;
    };
    EXPECT_EQ(run_of(list.begin(), list.end()), 10);
    EXPECT_EQ(run_of(counter(0), counter(200)), 10);
}

}  // namespace
