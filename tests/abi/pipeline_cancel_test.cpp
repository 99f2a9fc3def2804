// parallel_pipeline that ends early: the exception reaches the caller, a cancelled context stops it, and no item leaks
// or is destroyed twice.

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "abi/library.h"
#include "pipeline_support.h"

namespace {

using namespace pipeline_test;

// An item with an owner's worries: counts how many are alive, and complains about use after destruction.
class heavy {
public:
    explicit heavy(int v) : value(v), check_(alive_mark) { ++alive; }
    heavy(const heavy& o) : value(o.value), check_(alive_mark) { ++alive; }
    heavy(heavy&& o) noexcept : value(o.value), check_(alive_mark) { ++alive; }
    heavy& operator=(const heavy&) = default;
    ~heavy() {
        EXPECT_EQ(check_, alive_mark) << "destroyed twice";
        check_ = 0;
        --alive;
    }
    int value;
    char padding[100] = {};
    static std::atomic<int> alive;

private:
    static constexpr unsigned alive_mark = 0xa11fe;
    unsigned check_;
};
std::atomic<int> heavy::alive{0};

// oneTBB's own library forgets the items that serial filters hold back when a pipeline ends early.
void expect_no_leak(int alive_before) {
    if (is_onetbb())
        EXPECT_GE(heavy::alive, alive_before);
    else
        EXPECT_EQ(heavy::alive, alive_before);
}

struct boom : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One of four filters throws at the 100th item; with heavy items everywhere none may leak or die twice.
class throwing : public testing::TestWithParam<std::tuple<int, filter_mode, std::size_t>> {};

TEST_P(throwing, reaches_the_caller_and_leaks_nothing) {
    const auto [where, mode, tokens] = GetParam();
    const int thrower = where;
    for (int round = 0; round < 10; ++round) {
        const int before = heavy::alive;
        counting_input input(300);
        const auto step = [&](int at) {
            return [at, thrower](heavy h) {
                work_a_little(h.value % 50 * 10);
                if (at == thrower && h.value >= 100)
                    throw boom("here");
                return h;
            };
        };
        const auto run = [&] {
            tbb::parallel_pipeline(tokens,
                                   make_filter<void, heavy>(mode,
                                                            [&](flow_control& fc) {
                                                                const int i = input(fc);
                                                                if (thrower == 0 && i >= 100)
                                                                    throw boom("at the input");
                                                                return heavy(i);
                                                            }) &
                                       make_filter<heavy, heavy>(filter_mode::parallel, step(1)) &
                                       make_filter<heavy, heavy>(mode, step(2)) &
                                       make_filter<heavy, void>(filter_mode::serial_in_order, step(3)));
        };
        EXPECT_THROW(run(), boom);
        expect_no_leak(before);
    }
}

INSTANTIATE_TEST_SUITE_P(pipeline, throwing,
                         testing::Combine(testing::Values(0, 1, 2, 3), testing::ValuesIn(all_modes),
                                          testing::Values(1, 4, 100)));

// The ordered filter never gets its first item, so all others are held back before it when the pipeline ends.
TEST(pipeline, items_that_are_held_back_are_destroyed) {
    counting_input input(64);
    std::atomic<int> arrived{0};
    const int before = heavy::alive;
    const auto run = [&] {
        tbb::parallel_pipeline(
            64,
            make_filter<void, heavy>(filter_mode::serial_in_order, [&](flow_control& fc) {
                return heavy(input(fc));
            }) & make_filter<heavy, heavy>(filter_mode::parallel, [&](heavy h) {
                if (h.value != 0) {
                    ++arrived;
                    return h;
                }
                const auto limit = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
                while (arrived < 40 && std::chrono::steady_clock::now() < limit)
                    std::this_thread::yield();
                throw boom("first");
            }) & make_filter<heavy, void>(filter_mode::serial_in_order, [](const heavy&) { ADD_FAILURE(); }));
    };
    EXPECT_THROW(run(), boom);
    expect_no_leak(before);
}

TEST(pipeline, stops_when_its_context_is_cancelled) {
    tbb::task_group_context context;
    int next = 0;
    std::atomic<int> ended{0};
    const int before = heavy::alive;
    tbb::parallel_pipeline(
        8,
        make_filter<void, heavy>(filter_mode::serial_in_order, [&](flow_control&) { return heavy(next++); }) &
            make_filter<heavy, heavy>(filter_mode::parallel, [](heavy h) { return h; }) &
            make_filter<heavy, void>(filter_mode::serial_in_order,
                                     [&](const heavy&) {
                                         if (++ended == 50)
                                             context.cancel_group_execution();
                                     }),
        context);
    EXPECT_GE(ended, 50);
    EXPECT_TRUE(context.is_group_execution_cancelled());
    expect_no_leak(before);
}

TEST(pipeline, does_nothing_in_a_cancelled_context) {
    tbb::task_group_context context;
    context.cancel_group_execution();
    tbb::parallel_pipeline(
        4, make_filter<void, void>(filter_mode::parallel, [](flow_control&) { ADD_FAILURE(); }), context);
}

TEST(pipeline, works_again_after_an_exception) {
    tbb::task_group_context context;
    const auto chain = [](bool bad) {
        return make_filter<void, int>(filter_mode::serial_in_order, counting_input(10)) &
               make_filter<int, void>(filter_mode::serial_out_of_order, [bad](int i) {
                   if (bad && i == 5)
                       throw boom("once");
               });
    };
    EXPECT_THROW(tbb::parallel_pipeline(2, chain(true), context), boom);
    context.reset();
    EXPECT_NO_THROW(tbb::parallel_pipeline(2, chain(false), context));
}

}  // namespace
