// Many forks, while other threads are in loops, groups and arenas, and from inside bodies: no child hangs, no zombie
// stays, the parent does not grow. vfork, posix_spawn and system from bodies. fork_test.cpp has what a child can do,
// and what it cannot.

#include <spawn.h>

#include "all_uses.h"
#include "support/no_huge_pages.h"
#include "watched_children.h"

namespace {

using bough_test::fail_child;

int forks() {
    return bough_test::long_run() ? 1000 : 50;
}

// In a child process: 0 if loops, tasks and all threads are there. It can be ended, by the alarm too, if a worker
// forked it.
int use_in_child() {
    alarm(bough_test::child_patience_s());
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    for (const int signal : {SIGALRM, SIGTERM, SIGINT, SIGCHLD})
        if (sigismember(&blocked, signal) != 0)
            return 5;
    const int sum = bough::parallel_reduce(
        bough::blocked_range<int>(0, 10000), 0,
        [](const bough::blocked_range<int>& r, int s) { return s + static_cast<int>(r.size()); },
        std::plus<int>());
    if (sum != 10000)
        return 2;
    std::atomic<int> ran{0};
    bough::task_group tasks;
    for (int i = 0; i < 50; ++i)
        tasks.run([&] { bough::parallel_for(0, 10, [&](int) { ++ran; }); });
    tasks.wait();
    if (ran != 500)
        return 3;
    bough::task_arena arena(2);
    arena.enqueue([&] { ++ran; });
    bough_test::wait_for(ran, 501);
    return bough_test::pool_is_usable() ? 0 : 4;
}

int status_of(pid_t child) {
    int status = -1;
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

int status_of_fork(int (*use)()) {
    const pid_t child = fork();
    if (child == 0)
        _exit(use());
    return status_of(child);
}

// Loops in one thread, tasks in another, an arena in the third.
class load {
public:
    load() {
        const auto loops = [this] {
            bough_test::visits seen(5000);
            bough::parallel_for(std::size_t{0}, std::size_t{5000}, [&](std::size_t i) { seen.hit(i); });
            wrong_ += seen.each_once() ? 0 : 1;
        };
        const auto groups = [this] { wrong_ += bough_test::use_invoke_tree().empty() ? 0 : 1; };
        go_on(loops);
        go_on(groups);
        go_on([this, loops] { shared_.execute(loops); });
        bough_test::wait_for_at_least(rounds_, 3);
    }
    ~load() { stop(); }
    int stop() {
        stop_ = true;
        for (auto& t : threads_)
            t.join();
        threads_.clear();
        return wrong_;
    }

private:
    template <class Do>
    void go_on(Do act) {
        threads_.emplace_back([this, act] {
            while (!stop_.load()) {
                act();
                ++rounds_;
            }
        });
    }
    bough::task_arena shared_{3};
    std::atomic<bool> stop_{false};
    std::atomic<int> wrong_{0}, rounds_{0};
    std::vector<std::thread> threads_;
};

struct holdings {
    int threads = bough_test::threads_of_process();
    std::ptrdiff_t files = [] {
        const std::filesystem::directory_iterator all("/proc/self/fd");
        return std::distance(begin(all), end(all));
    }();
    std::size_t bytes = bough_test::resident_bytes();
};

// `fork_some` forks so many children at a time. Compares what the process holds after a few and at the end.
template <class ForkSome>
int fork_many(int at_a_time, ForkSome&& fork_some) {
    load others;
    std::optional<holdings> early;
    for (int k = 0; k < forks(); k += at_a_time) {
        if (const int status = fork_some()) {
            std::cout << "fork " << k << ": status " << status << std::endl;
            return 1;
        }
        if (!early && k >= forks() / 10)
            early.emplace();
    }
    const holdings late;
    std::cout << forks() << " forks, " << early->bytes / 1024 << " to " << late.bytes / 1024 << " KiB"
              << std::endl;
    if (others.stop() != 0 || bough_test::wrong_answers() != 0)
        return fail_child("wrong answers in the parent");
    if (waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD)
        return fail_child("a child is left");
    if (late.files > early->files)
        return fail_child("files are left open");
    const int workers = std::max(bough_test::allowed_threads() - 1, 1);
    if (late.threads > 4 + workers)  // the caller's, those of the load
        return fail_child("threads have come");
    if (!bough_test::sanitized && late.bytes > early->bytes + (std::size_t{16} << 20))
        return fail_child("memory has grown");
    return 0;
}

int child_under_load() {
    return fork_many(1, [] { return status_of_fork(use_in_child); });
}

// Others ask, and use, the context that the child uses.
int child_context_in_use() {
    static bough::task_group_context context;
    std::atomic<bool> stop{false};
    std::thread asks([&] {
        while (!stop.load())
            if (context.is_group_execution_cancelled())
                std::abort();
    });
    std::thread uses([&] {
        while (!stop.load())
            bough::parallel_for(0, 2, [](int) {}, context);
    });
    int status = 0;
    for (int k = 0; k < forks() && status == 0; ++k)
        status = status_of_fork([] {
            alarm(bough_test::child_patience_s());
            std::atomic<int> ran{0};
            bough::parallel_for(
                0, 100, [&](int) { ran += context.is_group_execution_cancelled() ? 0 : 1; }, context);
            return ran == 100 ? 0 : 2;
        });
    stop = true;
    asks.join();
    uses.join();
    return status == 0 ? 0 : fail_child("status " + std::to_string(status));
}

// From several bodies at a time, wherever they run.
int child_inside_bodies() {
    return fork_many(4, [] {
        std::atomic<int> failed{0};
        bough::parallel_for(0, 4, [&](int) {
            if (const int status = status_of_fork(use_in_child))
                failed = status;
        });
        return failed.load();
    });
}

// Those of the group that have not begun are the child's as well: there they do nothing.
int child_inside_tasks() {
    return fork_many(3, [] {
        std::atomic<int> failed{0};
        bough::task_group tasks;
        const pid_t parent = getpid();
        for (int i = 0; i < 3; ++i)
            tasks.run([&] {
                if (getpid() != parent)
                    return;
                if (const int status = status_of_fork(use_in_child))
                    failed = status;
            });
        tasks.wait();
        return failed.load();
    });
}

// ---- other ways to start a process ----

int status_of_vfork() {
    const pid_t child = vfork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", "exit 5", nullptr);
        _exit(127);
    }
    return status_of(child);
}

int status_of_spawn() {
    char shell[] = "sh", option[] = "-c", command[] = "exit 5";
    char* const arguments[] = {shell, option, command, nullptr};
    pid_t child = -1;
    return posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ) == 0 ? status_of(child) : -1;
}

int child_programs_from_bodies() {
    return fork_many(6, [] {
        std::atomic<int> failed{0};
        bough::parallel_for(0, 6, [&](int i) {
            const int status = i % 3 == 0   ? status_of_vfork()
                               : i % 3 == 1 ? status_of_spawn()
                                            : std::system("exit 5");
            if (!WIFEXITED(status) || WEXITSTATUS(status) != 5)
                failed = status == 0 ? -1 : status;
        });
        return failed.load();
    });
}

TEST(forks, many) {
    bough_test::expect_children_succeed(
        {"under_load", "context_in_use", "inside_bodies", "inside_tasks", "programs_from_bodies"},
        bough_test::usual_threads());
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(argc, argv,
                                                     {{"under_load", child_under_load},
                                                      {"context_in_use", child_context_in_use},
                                                      {"inside_bodies", child_inside_bodies},
                                                      {"inside_tasks", child_inside_tasks},
                                                      {"programs_from_bodies", child_programs_from_bodies}});
}
