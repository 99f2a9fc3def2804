// main() of the headers-only tests. CONFORMANCE_THREADS=n runs every test inside an arena of n threads under a limit
// of n, also where there are fewer CPUs; without it the runtime's own defaults hold.

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdlib>

#include <gtest/gtest.h>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const char* setting = std::getenv("CONFORMANCE_THREADS");
    const int threads = setting ? std::atoi(setting) : 0;
    if (threads <= 0)
        return RUN_ALL_TESTS();
    const auto limit = tbb::global_control::max_allowed_parallelism;
    tbb::global_control control(limit, static_cast<std::size_t>(threads));
    tbb::task_arena arena(threads);
    return arena.execute([] { return RUN_ALL_TESTS(); });
}
