// tbb::parallel_invoke: two functions and more, with and without a context, exceptions and cancellation.
#include "support.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/task.h>
#include <oneapi/tbb/task_group.h>

#include <utility>

using namespace conformance;

namespace {

// Calls parallel_invoke with sizeof...(I) functions, each of which notes its number.
template <std::size_t... I>
void invoke_numbered(std::index_sequence<I...>) {
    const auto numbered = [](visits& seen, std::size_t i) { return [&seen, i] { seen.add(i); }; };
    visits seen(sizeof...(I));
    tbb::parallel_invoke(numbered(seen, I)...);
    EXPECT_TRUE(seen.each_once());
    seen.clear();
    tbb::task_group_context context;
    tbb::parallel_invoke(numbered(seen, I)..., context);
    EXPECT_TRUE(seen.each_once());
    seen.clear();
    context.cancel_group_execution();
    tbb::parallel_invoke(numbered(seen, I)..., context);
    EXPECT_TRUE(seen.none());
}

template <std::size_t... N>
void invoke_each_number_of_functions(std::index_sequence<N...>) {
    (invoke_numbered(std::make_index_sequence<N + 2>()), ...);
}

TEST(parallel_invoke, two_to_thirty_functions) {
    for_widths([] {
        for (int round = 0; round < 10; ++round)
            invoke_each_number_of_functions(std::make_index_sequence<29>());
    });
}

struct touched {
    void operator()() const { ++count; }
    static std::atomic<int> count;
};
std::atomic<int> touched::count;

TEST(parallel_invoke, kinds_of_function_objects) {
    touched::count = 0;
    const touched constant;
    touched plain;
    std::function<void()> function = constant;
    tbb::parallel_invoke(
        constant, plain, function, touched(), +[] { ++touched::count; },
        [p = std::make_unique<int>(1)] { touched::count += *p; });
    EXPECT_EQ(touched::count, 6);
}

TEST(parallel_invoke, results_are_ignored) {
    int ran = 0;
    tbb::parallel_invoke([&] { return ran += 1; }, [] { return 2.0; });
    EXPECT_EQ(ran, 1);
}

TEST(parallel_invoke, functions_are_not_copied) {
    struct counting {
        explicit counting(std::atomic<int>& c) : calls(c) {}
        counting(const counting&) = delete;
        void operator()() const { ++calls; }
        std::atomic<int>& calls;
    };
    std::atomic<int> calls{0};
    const counting a(calls), b(calls), c(calls), d(calls);
    tbb::parallel_invoke(a, b, c, d);
    EXPECT_EQ(calls, 4);
}

int fibonacci(int n) {
    if (n < 2)
        return n;
    int left = 0, right = 0;
    tbb::parallel_invoke([&] { left = fibonacci(n - 1); }, [&] { right = fibonacci(n - 2); });
    return left + right;
}

TEST(parallel_invoke, recursive) {
    for_widths([] { EXPECT_EQ(fibonacci(16), 987); });
}

TEST(parallel_invoke, with_loops_inside) {
    for_widths([] {
        std::atomic<int> count{0};
        const auto loop = [&] { tbb::parallel_for(0, 100, [&](int) { ++count; }); };
        tbb::parallel_invoke(loop, loop, loop, loop);
        EXPECT_EQ(count, 400);
    });
}

TEST(parallel_invoke, throws) {
    for_widths([] {
        const auto nothing = [] {};
        const auto fail = [] { throw test_error(1); };
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_invoke(fail, nothing); }), 1);
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_invoke(nothing, fail); }), 1);
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_invoke(fail, fail, fail, fail, fail); }), 1);
        EXPECT_EQ(number_thrown_by(
                      [&] { tbb::parallel_invoke(nothing, nothing, nothing, nothing, nothing, fail); }),
                  1);
        tbb::task_group_context context;
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_invoke(nothing, fail, nothing, context); }), 1);
        EXPECT_TRUE(context.is_group_execution_cancelled());
    });
}

TEST(parallel_invoke, the_others_are_cancelled) {
    with_width(1, [] {
        int ran = 0;
        const auto fail = [&] {
            ++ran;
            throw test_error(1);
        };
        EXPECT_EQ(number_thrown_by([&] { tbb::parallel_invoke(fail, fail, fail, fail, fail, fail); }), 1);
        EXPECT_EQ(ran, 1);
    });
}

TEST(parallel_invoke, runs_in_the_context_it_is_given) {
    for_widths([] {
        tbb::task_group_context context;
        const auto check = [&] { EXPECT_EQ(tbb::task::current_context(), &context); };
        tbb::parallel_invoke(check, check, check, check, check, context);
    });
}

}  // namespace
