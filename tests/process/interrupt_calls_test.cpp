// Queues that send a real-time signal, in a program whose threads wait in system calls, block the signal, and fork.

#include <sys/resource.h>

#include "process/interrupt_support.h"
#include "process/watched_children.h"

namespace {

using namespace bough_test;

// ---- a thread that blocks the signal ----

int child_a_body_that_blocks_the_signal() {
    for (int round = 0; round < 50 && failures == 0; ++round) {
        std::atomic<int> ran{0};
        bough::parallel_for(0, threads, [&](int) {
            change_mask(SIG_BLOCK, number());
            bough::task_group group;
            for (int i = 0; i < 50; ++i)
                group.run([&] {
                    bough_test::work_a_little();
                    ++ran;
                });
            group.wait();
            change_mask(SIG_UNBLOCK, number());
        });
        check(ran == threads * 50, "tasks were lost");
        // What was sent meanwhile comes as soon as it may.
        std::atomic<int> public_now{0};
        change_mask(SIG_BLOCK, number());
        spawn_and_block([&](int) { ++public_now; },
                        [&] {
                            bough_test::work_a_little(20000);
                            change_mask(SIG_UNBLOCK, number());
                            check(comes_true([&] { return public_now == 3 * threads; }),
                                  "not exposed after the thread let the signal in");
                        });
    }
    use_bough("afterwards");
    return failures;
}

// ---- system calls ----

constexpr int all_numbers = (3 * threads - 1) * 3 * threads / 2;

int child_system_calls_that_begin_anew() {
    const pipe_of_numbers numbers;
    for (int round = 0; round < 100 && failures == 0; ++round)
        bough::parallel_for(0, 1, [&](int) {
            int sum = 0;
            spawn_and_block([&](int i) { numbers.put(i); },
                            [&] {
                                for (int k = 0; k < 3 * threads; ++k)
                                    sum += numbers.get();
                            });
            check(sum == all_numbers, "lost numbers");
        });
    return failures;
}

// A write that was cut short by a signal says so, as into every pipe.
int child_writes() {
    const pipe_of_numbers bytes;
    std::vector<char> sent(1 << 20), received;
    for (std::size_t i = 0; i < sent.size(); ++i)
        sent[i] = static_cast<char>(i * 7 / 5);
    spawn_and_block(
        [&](int i) {
            if (i != 0)  // the one that a thief finds first
                return;
            std::vector<char> buffer(1 << 14);
            while (received.size() < sent.size()) {
                const ssize_t got = read(bytes.readable(), buffer.data(), buffer.size());
                check(got > 0, std::string("read: ") + std::strerror(errno));
                if (got <= 0)
                    return;
                received.insert(received.end(), buffer.begin(), buffer.begin() + got);
            }
        },
        [&] {
            for (std::size_t done = 0; done < sent.size() && failures == 0;) {
                const ssize_t put = write(bytes.writable(), sent.data() + done, sent.size() - done);
                check(put > 0, std::string("write: ") + std::strerror(errno));
                done += static_cast<std::size_t>(std::max<ssize_t>(put, 0));
            }
        });
    check(received == sent, "other bytes than were sent");
    return failures;
}

int child_system_calls_that_return() {
    const pipe_of_numbers numbers;
    for (int round = 0; round < 100 && failures == 0; ++round) {
        int sum = 0;
        spawn_and_block([&](int i) { numbers.put(i); },
                        [&] {
                            for (int k = 0; k < 3 * threads;) {
                                pollfd fd{numbers.readable(), POLLIN, 0};
                                const int ready = poll(&fd, 1, -1);
                                check(ready == 1 || (ready == -1 && errno == EINTR), "poll");
                                if (ready == 1) {
                                    sum += numbers.get();
                                    ++k;
                                }
                            }
                        });
        check(sum == all_numbers, "lost numbers");
        std::atomic<int> ran{0};
        spawn_and_block([&](int) { ++ran; },
                        [&] {
                            check(comes_true([&] {
                                      timespec left{0, 1'000'000};
                                      while (nanosleep(&left, &left) == -1)
                                          check(errno == EINTR, "nanosleep");
                                      return ran == 3 * threads;
                                  }),
                                  "not exposed in nanosleep");
                        });
    }
    return failures;
}

// ---- fork ----

// run() in a forked child, which ends well.
template <class Run>
void in_forked_child(const char* when, Run&& run) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(longest_child_s());
        run();
        std::cerr.flush();
        _exit(failures == 0 ? 0 : 1);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, std::string("the child, ") + when);
}

// They are gone for the system, too: one that is still on its way out may hold a lock of the sanitizer's allocator,
// which a child process then waits for.
void stop_workers() {
    check(comes_true([] { return bough::detail::stop_workers() && bough_test::threads_of_process() == 1; }),
          "the workers do not end");
}

int child_fork_before_the_first_use() {
    install(number(), nullptr, full_handler, SA_RESTART);
    in_forked_child("before the first use", [] { use_bough("in the child"); });
    use_bough("in the parent");
    stop_workers();
    return failures;
}

int child_fork_after_use_answers() {
    use_bough("before");
    stop_workers();
    in_forked_child("after use", [] {
        for (int round = 0; round < 5; ++round)
            check(bough_test::wrong_answers() == 0, "wrong answers in the child");
    });
    use_bough("in the parent, afterwards");
    return failures;
}

// A slot that the forking thread took before is its slot in the child.
int child_fork_after_use_exposes() {
    use_bough("before");
    stop_workers();
    in_forked_child("after use", [] { use_bough("in the child"); });
    use_bough("in the parent, afterwards");
    return failures;
}

int child_fork_after_use_in_an_arena() {
    task_arena arena = arena_with_signals();
    arena.execute([] { use_bough("before"); });
    stop_workers();
    in_forked_child("after use in an arena",
                    [&] { arena.execute([] { use_bough("in the child, in an arena"); }); });
    arena.execute([] { use_bough("in the parent, in an arena"); });
    return failures;
}

// No signal can be queued for a while; then they can again.
int child_too_many_are_pending() {
    use_bough("before");
    rlimit before{};
    getrlimit(RLIMIT_SIGPENDING, &before);
    rlimit none = before;
    none.rlim_cur = 0;
    std::atomic<int> ran{0};
    setrlimit(RLIMIT_SIGPENDING, &none);
    spawn_and_block([&](int) { ++ran; },
                    [&] {
                        std::this_thread::sleep_for(std::chrono::milliseconds(100));
                        setrlimit(RLIMIT_SIGPENDING, &before);
                        check(comes_true([&] { return ran == 3 * threads; }),
                              "a signal that could not be sent was not sent again");
                    });
    return failures;
}

#define CHILD(name) {#name, child_##name}
const std::map<std::string, bough_test::child_function> children = {
    CHILD(a_body_that_blocks_the_signal), CHILD(system_calls_that_begin_anew), CHILD(writes),
    CHILD(system_calls_that_return),      CHILD(fork_before_the_first_use),    CHILD(fork_after_use_answers),
    CHILD(fork_after_use_exposes),        CHILD(fork_after_use_in_an_arena),   CHILD(too_many_are_pending),
};
#undef CHILD

TEST(interrupt_calls, a_body_may_block_the_signal_while_it_waits) {
    bough_test::runs_well("a_body_that_blocks_the_signal");
}
TEST(interrupt_calls, reads_begin_anew) {
    bough_test::runs_well("system_calls_that_begin_anew");
}
TEST(interrupt_calls, writes_lose_nothing) {
    bough_test::runs_well("writes");
}
TEST(interrupt_calls, sleep_and_poll_lose_nothing) {
    bough_test::runs_well("system_calls_that_return");
}
TEST(interrupt_calls, a_child_process_is_the_first_to_use_it) {
    bough_test::runs_well("fork_before_the_first_use");
}
TEST(interrupt_calls, a_child_process_gets_right_answers) {
    if (bough_test::is_emulated())
        GTEST_SKIP() << bough_test::no_threads_after_fork;
    bough_test::runs_well("fork_after_use_answers");
}
TEST(interrupt_calls, a_child_process_takes_a_slot_of_its_own) {
    if (bough_test::is_emulated())
        GTEST_SKIP() << bough_test::no_threads_after_fork;
    bough_test::runs_well("fork_after_use_in_an_arena");
}
TEST(interrupt_calls, a_signal_that_could_not_be_sent_is_sent_later) {
    bough_test::runs_well("too_many_are_pending");
}
TEST(interrupt_calls, a_child_process_keeps_its_slot) {
    if (bough_test::is_emulated())
        GTEST_SKIP() << bough_test::no_threads_after_fork;
    bough_test::runs_well("fork_after_use_exposes");
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_in_time(argc, argv, children);
}
