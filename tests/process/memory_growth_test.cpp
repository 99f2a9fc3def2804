// Memory does not grow over a million loops, nor over groups, arenas, exceptions and limits.

#include "process_support.h"
#include "support/no_huge_pages.h"

#include <array>

namespace {

// Not as many threads as CPUs: each worker that is used first after the warm-up adds a stack and an arena of malloc's.
const int four_threads = setenv("BOUGH_NUM_THREADS", "4", 0);

constexpr std::size_t stretches = 4;
constexpr std::size_t allowed_growth = (std::size_t{1} << 20) / stretches;  // of one

// Runs `work` a tenth to warm up, then in equal stretches, and compares the pages in memory. What is lost in rounds is
// lost in every stretch; a first use is in one.
template <class Work>
void expect_no_growth(int rounds, const Work& work) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "sanitizers keep freed memory";
    if (bough_test::is_emulated())
        GTEST_SKIP() << "the emulator's own memory is in this process, too, and grows with threads and code";
    for (int k = 0; k < rounds / 10 + 1; ++k)
        work(k);
    std::array<long, stretches> growth{};
    for (long& of_stretch : growth) {
        const std::size_t before = bough_test::resident_bytes();
        for (int k = 0; k < rounds / static_cast<int>(stretches); ++k)
            work(k);
        of_stretch = static_cast<long>(bough_test::resident_bytes()) - static_cast<long>(before);
        std::cout << of_stretch / 1024 << " KiB more, ";
    }
    std::cout << "in " << rounds << " rounds\n";
    EXPECT_LE(*std::min_element(growth.begin(), growth.end()), static_cast<long>(allowed_growth));
}

TEST(memory_growth, a_million_short_loops) {
    std::atomic<long> sum{0};
    expect_no_growth(1000000, [&](int k) {
        bough::parallel_for(0, 4, [&](int i) {
            if (i == k % 4)
                sum.fetch_add(1, std::memory_order_relaxed);
        });
    });
}

TEST(memory_growth, loops_that_are_shared) {
    expect_no_growth(20000,
                     [](int) { bough::parallel_for(0, 64, [](int) { bough_test::work_a_little(300); }); });
}

TEST(memory_growth, loops_over_user_written_and_tiled_ranges) {
    using tiles = bough::blocked_range2d<int>;
    expect_no_growth(10000, [](int) {
        bough::parallel_for(tiles(0, 20, 0, 20), [](const tiles&) { bough_test::work_a_little(20); });
    });
}

TEST(memory_growth, nested_loops_and_reductions) {
    expect_no_growth(3000, [](int) {
        bough::parallel_for(0, 8, [](int) {
            const int n = bough::parallel_reduce(
                bough::blocked_range<int>(0, 100), 0,
                [](const bough::blocked_range<int>& r, int v) {
                    bough_test::work_a_little(200);
                    return v + static_cast<int>(r.size());
                },
                std::plus<int>());
            EXPECT_EQ(n, 100);
        });
    });
}

TEST(memory_growth, a_million_tasks) {
    std::atomic<long> sum{0};
    expect_no_growth(20000, [&](int) {
        bough::task_group group;
        for (int i = 0; i < 50; ++i)
            group.run([&] { sum.fetch_add(1, std::memory_order_relaxed); });
        group.wait();
    });
}

TEST(memory_growth, exceptions_and_cancelled_groups) {
    expect_no_growth(5000, [](int) {
        try {
            bough::parallel_for(0, 64, [](int i) { i == 30 ? throw bough_test::boom{30} : void(); });
        } catch (const bough_test::boom&) {
        }
        bough::task_group group;
        for (int i = 0; i < 10; ++i)
            group.run([] {});
        group.cancel();
        group.wait();
    });
}

TEST(memory_growth, arenas_and_limits) {
    expect_no_growth(3000, [](int k) {
        bough::task_arena arena(1 + k % 3);
        arena.execute([] { bough::parallel_for(0, 20, [](int) { bough_test::work_a_little(20); }); });
        const bough::global_control limit(bough::global_control::max_allowed_parallelism, 1);
        bough::parallel_for(0, 20, [](int) {});
    });
}

TEST(memory_growth, application_threads_that_come_and_go) {
    expect_no_growth(1000, [](int) {
        std::thread([] { bough::parallel_for(0, 20, [](int) { bough_test::work_a_little(20); }); }).join();
    });
}

}  // namespace
