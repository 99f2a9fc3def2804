// fork() in a program on oneTBB's entry points: the child's loops, groups and pipelines work, whatever the parent's threads did.

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>

namespace {

using namespace oneapi::tbb;

int use_everything() {
    const int sum = parallel_reduce(
        blocked_range<int>(0, 10000), 0,
        [](const blocked_range<int>& r, int s) { return s + static_cast<int>(r.size()); }, std::plus<int>());
    if (sum != 10000)
        return 2;
    std::atomic<int> ran{0};
    task_group group;
    for (int i = 0; i < 100; ++i)
        group.run([&] { parallel_for(0, 10, [&](int) { ++ran; }); });
    group.wait();
    if (ran != 1000)
        return 3;
    int next = 0;
    parallel_pipeline(4, make_filter<void, int>(filter_mode::serial_in_order, [&](flow_control& f) {
                             if (next == 100)
                                 f.stop();
                             return next++;
                         }) & make_filter<int, void>(filter_mode::parallel, [&](int) { ++ran; }));
    if (ran != 1100)
        return 4;
    task_group cancelled;
    cancelled.run([&] { cancelled.cancel(); });
    return cancelled.wait() == canceled ? 0 : 5;
}

int status_of_child(int (*f)()) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);  // ends one that hangs
        _exit(f());
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

TEST(fork, under_load_and_inside_a_body) {
    const char* library = std::getenv("ABI_TEST_LIBRARY");
    if (library && std::strcmp(library, "onetbb") == 0)
        GTEST_SKIP() << "oneTBB does not support fork()";
#ifdef __SANITIZE_THREAD__
    GTEST_SKIP() << "the thread sanitizer ends a child that starts threads, if its parent had several";
#endif
    ASSERT_EQ(use_everything(), 0);
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0}, rounds{0};
    std::thread other([&] {
        while (!stop) {
            wrong += use_everything();
            ++rounds;
        }
    });
    while (rounds == 0)
        std::this_thread::yield();
    for (int k = 0; k < 50; ++k)
        EXPECT_EQ(status_of_child(use_everything), 0) << "fork " << k;
    std::atomic<int> failed{0};
    parallel_for(0, 8, [&](int) { failed += status_of_child(use_everything) == 0 ? 0 : 1; });
    EXPECT_EQ(failed, 0);
    stop = true;
    other.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(use_everything(), 0);
}

}  // namespace
