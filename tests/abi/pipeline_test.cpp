// parallel_pipeline through oneTBB's public header: order, seriality, the limit of live tokens, the end of the input,
// and that no item is lost or doubled. Exceptions and cancellation: pipeline_cancel_test.cpp.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pipeline_support.h"

namespace {

using namespace pipeline_test;

// Counts who is inside and remembers the most.
class crowd_meter {
public:
    class inside {
    public:
        explicit inside(crowd_meter& m) : meter_(m) {
            const int now = meter_.now_.fetch_add(1) + 1;
            int most = meter_.most_.load();
            while (most < now && !meter_.most_.compare_exchange_weak(most, now)) {
            }
        }
        ~inside() { meter_.now_.fetch_sub(1); }

    private:
        crowd_meter& meter_;
    };
    int most() const { return most_; }
    int now() const { return now_; }
    void come() { now_.fetch_add(1); }
    void go() { now_.fetch_sub(1); }

private:
    std::atomic<int> now_{0}, most_{0};
};

// ---- what goes in comes out

class every_mode
    : public testing::TestWithParam<std::tuple<filter_mode, filter_mode, filter_mode, std::size_t>> {};

// Serial bodies touch their state without atomics: the thread sanitizer sees whether one call happens before the next.
TEST_P(every_mode, each_item_goes_once_through_each_filter) {
    const auto [first, middle, last, tokens] = GetParam();
    constexpr int items = 500;
    std::vector<int> through_middle(items), through_last(items), order;
    int serial_count = 0;
    tbb::parallel_pipeline(
        tokens,
        make_filter<void, int>(first, counting_input(items)) & make_filter<int, int>(middle, [&](int i) {
            ++through_middle[static_cast<std::size_t>(i)];
            if (middle != filter_mode::parallel)
                ++serial_count;
            return i;
        }) & make_filter<int, void>(last, [&](int i) {
            ++through_last[static_cast<std::size_t>(i)];
            if (last != filter_mode::parallel)
                order.push_back(i);
        }));
    EXPECT_EQ(through_middle, std::vector<int>(items, 1));
    EXPECT_EQ(through_last, std::vector<int>(items, 1));
    if (middle != filter_mode::parallel) {
        EXPECT_EQ(serial_count, items);
    }
    if (first == filter_mode::serial_in_order && last == filter_mode::serial_in_order) {
        EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    }
}

INSTANTIATE_TEST_SUITE_P(pipeline, every_mode,
                         testing::Combine(testing::ValuesIn(all_modes), testing::ValuesIn(all_modes),
                                          testing::ValuesIn(all_modes), testing::Values(1, 2, 7, 1000)));

TEST(pipeline, serial_in_order_filters_all_see_the_same_order) {
    std::vector<int> first_order, second_order, third_order;
    const auto note = [](std::vector<int>& order) {
        return [&order](int i) {
            order.push_back(i);
            return i;
        };
    };
    const auto shuffle = make_filter<int, int>(filter_mode::parallel, [](int i) {
        work_a_little((i * 7919) % 2000);
        return i;
    });
    // A parallel input gives no order of its own: the first ordered filter makes it.
    tbb::parallel_pipeline(
        16,
        make_filter<void, int>(filter_mode::parallel, counting_input(3000)) & shuffle &
            make_filter<int, int>(filter_mode::serial_in_order, note(first_order)) & shuffle &
            make_filter<int, int>(filter_mode::serial_in_order, note(second_order)) & shuffle &
            make_filter<int, void>(filter_mode::serial_in_order, [&](int i) { third_order.push_back(i); }));
    EXPECT_EQ(first_order.size(), 3000u);
    EXPECT_EQ(first_order, second_order);
    EXPECT_EQ(first_order, third_order);
}

TEST(pipeline, serial_in_order_input_gives_the_order) {
    std::vector<int> order;
    tbb::parallel_pipeline(
        32, make_filter<void, int>(filter_mode::serial_in_order, counting_input(5000)) &
                make_filter<int, int>(filter_mode::parallel,
                                      [](int i) {
                                          work_a_little(i % 3 == 0 ? 3000 : 10);
                                          return i;
                                      }) &
                make_filter<int, int>(filter_mode::serial_out_of_order, [](int i) { return i; }) &
                make_filter<int, void>(filter_mode::serial_in_order, [&](int i) { order.push_back(i); }));
    std::vector<int> expected(5000);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(order, expected);
}

// The first token sleeps in a parallel filter while hundreds pile up behind it, in every order.
TEST(pipeline, many_tokens_wait_for_one) {
    std::vector<int> order;
    tbb::parallel_pipeline(
        2000, make_filter<void, int>(filter_mode::serial_in_order, counting_input(2000)) &
                  make_filter<int, int>(filter_mode::parallel,
                                        [](int i) {
                                            if (i == 0)
                                                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                                            return i;
                                        }) &
                  make_filter<int, void>(filter_mode::serial_in_order, [&](int i) { order.push_back(i); }));
    EXPECT_EQ(order.size(), 2000u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(pipeline, a_serial_filter_is_never_entered_twice) {
    for (const filter_mode mode : {filter_mode::serial_in_order, filter_mode::serial_out_of_order}) {
        crowd_meter at_input, in_middle, at_end;
        counting_input input(400);
        tbb::parallel_pipeline(8, make_filter<void, int>(mode, [&](flow_control& fc) {
                                      const crowd_meter::inside here(at_input);
                                      work_a_little(100);
                                      return input(fc);
                                  }) & make_filter<int, int>(mode, [&](int i) {
                                      const crowd_meter::inside here(in_middle);
                                      work_a_little(500);
                                      return i;
                                  }) & make_filter<int, void>(mode, [&](int) {
                                      const crowd_meter::inside here(at_end);
                                      work_a_little(500);
                                  }));
        EXPECT_EQ(at_input.most(), 1);
        EXPECT_EQ(in_middle.most(), 1);
        EXPECT_EQ(at_end.most(), 1);
    }
}

// ---- live tokens

class live_tokens : public testing::TestWithParam<std::tuple<filter_mode, int>> {};

TEST_P(live_tokens, are_never_more_than_allowed) {
    const auto [mode, tokens] = GetParam();
    crowd_meter live;
    std::atomic<int> most{0};
    counting_input input(1000);
    tbb::parallel_pipeline(
        static_cast<std::size_t>(tokens),
        make_filter<void, int>(mode, [&](flow_control& fc) {
            const int i = input(fc);
            if (i < 1000)
                live.come();
            for (int m = most; m < live.now();)
                most.compare_exchange_weak(m, live.now());
            return i;
        }) & make_filter<int, int>(filter_mode::parallel, [](int i) {
            work_a_little(i % 100);
            return i;
        }) & make_filter<int, void>(filter_mode::serial_in_order, [&](int) { live.go(); }));
    EXPECT_LE(most, tokens);
    EXPECT_GE(most, 1);
    EXPECT_EQ(live.now(), 0);
}

INSTANTIATE_TEST_SUITE_P(pipeline, live_tokens,
                         testing::Combine(testing::ValuesIn(all_modes), testing::Values(1, 2, 3, 10)));

// With room for two, two filters do run at once: the first item waits until the second one is in as well.
TEST(pipeline, tokens_flow_in_parallel) {
    const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    tbb::task_arena arena(2);
    std::atomic<int> inside{0};
    arena.execute([&] {
        tbb::parallel_pipeline(2, make_filter<void, int>(filter_mode::serial_in_order, counting_input(2)) &
                                      make_filter<int, void>(filter_mode::parallel, [&](int) {
                                          ++inside;
                                          const auto limit =
                                              std::chrono::steady_clock::now() + std::chrono::seconds(20);
                                          while (inside < 2 && std::chrono::steady_clock::now() < limit)
                                              std::this_thread::yield();
                                      }));
    });
    EXPECT_EQ(inside, 2);
}

TEST(pipeline, takes_any_number_of_tokens) {
    std::atomic<int> count{0};
    tbb::parallel_pipeline(std::numeric_limits<std::size_t>::max(),
                           make_filter<void, int>(filter_mode::serial_in_order, counting_input(10000)) &
                               make_filter<int, void>(filter_mode::parallel, [&](int) { ++count; }));
    EXPECT_EQ(count, 10000);
}

// ---- the end of the input

TEST(pipeline, may_be_empty) {
    for (const filter_mode mode : all_modes) {
        int calls = 0;
        tbb::parallel_pipeline(1, make_filter<void, int>(mode, [&](flow_control& fc) {
                                      ++calls;
                                      fc.stop();
                                      return 0;
                                  }) & make_filter<int, void>(mode, [](int) { ADD_FAILURE(); }));
        EXPECT_EQ(calls, 1);
    }
}

TEST(pipeline, a_serial_input_is_not_called_after_its_end) {
    int calls = 0;
    tbb::parallel_pipeline(8, make_filter<void, int>(filter_mode::serial_out_of_order, [&](flow_control& fc) {
                                  if (++calls == 100)
                                      fc.stop();
                                  return calls;
                              }) & make_filter<int, void>(filter_mode::parallel, [](int) {}));
    EXPECT_EQ(calls, 100);
}

TEST(pipeline, one_filter_is_enough) {
    for (const filter_mode mode : all_modes)
        for (const std::size_t tokens : {1, 4}) {
            std::atomic<int> calls{0};
            tbb::parallel_pipeline(tokens, make_filter<void, void>(mode, [&](flow_control& fc) {
                                       if (++calls >= 1000)
                                           fc.stop();
                                   }));
            EXPECT_GE(calls, 1000);
        }
}

// Zeros and null pointers look like "no item", but are items; other threads meet the end meanwhile.
TEST(pipeline, null_items_are_items) {
    for (const filter_mode mode : all_modes) {
        std::atomic<int> zeros{0};
        counting_input input(2000);
        tbb::parallel_pipeline(8, make_filter<void, int>(mode, [&](flow_control& fc) {
                                      input(fc);
                                      return 0;
                                  }) & make_filter<int, char*>(mode, [](int) -> char* {
                                      return nullptr;
                                  }) & make_filter<char*, void>(mode, [&](char* p) {
                                      EXPECT_EQ(p, nullptr);
                                      ++zeros;
                                  }));
        EXPECT_EQ(zeros, 2000);
    }
}

TEST(pipeline, items_of_every_size) {
    struct three {
        char c[3];
    };
    std::string all;
    int sum = 0;
    counting_input input(26);
    tbb::parallel_pipeline(
        4, make_filter<void, three>(filter_mode::serial_in_order,
                                    [&](flow_control& fc) {
                                        const auto c = static_cast<char>('a' + input(fc) % 26);
                                        return three{{c, c, c}};
                                    }) &
               make_filter<three, std::string>(filter_mode::parallel,
                                               [](three t) { return std::string(200, t.c[2]); }) &
               make_filter<std::string, std::pair<double, char>>(filter_mode::serial_in_order,
                                                                 [&](const std::string& s) {
                                                                     all += s[199];
                                                                     return std::pair<double, char>(0.5,
                                                                                                    s[0]);
                                                                 }) &
               make_filter<std::pair<double, char>, float>(
                   filter_mode::parallel,
                   [](const std::pair<double, char>& p) { return static_cast<float>(2 * p.first); }) &
               make_filter<float, void>(filter_mode::serial_out_of_order,
                                        [&](float f) { sum += static_cast<int>(f); }));
    EXPECT_EQ(all, "abcdefghijklmnopqrstuvwxyz");
    EXPECT_EQ(sum, 26);
}

TEST(pipeline, long_chains) {
    tbb::filter<void, int> chain = make_filter<void, int>(filter_mode::serial_in_order, counting_input(100));
    for (int i = 0; i < 300; ++i)
        chain = chain & make_filter<int, int>(all_modes[i % 3], [](int v) { return v + 1; });
    std::vector<int> out;
    const auto whole =
        chain & make_filter<int, void>(filter_mode::serial_in_order, [&](int v) { out.push_back(v - 300); });
    for (int again = 1; again <= 2; ++again) {
        tbb::parallel_pipeline(5, whole);
        EXPECT_EQ(out.size(), 100u) << "the input of the second run has ended already";
    }
    EXPECT_TRUE(std::is_sorted(out.begin(), out.end()));
}

TEST(pipeline, inside_every_filter_of_a_pipeline) {
    std::atomic<int> inner_items{0};
    const auto inner = [&] {
        tbb::parallel_pipeline(
            3, make_filter<void, int>(filter_mode::parallel, counting_input(5)) &
                   make_filter<int, void>(filter_mode::serial_in_order, [&](int) { ++inner_items; }));
    };
    counting_input input(20);
    tbb::parallel_pipeline(4, make_filter<void, int>(filter_mode::parallel, [&](flow_control& fc) {
                                  const int i = input(fc);
                                  if (i < 20)
                                      inner();
                                  return i;
                              }) & make_filter<int, int>(filter_mode::serial_in_order, [&](int i) {
                                  inner();
                                  return i;
                              }) & make_filter<int, void>(filter_mode::parallel, [&](int) { inner(); }));
    EXPECT_EQ(inner_items, 3 * 20 * 5);
}

TEST(pipeline, from_many_threads_at_once) {
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([] {
            for (int round = 0; round < 20; ++round) {
                std::vector<int> order;
                tbb::parallel_pipeline(
                    3, make_filter<void, int>(filter_mode::serial_in_order, counting_input(50)) &
                           make_filter<int, int>(filter_mode::parallel, [](int i) { return i; }) &
                           make_filter<int, void>(filter_mode::serial_in_order,
                                                  [&](int i) { order.push_back(i); }));
                EXPECT_EQ(order.size(), 50u);
                EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
            }
        });
    for (std::thread& t : threads)
        t.join();
}

TEST(pipeline, under_one_thread) {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    std::vector<int> order;
    tbb::parallel_pipeline(
        10, make_filter<void, int>(filter_mode::serial_in_order, counting_input(1000)) &
                make_filter<int, int>(filter_mode::parallel, [](int i) { return i; }) &
                make_filter<int, void>(filter_mode::serial_in_order, [&](int i) { order.push_back(i); }));
    EXPECT_EQ(order.size(), 1000u);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

}  // namespace
