// A task is suspended inside an outermost parallel_invoke of which nothing was stolen: the thread goes on with
// something else, and the task must all the same.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include <bough/bough.h>

namespace {

TEST(suspended_calls, go_on_when_the_thread_does_something_else) {
    const bough::global_control limit(bough::global_control::max_allowed_parallelism, 1);
    bough::task_group outer;
    std::atomic<bool> done{false};
    bough::suspend_point first{}, second{};
    std::thread([&] {
        bough::parallel_invoke(
            [&] {
                bough::task_group inner;
                outer.run([&] {
                    bough::suspend([&](bough::suspend_point p) {
                        second = p;
                        bough::resume(first);
                    });
                    done = true;
                });
                inner.run([] {});
                inner.run([&] { bough::suspend([&](bough::suspend_point p) { first = p; }); });
                inner.wait();
            },
            [] {});
        // In a wait of its own it would look after the task; it only joins.
        std::thread([&] {
            if (second)
                bough::resume(second);
            outer.wait();
        }).join();
    }).join();
    EXPECT_TRUE(done);
}

}  // namespace
