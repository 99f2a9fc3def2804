// Application threads that used bough end, a thousand of them: slots come back, later loops are whole.

#include "process_support.h"

namespace {

using bough_test::rendezvous;
using bough_test::visits;

TEST(thread_exit, a_thousand_short_threads_one_after_the_other) {
    for (int k = 0; k < 1000; ++k) {
        std::thread([k] {
            visits seen(50);
            bough::parallel_for(std::size_t{0}, std::size_t{50}, [&](std::size_t i) { seen.hit(i); });
            ASSERT_TRUE(seen.each_once()) << "thread " << k;
        }).join();
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(thread_exit, a_thousand_threads_in_groups_of_ten_with_blocking_pairs) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    const bool pairs = bough_test::allowed_threads() >= 2;
    for (int k = 0; k < 100; ++k) {
        std::vector<std::thread> threads;
        for (int t = 0; t < 10; ++t)
            threads.emplace_back([pairs] {
                rendezvous pair(pairs ? 2 : 1, rendezvous::sleeping);
                bough::parallel_for(0, pairs ? 2 : 1, [&](int) { pair.arrive_and_wait(); });
                ASSERT_TRUE(pair.met());
            });
        for (auto& t : threads)
            t.join();
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

// The main thread first uses bough after many others came and went.
TEST(thread_exit, the_thread_that_started_the_runtime_may_end) {
    std::thread([] { EXPECT_TRUE(bough_test::pool_is_usable()); }).join();
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    EXPECT_TRUE(bough_test::pool_is_usable());
    std::thread([] { EXPECT_TRUE(bough_test::pool_is_usable()); }).join();
}

TEST(thread_exit, loops_in_destructors_of_thread_local_objects) {
    struct at_end {
        bool armed = false;
        std::atomic<int>* sum = nullptr;
        ~at_end() {
            if (armed)
                bough::parallel_for(0, 100, [this](int) { sum->fetch_add(1); });
        }
    };
    std::atomic<int> sum{0};
    for (int k = 0; k < 100; ++k) {
        // Made before, and made after the thread's first use of bough: destroyed after and before bough's own.
        std::thread([&] {
            thread_local at_end before;
            before.sum = &sum;
            before.armed = true;
            bough::parallel_for(0, 100, [&](int) { sum.fetch_add(1); });
            thread_local at_end after;
            after.sum = &sum;
            after.armed = true;
        }).join();
    }
    EXPECT_EQ(sum.load(), 100 * 300);
    EXPECT_TRUE(bough_test::pool_is_usable());
}

}  // namespace
