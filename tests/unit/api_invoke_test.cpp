// parallel_invoke of 2 to 10 functions: each once, exceptions, contexts, recursion.

#include "support/fib.h"
#include "unit/api_erased.h"
#include "unit/blocking_bodies.h"

namespace {

using bough::task_group_context;
using bough_test::boom;
using bough_test::fib_by_invoke;
using bough_test::visits;

// f(i): functions of one type.
struct numbered {
    bough_test::body_ref<void(std::size_t)> f;
    std::size_t i;
    void operator()() const { f(i); }
};

// Calls parallel_invoke with sizeof...(I) functions of the form f(i).
template <std::size_t... I>
void invoke(bough_test::body_ref<void(std::size_t)> f, task_group_context* context,
            std::index_sequence<I...>) {
    if (context)
        bough::parallel_invoke(numbered{f, I}..., *context);
    else
        bough::parallel_invoke(numbered{f, I}...);
}

using invoke_function = void (*)(bough_test::body_ref<void(std::size_t)>, task_group_context*);

template <std::size_t N>
void invoke_all(bough_test::body_ref<void(std::size_t)> f, task_group_context* context) {
    invoke(f, context, std::make_index_sequence<N>());
}

void check_number(std::size_t n, invoke_function invoke) {
    for (int round = 0; round < 100; ++round) {
        visits seen(n), with_context(n);
        invoke([&](std::size_t i) { seen.hit(i); }, nullptr);
        ASSERT_TRUE(seen.each_once()) << n << " functions";
        task_group_context context;
        invoke([&](std::size_t i) { with_context.hit(i); }, &context);
        ASSERT_TRUE(with_context.each_once()) << n << " functions with a context";
    }
    for (std::size_t thrower = 0; thrower < n; ++thrower) {
        visits seen(n);
        try {
            invoke(
                [&](std::size_t i) {
                    seen.hit(i);
                    if (i == thrower)
                        throw boom{i};
                },
                nullptr);
            ADD_FAILURE() << "nothing was thrown";
        } catch (const boom& caught) {
            EXPECT_EQ(caught.where, thrower);
        }
        EXPECT_TRUE(seen.none_twice());
        EXPECT_EQ(seen.count(thrower), 1u);
    }
}

TEST(api_invoke, two_to_ten_functions) {
    check_number(2, invoke_all<2>);
    check_number(3, invoke_all<3>);
    check_number(4, invoke_all<4>);
    check_number(5, invoke_all<5>);
    check_number(6, invoke_all<6>);
    check_number(7, invoke_all<7>);
    check_number(8, invoke_all<8>);
    check_number(9, invoke_all<9>);
    check_number(10, invoke_all<10>);
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(api_invoke, fib) {
    EXPECT_EQ(fib_by_invoke(2), 1);
    EXPECT_EQ(fib_by_invoke(bough_test::long_run() ? 25 : 18), bough_test::long_run() ? 75025 : 2584);
}

// A chain as deep as a list: each call does nearly nothing beside its one deep child.
int depth_of(int n) {
    int below = 0, leaf = 0;
    if (n > 0)
        bough::parallel_invoke([&] { below = depth_of(n - 1); }, [&] { leaf = 1; });
    return below + leaf;
}

TEST(api_invoke, deep_one_sided_recursion) {
    EXPECT_EQ(depth_of(1000), 1000);
}

TEST(api_invoke, all_throw_and_one_comes_out) {
    for (int round = 0; round < 200; ++round) {
        std::atomic<int> thrown{0};
        const auto f = [&] {
            thrown.fetch_add(1);
            throw boom{1};
        };
        EXPECT_THROW(bough::parallel_invoke(f, f, f, f), boom);
        ASSERT_GE(thrown.load(), 1);
    }
}

TEST(api_invoke, has_returned_only_when_all_functions_have) {
    bough_test::budget rounds(1000, 300);
    while (rounds.next()) {
        int a = 0, b = 0, c = 0;
        bough::parallel_invoke(
            [&] {
                bough_test::work_a_little(500);
                a = 1;
            },
            [&] { b = 2; },
            [&] {
                bough_test::work_a_little(100);
                c = 3;
            });
        ASSERT_EQ(a + b + c, 6);
    }
}

// Also when one of them throws at once, while another one still runs on the caller's data.
TEST(api_invoke, waits_for_running_functions_when_one_throws) {
    bough_test::budget rounds(1000, 300);
    while (rounds.next()) {
        std::atomic<int> started{0}, ended{0};
        const auto slow = [&] {
            ++started;
            bough_test::work_a_little(2000);
            ++ended;
        };
        EXPECT_THROW(bough::parallel_invoke(slow, [] { throw boom{1}; }, slow, slow), boom);
        ASSERT_EQ(started.load(), ended.load());
    }
}

TEST(api_invoke, a_cancelled_context_runs_nothing) {
    bough::task_group_context context;
    context.cancel_group_execution();
    std::atomic<int> calls{0};
    const auto f = [&] { calls.fetch_add(1); };
    bough::parallel_invoke(f, f, f, context);
    EXPECT_EQ(calls.load(), 0);
    context.reset();
    bough::parallel_invoke(f, f, f, context);
    EXPECT_EQ(calls.load(), 3);
}

int calls_of_function = 0;
void function() {
    ++calls_of_function;
}

TEST(api_invoke, takes_functions_and_lvalues_and_const_objects) {
    calls_of_function = 0;
    std::atomic<int> calls{0};
    const std::function<void()> constant = [&] { ++calls; };
    auto lambda = [&] { ++calls; };
    bough::parallel_invoke(function, constant, lambda);
    EXPECT_EQ(calls_of_function, 1);
    EXPECT_EQ(calls.load(), 2);
}

TEST(api_invoke, two_functions_that_wait_for_each_other) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("two functions wait for each other");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    for (const auto how : {bough_test::rendezvous::spinning, bough_test::rendezvous::sleeping}) {
        for (int round = 0; round < 100; ++round) {
            bough_test::rendezvous both(2, how);
            bough::parallel_invoke([&] { both.arrive_and_wait(); }, [&] { both.arrive_and_wait(); });
            ASSERT_TRUE(both.met());
        }
    }
}

}  // namespace
