// Application threads come, share the runtime and go, with arenas and limits that change below them.

#include "unit/api_support.h"
#include "unit/blocking_bodies.h"

namespace {

using bough_test::rendezvous;
using bough_test::visits;

TEST(app_threads, pairs_of_blocking_bodies_from_many_threads) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("two functions, or two tasks, wait for each other");
    if (bough_test::allowed_threads() < 2)
        GTEST_SKIP() << "one thread only";
    const std::uint64_t seed = bough_test::seeded_generator()();
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::mt19937_64 generator(seed + t);
            bough_test::budget rounds(2000, 1000);
            while (rounds.next() && failed.load() == 0) {
                rendezvous pair(2, rendezvous::sleeping);
                switch (bough_test::uniform(generator, 0, 2)) {
                case 0:
                    bough::parallel_for(0, 2, [&](int) { pair.arrive_and_wait(); });
                    break;
                case 1:
                    bough::parallel_invoke([&] { pair.arrive_and_wait(); }, [&] { pair.arrive_and_wait(); });
                    break;
                default: {
                    bough::task_group group;
                    group.run([&] { pair.arrive_and_wait(); });
                    group.run_and_wait([&] { pair.arrive_and_wait(); });
                }
                }
                failed += pair.met() ? 0 : 1;
                std::this_thread::sleep_for(
                    std::chrono::microseconds(bough_test::uniform(generator, 0, 100)));
            }
        });
    for (auto& t : threads)
        t.join();
    EXPECT_EQ(failed.load(), 0);
}

TEST(app_threads, that_live_for_one_loop) {
    const std::uint64_t seed = bough_test::seeded_generator()();
    std::atomic<int> failed{0};
    bough_test::budget rounds(500, 800);
    while (rounds.next()) {
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < 4; ++t)
            threads.emplace_back([&, t] {
                std::mt19937_64 generator(seed + static_cast<std::uint64_t>(rounds.done()) * 4 + t);
                const std::size_t n = bough_test::uniform(generator, 0, 300);
                visits seen(n);
                bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
                    bough_test::work_a_little(20);
                    seen.hit(i);
                });
                failed += seen.each_once() ? 0 : 1;
            });
        for (auto& t : threads)
            t.join();
        ASSERT_EQ(failed.load(), 0);
    }
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(app_threads, with_arenas_that_come_and_go) {
    const std::uint64_t seed = bough_test::seeded_generator()();
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    bough::task_arena shared(2);
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            std::mt19937_64 generator(seed + t);
            bough_test::budget rounds(1000, 800);
            while (rounds.next()) {
                const std::size_t n = bough_test::uniform(generator, 1, 200);
                visits seen(n);
                const auto loop = [&] {
                    bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
                        bough_test::work_a_little(50);
                        seen.hit(i);
                    });
                };
                if (bough_test::uniform(generator, 0, 1)) {
                    shared.execute(loop);
                } else {
                    bough::task_arena own(static_cast<int>(bough_test::uniform(generator, 1, 5)));
                    own.execute(loop);
                }
                failed += seen.each_once() ? 0 : 1;
            }
        });
    for (auto& t : threads)
        t.join();
    EXPECT_EQ(failed.load(), 0);
    EXPECT_TRUE(bough_test::pool_is_usable());
}

TEST(app_threads, while_limits_change) {
    const auto all = static_cast<std::size_t>(bough_test::allowed_threads());
    auto generator = bough_test::seeded_generator();
    std::atomic<bool> end{false};
    std::atomic<int> failed{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
        threads.emplace_back([&] {
            while (!end.load()) {
                visits seen(200);
                bough::parallel_for(std::size_t{0}, std::size_t{200}, [&](std::size_t i) {
                    bough_test::work_a_little(50);
                    seen.hit(i);
                });
                failed += seen.each_once() ? 0 : 1;
            }
        });
    bough_test::budget rounds(2000, 800);
    while (rounds.next()) {
        const bough::global_control limit(bough::global_control::max_allowed_parallelism,
                                          bough_test::uniform(generator, 1, all));
        std::this_thread::sleep_for(std::chrono::microseconds(bough_test::uniform(generator, 0, 300)));
    }
    end = true;
    for (auto& t : threads)
        t.join();
    EXPECT_EQ(failed.load(), 0);
    EXPECT_TRUE(bough_test::pool_is_usable()) << "threads stayed away after the last limit had gone";
}

}  // namespace
