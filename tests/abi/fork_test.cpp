// fork() in a program on oneTBB's entry points: the child's loops, groups and pipelines work, whatever the parent's
// threads did.

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_pipeline.h>
#include <oneapi/tbb/parallel_reduce.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "abi/library.h"

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

// Null: children that go on are tried.
const char* why_left_out() {
    if (is_onetbb())
        return "oneTBB does not support fork()";
#ifdef __SANITIZE_THREAD__
    return "the thread sanitizer ends a child that starts threads, if its parent had several";
#elif defined(__SANITIZE_ADDRESS__)
    return "before LLVM 18 the address sanitizer's allocator does not hold its locks over fork()";
#else
    return nullptr;
#endif
}

int forks() {
    const char* const value = std::getenv("LONG");
    return value && std::strcmp(value, "1") == 0 ? 1000 : 50;
}

std::ptrdiff_t entries_of(const char* folder) {
    const std::filesystem::directory_iterator all(folder);
    return std::distance(begin(all), end(all));
}

// A thread that uses everything, again and again, while this lives.
class load {
public:
    load()
        : other_([this] {
              while (!stop_) {
                  wrong_ += use_everything();
                  ++rounds_;
              }
          }) {
        while (rounds_ == 0)
            std::this_thread::yield();
    }
    ~load() { stop(); }
    int stop() {
        stop_ = true;
        if (other_.joinable())
            other_.join();
        return wrong_;
    }

private:
    std::atomic<bool> stop_{false};
    std::atomic<int> wrong_{0}, rounds_{0};
    std::thread other_;
};

TEST(fork, under_load_and_inside_a_body) {
    if (const char* why = why_left_out())
        GTEST_SKIP() << why;
    ASSERT_EQ(use_everything(), 0);
    load other;
    EXPECT_EQ(status_of_child(use_everything), 0);
    const auto files = entries_of("/proc/self/fd");
    for (int k = 0; k < forks(); ++k)
        ASSERT_EQ(status_of_child(use_everything), 0) << "fork " << k;
    std::atomic<int> failed{0};
    parallel_for(0, 8, [&](int) { failed += status_of_child(use_everything) == 0 ? 0 : 1; });
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(entries_of("/proc/self/fd"), files);
    EXPECT_TRUE(waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD) << "a zombie is left";
    EXPECT_EQ(other.stop(), 0);
    EXPECT_EQ(use_everything(), 0);
}

// What the child finds was just being used for the first time by another thread.
TEST(fork, a_context_that_others_bind) {
    if (const char* why = why_left_out())
        GTEST_SKIP() << why;
    static std::atomic<task_group_context*> newest;
    newest = nullptr;
    std::atomic<bool> stop{false};
    std::thread binds([&] {
        std::array<std::unique_ptr<task_group_context>, 1000> last;
        parallel_for(0, 1, [&](int) {
            for (std::size_t k = 0; !stop; ++k) {
                auto& context = last[k % last.size()];
                auto before = std::exchange(context, std::make_unique<task_group_context>());
                newest = context.get();
                parallel_for(0, 2, [](int) {}, *context);
            }
        });
        newest = nullptr;
    });
    while (!newest)
        std::this_thread::yield();
    for (int k = 0; k < forks(); ++k) {
        const int status = status_of_child([] {
            std::atomic<int> ran{0};
            parallel_for(0, 10, [&](int) { ++ran; }, *newest);
            return ran == 10 ? 0 : 2;
        });
        EXPECT_EQ(status, 0) << "fork " << k;
        if (status != 0)
            break;
    }
    stop = true;
    binds.join();
}

void overwrite_the_stack() {
    volatile char room[64 * 1024];
    for (std::size_t k = 0; k < sizeof room; ++k)
        room[k] = static_cast<char>(0xa5);
}

// The child's new threads get their stacks.
TEST(fork, contexts_on_stacks_of_threads_of_the_parent) {
    if (const char* why = why_left_out())
        GTEST_SKIP() << why;
    std::atomic<bool> stop{false};
    std::atomic<int> inside{0};
    const auto nest = [&] {
        parallel_for(0, 1, [&](int) {
            parallel_for(0, 1, [&](int) {
                ++inside;
                while (!stop)
                    std::this_thread::yield();
            });
        });
    };
    std::array<std::thread, 4> nested;
    for (std::thread& t : nested)
        t = std::thread(nest);
    while (inside < static_cast<int>(nested.size()))
        std::this_thread::yield();
    EXPECT_EQ(status_of_child([] {
                  std::array<std::thread, 8> all;
                  for (std::thread& t : all)
                      t = std::thread(overwrite_the_stack);
                  for (std::thread& t : all)
                      t.join();
                  task_group_context outer;
                  std::atomic<int> ran{0};
                  parallel_for(
                      0, 1,
                      [&](int) {
                          parallel_for(0, 1, [&](int) {
                              outer.cancel_group_execution();
                              ran += is_current_task_group_canceling() ? 1 : 0;
                          });
                      },
                      outer);
                  return ran == 1 && status_of_child(use_everything) == 0 ? 0 : 2;
              }),
              0);
    stop = true;
    for (std::thread& t : nested)
        t.join();
}

// Registered before those of the library, as by a program that loads it late: in the parent ours comes last before the
// fork, in the child first, while the library holds all that it has locks for.
std::function<void()> before_the_fork, in_the_child;
void run(const std::function<void()>& f) {
    if (f)
        f();
}
void register_handlers() {
    pthread_atfork([] { run(before_the_fork); }, nullptr, [] { run(in_the_child); });
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const first_of_all)() = register_handlers;

TEST(fork, a_thread_ends_that_a_handler_waits_for) {
    if (const char* why = why_left_out())
        GTEST_SKIP() << why;
    std::atomic<bool> stop{false}, is_up{false};
    std::thread other([&] {
        use_everything();
        is_up = true;
        while (!stop)
            std::this_thread::yield();
    });
    while (!is_up)
        std::this_thread::yield();
    before_the_fork = [&] {
        stop = true;
        if (other.joinable())
            other.join();
    };
    const int status = status_of_child(use_everything);
    before_the_fork = nullptr;
    EXPECT_TRUE(stop);
    EXPECT_EQ(status, 0);
}

TEST(fork, handlers_make_use_and_destroy_contexts) {
    if (const char* why = why_left_out())
        GTEST_SKIP() << why;
    static int handled;
    handled = 0;
    auto used = std::make_unique<task_group>(), unused = std::make_unique<task_group>();
    used->run_and_wait([] {});
    const auto drop = [&] {
        used.reset();
        unused.reset();
        task_group_context outer;
        outer.cancel_group_execution();
        ++handled;
    };
    in_the_child = drop;
    const int status = status_of_child([] { return handled == 1 ? use_everything() : 9; });
    in_the_child = nullptr;
    EXPECT_EQ(status, 0);
    before_the_fork = drop;
    const int another = status_of_child(use_everything);
    before_the_fork = nullptr;
    EXPECT_EQ(handled, 1);
    EXPECT_EQ(another, 0);
}

TEST(fork, programs_from_bodies) {
    load other;
    std::atomic<int> failed{0};
    parallel_for(0, 24, [&](int i) {
        char shell[] = "sh", option[] = "-c", command[] = "exit 5";
        char* const arguments[] = {shell, option, command, nullptr};
        int status = 0;
        pid_t child = -1;
        if (i % 2 == 0)
            status = std::system(command);
        else if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ) == 0)
            while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
            }
        failed += WIFEXITED(status) && WEXITSTATUS(status) == 5 ? 0 : 1;
    });
    EXPECT_EQ(failed, 0);
    EXPECT_EQ(other.stop(), 0);
}

}  // namespace
