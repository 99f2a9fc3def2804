#pragma once
// For tests of the queues that send a real-time signal: tasks that only such a signal makes public, and what a program
// knows of its signals. Linked with the library's variants split-signal and split-signal-half. A child has the number
// in BOUGH_SIGNAL.

#include <signal.h>

#include <cerrno>

#include "process/process_support.h"
#include "support/patience.h"

namespace bough_test {

using bough::task_arena;

inline constexpr int threads = 3;

// ---- what children say ----

inline int failures = 0;

inline void check(bool holds, const std::string& what) {
    if (holds)
        return;
    ++failures;
    std::cerr << what << std::endl;
}

// Several waits in a row.
inline unsigned longest_child_s() {
    return static_cast<unsigned>(5 * patience().count());
}

inline int number() {
    const char* given = std::getenv("BOUGH_SIGNAL");
    return given ? std::atoi(given) : SIGRTMAX - 6;
}

inline task_arena arena_with_signals() {
    return task_arena(threads);
}

// Spawns tasks and waits outside of bough, by meanwhile(), until others have run them all. Those that were handed to
// idle workers hold them until all are there; so at least two in three lie in this thread's queue, and a signal has to
// make them public.
template <class Task, class Meanwhile>
inline void spawn_and_block(Task&& task, Meanwhile&& meanwhile) {
    std::atomic<bool> all_there{false};
    bough::task_group group;
    for (int i = 0; i < 3 * threads; ++i)
        group.run([&, i] {
            while (!all_there.load())
                std::this_thread::yield();
            task(i);
        });
    all_there = true;
    meanwhile();
    group.wait();
}

inline bool are_exposed() {
    std::atomic<int> ran{0};
    bool all = false;
    spawn_and_block([&](int) { ++ran; }, [&] { all = comes_true([&] { return ran == 3 * threads; }); });
    return all;
}

inline void use_bough(const char* where) {
    check(bough_test::wrong_answers() == 0, std::string("wrong answers ") + where);
    for (int round = 0; round < 20 && failures == 0; ++round)
        check(are_exposed(), std::string("tasks of a thread that blocks were not run by others, ") + where);
}

// ---- signals ----

inline bool is_same(const sigset_t& a, const sigset_t& b, int but_for = 0) {
    for (int n = 1; n <= SIGRTMAX; ++n)
        if (n != but_for && sigismember(&a, n) != sigismember(&b, n))
            return false;
    return true;
}
inline bool is_same(const struct sigaction& a, const struct sigaction& b) {
    constexpr int flags = ~0x04000000;  // SA_RESTORER, the C library's own, which it adds
    return a.sa_sigaction == b.sa_sigaction && (a.sa_flags & flags) == (b.sa_flags & flags) &&
           is_same(a.sa_mask, b.sa_mask);
}

inline sigset_t mask_here() {
    sigset_t mask;
    pthread_sigmask(SIG_BLOCK, nullptr, &mask);
    return mask;
}
inline bool is_blocked_here(int n) {
    const sigset_t mask = mask_here();
    return sigismember(&mask, n) == 1;
}
inline void change_mask(int how, int n) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, n);
    pthread_sigmask(how, &one, nullptr);
}

inline struct sigaction action_of(int n) {
    struct sigaction action{};
    sigaction(n, nullptr, &action);
    return action;
}
inline struct sigaction install(int n, void (*plain)(int), void (*full)(int, siginfo_t*, void*),
                                int flags = 0) {
    struct sigaction action{};
    sigemptyset(&action.sa_mask);
    sigaddset(&action.sa_mask, SIGUSR1);
    action.sa_flags = flags | (full ? SA_SIGINFO : 0);
    if (full)
        action.sa_sigaction = full;
    else
        action.sa_handler = plain;
    sigaction(n, &action, nullptr);
    return action_of(n);
}

inline void send_value(int n, int value) {
    sigval v{};
    v.sival_int = value;
    while (sigqueue(getpid(), n, v) != 0 && errno == EAGAIN)  // too many are pending
        std::this_thread::yield();
}

// ---- the program's own signals, and its handler ----

inline std::atomic<int> seen{0}, by_kill{0}, by_raise{0}, by_queue{0}, strange{0};
inline std::atomic<long> sum_of_values{0};

inline void plain_handler(int n) {
    ++(n == number() ? seen : strange);
}
inline void full_handler(int n, siginfo_t* info, void* context) {
    plain_handler(n);
    if (!context)
        ++strange;
    if (info->si_code == SI_QUEUE) {
        ++by_queue;
        sum_of_values += info->si_value.sival_int;
    } else {
        ++(info->si_code == SI_USER ? by_kill : info->si_code == SI_TKILL ? by_raise : strange);
    }
}

class pipe_of_numbers {
public:
    pipe_of_numbers() { check(pipe(ends_) == 0, "no pipe"); }
    ~pipe_of_numbers() {
        close(ends_[0]);
        close(ends_[1]);
    }
    pipe_of_numbers(const pipe_of_numbers&) = delete;
    pipe_of_numbers& operator=(const pipe_of_numbers&) = delete;

    void put(int i) const { check(write(ends_[1], &i, sizeof i) == sizeof i, "write"); }
    int get() const {
        int i = 0;
        check(read(ends_[0], &i, sizeof i) == sizeof i, std::string("read: ") + std::strerror(errno));
        return i;
    }
    int readable() const { return ends_[0]; }
    int writable() const { return ends_[1]; }

private:
    int ends_[2] = {-1, -1};
};

// ---- what is run in a child ----

inline void runs_well(const std::string& child) {
    const auto outcome = run_child(child, {{"BOUGH_SIGNAL", std::to_string(SIGRTMAX - 9)},
                                           {"BOUGH_NUM_THREADS", std::to_string(threads)}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    EXPECT_EQ(outcome.err, "");
}

// main() of a test of signals: a child that hangs is killed.
inline int run_children_in_time(int argc, char** argv,
                                const std::map<std::string, child_function>& children) {
    if (argc == 3)
        alarm(longest_child_s());
    return run_children_or_tests(argc, argv, children);
}

}  // namespace bough_test
