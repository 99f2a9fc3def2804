// parallel_pipeline: order, one at a time, live tokens, kinds of items, chains, the end of the input.

#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

#include "unit/api_pipeline_support.h"
#include "unit/blocking_bodies.h"

namespace {

using namespace bough_test;

std::vector<int> up_to(int n) {
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

// ---- what goes in comes out ----

class api_pipeline_modes
    : public ::testing::TestWithParam<std::tuple<filter_mode, filter_mode, filter_mode, std::size_t>> {};

// Serial bodies touch their state without atomics: the thread sanitizer sees whether one call happens before the next.
TEST_P(api_pipeline_modes, each_item_once_through_each_filter) {
    const auto [first, second, third, tokens] = GetParam();
    constexpr int items = 400;
    visits at_second(items), at_third(items);
    std::vector<int> second_order, third_order;
    const auto note = [](filter_mode mode, visits& seen, std::vector<int>& order) {
        return [mode, &seen, &order](int i) {
            seen.hit(static_cast<std::size_t>(i));
            work_a_little(i % 7 == 0 ? 500 : 5);
            if (mode != filter_mode::parallel)
                order.push_back(i);
            return i;
        };
    };
    parallel_pipeline(tokens, make_filter<void, int>(first, counter(items)) &
                                  make_filter<int, int>(second, note(second, at_second, second_order)) &
                                  make_filter<int, void>(third, note(third, at_third, third_order)));
    EXPECT_TRUE(at_second.each_once());
    EXPECT_TRUE(at_third.each_once());
    const bool ordered_input = first == filter_mode::serial_in_order;
    if (ordered_input && second == filter_mode::serial_in_order) {
        EXPECT_EQ(second_order, up_to(items));
    }
    if (ordered_input && third == filter_mode::serial_in_order) {
        EXPECT_EQ(third_order, up_to(items));
    }
    if (second == filter_mode::serial_in_order && third == filter_mode::serial_in_order) {
        EXPECT_EQ(second_order, third_order);  // whatever the input was
    }
    if (third == filter_mode::serial_out_of_order) {
        EXPECT_EQ(third_order.size(), std::size_t{items});
    }
}

INSTANTIATE_TEST_SUITE_P(all, api_pipeline_modes,
                         ::testing::Combine(::testing::ValuesIn(all_modes), ::testing::ValuesIn(all_modes),
                                            ::testing::ValuesIn(all_modes), ::testing::Values(1, 2, 5, 100)));

// The first item stays in a filter until all others are held back behind it.
TEST(api_pipeline, many_tokens_wait_for_one) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the first item waits for the others");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    constexpr int items = 2000;
    std::atomic<int> arrived{0};
    std::vector<int> order;
    parallel_pipeline(
        items, make_filter<void, int>(filter_mode::serial_in_order, counter(items)) &
                   make_filter<int, int>(filter_mode::parallel,
                                         [&](int i) {
                                             ++arrived;
                                             if (i == 0)
                                                 bough_test::comes_true([&] { return arrived == items; });
                                             return i;
                                         }) &
                   make_filter<int, void>(filter_mode::serial_in_order, [&](int i) { order.push_back(i); }));
    EXPECT_EQ(arrived, items);
    EXPECT_EQ(order, up_to(items));
}

// The first item stays in its filter until as many were read as may be, and a little longer.
TEST(api_pipeline, no_more_is_read_than_allowed) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("the first item waits until others were read");
    if (allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    for (const filter_mode input_mode : all_modes) {
        constexpr int tokens = 5;
        const counter input(20);
        std::atomic<int> most{0};
        parallel_pipeline(tokens,
                          make_filter<void, int>(input_mode, input) &
                              make_filter<int, int>(filter_mode::serial_in_order,
                                                    [&](int i) {
                                                        if (most == 0)
                                                            bough_test::comes_true(
                                                                [&] { return input.calls() >= tokens; });
                                                        for (int more = 0; most == 0 && more < 2000; ++more)
                                                            std::this_thread::yield();
                                                        if (most == 0)
                                                            most = input.calls();
                                                        return i;
                                                    }) &
                              make_filter<int, void>(filter_mode::parallel, [](int) {}));
        EXPECT_EQ(most, tokens);
    }
}

TEST(api_pipeline, one_at_a_time_and_no_more_alive_than_allowed) {
    for (const filter_mode serial : {filter_mode::serial_in_order, filter_mode::serial_out_of_order}) {
        for (const int tokens : {1, 2, 3, 10}) {
            census at_input, in_middle;
            counted::most_alive = 0;
            std::atomic<int> alive{0}, most{0};
            const counter input(300);
            parallel_pipeline(
                static_cast<std::size_t>(tokens),
                make_filter<void, counted>(serial, [&](flow_control& control) {
                    const census::inside here(at_input);
                    const int i = input(control);
                    if (!control.is_stopped())
                        most = std::max(most.load(), ++alive);
                    return counted(i);
                }) & make_filter<counted, counted>(filter_mode::parallel, [](const counted& c) {
                    work_a_little(c.value % 50);
                    return c;
                }) & make_filter<counted, counted>(serial, [&](const counted& c) {
                    const census::inside here(in_middle);
                    work_a_little(100);
                    return c;
                }) & make_filter<counted, void>(filter_mode::parallel, [&](const counted&) { --alive; }));
            EXPECT_EQ(at_input.most_at_once(), 1);
            EXPECT_EQ(in_middle.most_at_once(), 1);
            EXPECT_LE(most, tokens);
            EXPECT_LE(counted::most_alive, 2 * tokens) << "a filter has the old item and the new one";
            EXPECT_EQ(counted::alive, 0);
        }
    }
}

TEST(api_pipeline, filters_run_at_the_same_time) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("items wait for each other");
    const int threads = bough_test::allowed_threads();
    for (const filter_mode input : all_modes) {
        bough_test::rendezvous all(threads);
        parallel_pipeline(
            static_cast<std::size_t>(threads),
            make_filter<void, int>(input, counter(threads)) &
                make_filter<int, void>(filter_mode::parallel, [&](int) { all.arrive_and_wait(); }));
        EXPECT_TRUE(all.met());
    }
}

TEST(api_pipeline, any_number_of_tokens) {
    std::atomic<int> count{0};
    for (const filter_mode input : all_modes)
        parallel_pipeline(std::numeric_limits<std::size_t>::max(),
                          make_filter<void, int>(input, counter(5000)) &
                              make_filter<int, void>(filter_mode::parallel, [&](int) { ++count; }));
    EXPECT_EQ(count, 15000);
}

// ---- items ----

TEST(api_pipeline, items_that_cannot_be_copied_or_even_moved) {
    struct fixed {
        explicit fixed(std::unique_ptr<int> v) : value(std::move(v)) {}
        fixed(fixed&&) = delete;
        std::unique_ptr<int> value;
    };
    int sum = 0;
    const counter input(50);
    parallel_pipeline(
        4, make_filter<void, std::unique_ptr<int>>(filter_mode::serial_in_order, [&](flow_control& control) {
               return std::make_unique<int>(input(control));
           }) & make_filter<std::unique_ptr<int>, fixed>(filter_mode::parallel, [](std::unique_ptr<int> p) {
               return fixed(std::move(p));
           }) & make_filter<fixed, void>(filter_mode::serial_out_of_order, [&](const fixed& f) {
               sum += *f.value;
           }));
    EXPECT_EQ(sum, 49 * 50 / 2);
}

TEST(api_pipeline, items_of_every_size_and_alignment) {
    struct alignas(256) wide {
        char c[300];
    };
    struct nothing {};
    std::string all;
    std::atomic<int> misaligned{0};
    const counter input(26);
    parallel_pipeline(
        4, make_filter<void, char>(filter_mode::serial_in_order, [&](flow_control& control) {
               return static_cast<char>('a' + input(control) % 26);
           }) & make_filter<char, wide>(filter_mode::parallel, [](char c) {
               wide w{};
               w.c[299] = c;
               return w;
           }) & make_filter<wide, std::string>(filter_mode::parallel, [&](const wide& w) {
               misaligned += reinterpret_cast<std::uintptr_t>(&w) % 256 != 0;
               return std::string(100, w.c[299]);
           }) & make_filter<std::string, nothing>(filter_mode::serial_in_order, [&](std::string&& s) {
               all += s[99];
               return nothing();
           }) & make_filter<nothing, void>(filter_mode::parallel, [](nothing) {}));
    EXPECT_EQ(all, "abcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(misaligned, 0);
}

// Null pointers and zeros are items; only stop() ends the input.
TEST(api_pipeline, null_pointers_are_items) {
    for (const filter_mode mode : all_modes) {
        std::atomic<int> nulls{0};
        const counter input(500);
        parallel_pipeline(8, make_filter<void, int*>(mode, [&](flow_control& control) -> int* {
                                 input(control);
                                 return nullptr;
                             }) & make_filter<int*, char*>(mode, [](int* p) -> char* {
                                 EXPECT_EQ(p, nullptr);
                                 return nullptr;
                             }) & make_filter<char*, void>(mode, [&](char* p) { nulls += p == nullptr; }));
        EXPECT_EQ(nulls, 500);
    }
}

// ---- chains ----

int negated(int i) noexcept {
    return -i;
}

TEST(api_pipeline, types_are_deduced_and_every_form_is_called) {
    const counter input(10);
    std::atomic<int> sum{0};
    const filter first(filter_mode::serial_in_order, [&](flow_control& c) { return input(c) % 10; });
    static_assert(std::is_same_v<decltype(first), const filter<void, int>>);
    const auto middle = make_filter(filter_mode::parallel, [](const int& i) noexcept { return i * 0.5; });
    static_assert(std::is_same_v<decltype(middle), const filter<int, double>>);
    const filter last(filter_mode::parallel, [&](double d) { sum += static_cast<int>(d * 2); });
    static_assert(std::is_same_v<decltype(last), const filter<double, void>>);
    const auto negate = make_filter(filter_mode::parallel, negated);
    static_assert(std::is_same_v<decltype(negate), const filter<int, int>>);
    bough::task_group_context context;
    const auto with = [&](int items, const auto&... form) {
        sum = 0;
        const counter again(items);
        const filter<void, int> source(filter_mode::serial_in_order,
                                       [&](flow_control& c) { return again(c); });
        parallel_pipeline(3, source, form...);
        return sum.load();
    };
    EXPECT_EQ(with(10, middle & last), 45);
    EXPECT_EQ(with(10, middle, last), 45);
    EXPECT_EQ(with(10, negate, middle, last), -45);
    EXPECT_EQ(with(10, negate, negate, middle, last), 45);
    parallel_pipeline(3, first & middle & last);
    EXPECT_EQ(sum, 90);
    const auto last_again = last;
    parallel_pipeline(3,
                      make_filter<void, double>(filter_mode::parallel,
                                                [](flow_control& c) {
                                                    c.stop();
                                                    return 1.0;
                                                }) &
                          last_again,
                      context);
    parallel_pipeline(3, first, middle, last, context);
    EXPECT_EQ(sum, 90) << "the input has ended";
    EXPECT_FALSE(context.is_group_execution_cancelled());
}

TEST(api_pipeline, chains_share_their_filters_and_free_them) {
    const auto body = std::make_shared<int>(0);
    {
        filter<int, int> plus_one(filter_mode::parallel, [body](int i) { return i + 1; });
        filter<int, int> three = plus_one & plus_one;
        three &= plus_one;
        plus_one.clear();
        int sum = 0;
        for (int run = 1; run <= 2; ++run) {
            parallel_pipeline(4, make_filter<void, int>(filter_mode::serial_in_order, counter(10)), three,
                              make_filter<int, void>(filter_mode::serial_in_order, [&](int i) { sum += i; }));
            EXPECT_EQ(sum, run * 75);
        }
        EXPECT_EQ(body.use_count(), 2);
    }
    EXPECT_EQ(body.use_count(), 1);
}

TEST(api_pipeline, long_chains) {
    filter<void, int> chain(filter_mode::serial_in_order, counter(100));
    for (int i = 0; i < 200; ++i)
        chain = chain & make_filter<int, int>(all_modes[i % 3], [](int v) { return v + 1; });
    std::vector<int> out;
    parallel_pipeline(5, chain, make_filter<int, void>(filter_mode::serial_in_order, [&](int v) {
                          out.push_back(v - 200);
                      }));
    EXPECT_EQ(out, up_to(100));
}

TEST(api_pipeline, what_makes_no_sense_is_refused) {
    const auto never = make_filter<void, void>(filter_mode::parallel, [](flow_control&) { ADD_FAILURE(); });
    EXPECT_THROW(parallel_pipeline(0, never), std::invalid_argument);
    EXPECT_THROW(parallel_pipeline(1, filter<void, void>()), std::invalid_argument);
    const auto source = make_filter<void, int>(filter_mode::parallel, counter(1));
    const filter<int, void> empty;
    EXPECT_THROW(source & empty, std::invalid_argument);
}

// ---- the end of the input ----

TEST(api_pipeline, inputs_that_end_at_once) {
    for (const filter_mode mode : all_modes) {
        const counter input(0);
        parallel_pipeline(4, make_filter<void, counted>(mode, [&](flow_control& c) {
                                 return counted(input(c));
                             }) & make_filter<counted, void>(mode, [](const counted&) { ADD_FAILURE(); }));
        EXPECT_GE(input.calls(), 1);
        EXPECT_EQ(counted::alive, 0) << "what is returned with stop() is thrown away";
    }
}

TEST(api_pipeline, a_serial_input_is_not_called_after_its_end) {
    for (const filter_mode mode : {filter_mode::serial_in_order, filter_mode::serial_out_of_order}) {
        const counter input(200);
        parallel_pipeline(8, make_filter<void, int>(mode, input) &
                                 make_filter<int, void>(filter_mode::parallel, [](int) {}));
        EXPECT_EQ(input.calls(), 201);
    }
}

TEST(api_pipeline, one_filter_is_a_pipeline) {
    for (const filter_mode mode : all_modes)
        for (const std::size_t tokens : {1u, 4u}) {
            std::atomic<int> calls{0};
            parallel_pipeline(tokens, make_filter<void, void>(mode, [&](flow_control& control) {
                                  if (++calls >= 500)
                                      control.stop();
                              }));
            EXPECT_GE(calls, 500);
        }
}

}  // namespace
