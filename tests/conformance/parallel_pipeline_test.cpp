// tbb::parallel_pipeline and tbb::filter: modes, composition, order, tokens, exceptions and cancellation.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/task_group.h>

using namespace conformance;
using tbb::filter;
using tbb::filter_mode;
using tbb::flow_control;
using tbb::make_filter;

namespace {

constexpr filter_mode modes[] = {filter_mode::parallel, filter_mode::serial_in_order,
                                 filter_mode::serial_out_of_order};

// Gives 0, 1 ... size - 1. It may be called once more after it has said stop, by other threads, if it is parallel.
auto source(std::atomic<int>& next, int size) {
    return [&next, size](flow_control& control) {
        const int n = next++;
        if (n >= size)
            control.stop();
        return n;
    };
}

TEST(parallel_pipeline, all_modes) {
    for_widths([] {
        for (filter_mode first : modes) {
            for (filter_mode second : modes) {
                for (filter_mode third : modes) {
                    std::atomic<int> next{0};
                    visits seen(100);
                    tbb::parallel_pipeline(
                        4, make_filter<void, int>(first, source(next, 100)) &
                               make_filter<int, long>(second, [](int n) { return long(n) * 3; }) &
                               make_filter<long, void>(third, [&](long n) {
                                   EXPECT_EQ(n % 3, 0);
                                   seen.add(std::size_t(n / 3));
                               }));
                    EXPECT_TRUE(seen.each_once());
                }
            }
        }
    });
}

TEST(parallel_pipeline, every_form_of_the_call) {
    for_widths([] {
        std::atomic<int> next{0}, sum{0};
        const auto first = make_filter<void, int>(filter_mode::serial_in_order, source(next, 10));
        const auto middle = make_filter<int, int>(filter_mode::parallel, [](int n) { return n + 1; });
        const auto last = make_filter<int, void>(filter_mode::parallel, [&](int n) { sum += n; });
        tbb::task_group_context context;
        const auto expect_sum = [&](int expected) {
            EXPECT_EQ(sum, expected);
            next = 0;
            sum = 0;
        };
        tbb::parallel_pipeline(2, first & last);
        expect_sum(45);
        tbb::parallel_pipeline(2, first & last, context);
        expect_sum(45);
        tbb::parallel_pipeline(2, first, last);
        expect_sum(45);
        tbb::parallel_pipeline(2, first, last, context);
        expect_sum(45);
        tbb::parallel_pipeline(2, first, middle, middle, last);
        expect_sum(65);
        tbb::parallel_pipeline(2, first, middle, middle, last, context);
        expect_sum(65);
    });
}

TEST(parallel_pipeline, one_filter_alone) {
    for_widths([] {
        for (filter_mode mode : modes) {
            std::atomic<int> calls{0};
            tbb::parallel_pipeline(3, make_filter<void, void>(mode, [&](flow_control& control) {
                                       if (++calls >= 50)
                                           control.stop();
                                   }));
            EXPECT_GE(calls, 50);
        }
    });
}

TEST(parallel_pipeline, an_input_that_stops_at_once) {
    for_widths([] {
        for (filter_mode mode : modes) {
            std::atomic<int> next{0};
            tbb::parallel_pipeline(4, make_filter<void, int>(mode, source(next, 0)) &
                                          make_filter<int, void>(mode, [](int) { ADD_FAILURE(); }));
            EXPECT_GE(next, 1);
        }
    });
}

TEST(parallel_pipeline, serial_in_order_keeps_the_order_of_the_input) {
    for_widths([] {
        for (std::size_t tokens : {1u, 2u, 16u}) {
            std::atomic<int> next{0};
            std::vector<int> middle, last;
            tbb::parallel_pipeline(
                tokens,
                make_filter<void, int>(filter_mode::serial_in_order, source(next, 300)) &
                    make_filter<int, int>(filter_mode::parallel,
                                          [](int n) {
                                              if (n % 64 == 0)
                                                  std::this_thread::yield();
                                              return n;
                                          }) &
                    make_filter<int, int>(filter_mode::serial_in_order,
                                          [&](int n) {
                                              middle.push_back(n);
                                              return n;
                                          }) &
                    make_filter<int, int>(filter_mode::parallel, [](int n) { return n; }) &
                    make_filter<int, void>(filter_mode::serial_in_order, [&](int n) { last.push_back(n); }));
            std::vector<int> expected;
            for (int i = 0; i < 300; ++i)
                expected.push_back(i);
            EXPECT_EQ(middle, expected);
            EXPECT_EQ(last, expected);
        }
    });
}

TEST(parallel_pipeline, in_order_filters_agree_on_an_order_behind_a_parallel_input) {
    for_widths([] {
        std::atomic<int> next{0};
        std::vector<int> first, second;
        const auto note = [](std::vector<int>& where) {
            return [&where](int n) {
                where.push_back(n);
                return n;
            };
        };
        tbb::parallel_pipeline(8, make_filter<void, int>(filter_mode::parallel, source(next, 300)) &
                                      make_filter<int, int>(filter_mode::serial_in_order, note(first)) &
                                      make_filter<int, int>(filter_mode::parallel, [](int n) { return n; }) &
                                      make_filter<int, int>(filter_mode::serial_in_order, note(second)) &
                                      make_filter<int, void>(filter_mode::parallel, [](int) {}));
        EXPECT_EQ(first.size(), 300u);
        EXPECT_EQ(first, second);
    });
}

TEST(parallel_pipeline, serial_filters_take_one_at_a_time_and_tokens_are_limited) {
    for_widths([] {
        for (int tokens : {1, 2, 5}) {
            for (filter_mode serial : {filter_mode::serial_in_order, filter_mode::serial_out_of_order}) {
                std::atomic<int> next{0};
                occupancy in_source, in_serial, alive;
                tbb::parallel_pipeline(
                    std::size_t(tokens),
                    make_filter<void, int>(serial, [&](flow_control& control) {
                        in_source.enter();
                        const int n = next++;
                        if (n >= 200)
                            control.stop();
                        else
                            alive.enter();
                        in_source.leave();
                        return n;
                    }) & make_filter<int, int>(filter_mode::parallel, [](int n) {
                        return n;
                    }) & make_filter<int, int>(serial, [&](int n) {
                        in_serial.enter();
                        if (n % 50 == 0)
                            std::this_thread::yield();
                        in_serial.leave();
                        return n;
                    }) & make_filter<int, void>(filter_mode::parallel, [&](int) { alive.leave(); }));
                EXPECT_EQ(in_source.most(), 1);
                EXPECT_EQ(in_serial.most(), 1);
                EXPECT_LE(alive.most(), tokens);
            }
        }
    });
}

TEST(filter, constructed_copied_composed_cleared) {
    std::atomic<int> next{0}, sum{0};
    filter<void, int> first(filter_mode::serial_in_order, source(next, 10));
    filter<int, int> plus_one(filter_mode::parallel, [](int n) { return n + 1; });
    filter<int, void> last(filter_mode::parallel, [&](int n) { sum += n; });
    filter<int, int> copy(plus_one), moved(std::move(copy)), assigned;
    assigned = moved;
    assigned &= plus_one;
    filter<void, void> chain = first & assigned & last;
    first.clear();
    plus_one.clear();
    last.clear();
    moved.clear();
    assigned.clear();
    tbb::parallel_pipeline(4, chain);
    EXPECT_EQ(sum, 65) << "a chain shares its filters";
    next = 0;
    tbb::parallel_pipeline(4, chain);
    EXPECT_EQ(sum, 130) << "and can run again";
}

TEST(filter, types_are_deduced) {
    std::atomic<int> next{0}, sum{0};
    const filter first(filter_mode::serial_in_order, source(next, 10));
    static_assert(std::is_same_v<decltype(first), const filter<void, int>>);
    const auto middle = make_filter(filter_mode::parallel, [](int n) { return double(n); });
    static_assert(std::is_same_v<decltype(middle), const filter<int, double>>);
    const filter last(filter_mode::parallel, [&](double d) { sum += int(d); });
    static_assert(std::is_same_v<decltype(last), const filter<double, void>>);
    tbb::parallel_pipeline(4, first, middle, last);
    EXPECT_EQ(sum, 45);
}

TEST(filter, the_bodies_are_destroyed) {
    const auto token = std::make_shared<int>(0);
    {
        const auto chain = make_filter<void, int>(filter_mode::parallel,
                                                  [token](flow_control& control) {
                                                      control.stop();
                                                      return 0;
                                                  }) &
                           make_filter<int, void>(filter_mode::parallel, [token](int) {});
        tbb::parallel_pipeline(4, chain);
        EXPECT_EQ(token.use_count(), 3);
    }
    EXPECT_EQ(token.use_count(), 1);
}

// An item that is too large to be passed in a pointer, and counts.
struct item {
    explicit item(std::atomic<int>& a) : alive(&a) { ++*alive; }
    item(const item& other) : alive(other.alive) { ++*alive; }
    ~item() { --*alive; }
    std::atomic<int>* alive;
    long padding[8] = {};
};

// Not after an exception: oneTBB then leaks some (better_test.cpp).
TEST(parallel_pipeline, items_are_destroyed) {
    for_widths([] {
        std::atomic<int> alive{0}, next{0};
        tbb::parallel_pipeline(
            8, make_filter<void, item>(filter_mode::serial_in_order, [&](flow_control& control) {
                   if (next++ >= 100)
                       control.stop();
                   return item(alive);
               }) & make_filter<item, item>(filter_mode::parallel, [](const item& i) {
                   return i;
               }) & make_filter<item, void>(filter_mode::serial_in_order, [](const item& i) {
                   EXPECT_GE(*i.alive, 1);
               }));
        EXPECT_EQ(alive, 0);
    });
}

TEST(parallel_pipeline, move_only_items) {
    for_widths([] {
        std::atomic<int> next{0}, sum{0};
        tbb::parallel_pipeline(
            4,
            make_filter<void, std::unique_ptr<int>>(filter_mode::serial_in_order, [&](flow_control& control) {
                const int n = next++;
                if (n >= 10)
                    control.stop();
                return std::make_unique<int>(n);
            }) & make_filter<std::unique_ptr<int>, void>(filter_mode::parallel, [&](std::unique_ptr<int> p) {
                sum += *p;
            }));
        EXPECT_EQ(sum, 45);
    });
}

TEST(parallel_pipeline, throws_from_each_filter) {
    for_widths([] {
        for (filter_mode mode : modes) {
            for (int where : {0, 1, 2}) {
                std::atomic<int> next{0};
                const auto fail_in = [where](int stage, int n) {
                    if (where == stage && n == 30)
                        throw test_error(stage);
                    return n;
                };
                tbb::task_group_context context;
                EXPECT_EQ(number_thrown_by([&] {
                              tbb::parallel_pipeline(
                                  4,
                                  make_filter<void, int>(mode,
                                                         [&](flow_control& control) {
                                                             const int n = next++;
                                                             if (n >= 100)
                                                                 control.stop();
                                                             return fail_in(0, n);
                                                         }) &
                                      make_filter<int, int>(mode, [&](int n) { return fail_in(1, n); }) &
                                      make_filter<int, void>(mode, [&](int n) { fail_in(2, n); }),
                                  context);
                          }),
                          where);
                EXPECT_TRUE(context.is_group_execution_cancelled());
            }
        }
    });
}

TEST(parallel_pipeline, cancelled) {
    for_widths([] {
        tbb::task_group_context context;
        std::atomic<int> next{0};
        const auto endless =
            make_filter<void, int>(filter_mode::serial_in_order, [&](flow_control&) { return next++; }) &
            make_filter<int, void>(filter_mode::parallel, [&](int n) {
                if (n == 100)
                    context.cancel_group_execution();
            });
        tbb::parallel_pipeline(4, endless, context);
        EXPECT_GE(next, 100);
        const int before = next;
        tbb::parallel_pipeline(4, endless, context);
        EXPECT_EQ(next, before) << "nothing runs under a cancelled context";
    });
}

TEST(parallel_pipeline, nested) {
    for_widths([] {
        std::atomic<int> sum{0};
        tbb::parallel_for(0, 10, [&](int) {
            std::atomic<int> next{0};
            tbb::parallel_pipeline(4, make_filter<void, int>(filter_mode::serial_in_order, source(next, 10)) &
                                          make_filter<int, void>(filter_mode::parallel, [&](int n) {
                                              tbb::parallel_for(0, n, [&](int) { ++sum; });
                                          }));
        });
        EXPECT_EQ(sum, 450);
    });
}

}  // namespace
