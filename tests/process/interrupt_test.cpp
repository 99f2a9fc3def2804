// Queues that send a real-time signal (variants split-signal, split-signal-half) in a program that uses signals
// itself: its handlers and its masks stay what they were.

#include <dlfcn.h>

#include "process/interrupt_support.h"

namespace {

using namespace bough_test;

// ---- the program's own signals, and its handler ----

int own_signals(bool full) {
    install(number(), plain_handler, full ? full_handler : nullptr, SA_RESTART);
    use_bough("before the program's signals");
    constexpr int each = 200;
    std::atomic<bool> sent{false};
    std::thread sender([&] {
        for (int k = 1; k <= each; ++k) {
            kill(getpid(), number());
            raise(number());
            send_value(number(), k);
        }
        sent = true;
    });
    do {
        use_bough("while the program's signals come");
    } while (!sent && failures == 0);
    sender.join();
    // In threads of bough's.
    bough::parallel_for(0, each, [](int) { raise(number()); });
    check(comes_true([&] { return seen.load() >= 4 * each; }), "lost: " + std::to_string(4 * each - seen));
    use_bough("after the program's signals");
    check(seen == 4 * each && strange == 0,
          std::to_string(seen - 4 * each) + " too many, " + std::to_string(strange) + " unknown");
    if (full) {
        check(by_kill == each && by_raise == 2 * each && by_queue == each, "not what was sent");
        check(sum_of_values == each * (each + 1) / 2, "not the values that were sent");
    }
    return failures;
}
int child_own_signals_with_siginfo() {
    return own_signals(true);
}
int child_own_signals_without_siginfo() {
    return own_signals(false);
}

// While `arena` lives the handler is bough's; some time after the last one it is `before`. A signal that is under way
// then keeps bough's handler until the next one goes.
void use_until_restored(const struct sigaction& before, const std::string& what) {
    for (int round = 0; round < 2; ++round)
        check(comes_true([&] {
                  {
                      task_arena first = arena_with_signals(), second = arena_with_signals();
                      first.execute([] { use_bough("in the first arena"); });
                      second.execute([] { use_bough("in the second arena"); });
                      check(!is_same(action_of(number()), before), "bough's handler is not installed");
                      first.terminate();
                      check(!is_same(action_of(number()), before),
                            "restored while an arena needs the signal");
                      second.execute([] { use_bough("in the arena that is left"); });
                  }
                  for (int k = 0; k < 100 && !is_same(action_of(number()), before); ++k)
                      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // workers leave
                  return failures != 0 || is_same(action_of(number()), before);
              }),
              "not restored: " + what);
}

int child_restored() {
    use_until_restored(action_of(number()), "the default");
    use_until_restored(install(number(), SIG_IGN, nullptr), "ignored");
    use_until_restored(install(number(), plain_handler, nullptr), "a handler of the number");
    use_until_restored(install(number(), nullptr, full_handler, SA_RESTART | SA_NODEFER),
                       "a handler of siginfo");
    send_value(number(), 7);
    check(seen == 1 && sum_of_values == 7 && strange == 0, "the restored handler is not called");
    return failures;
}

// ---- masks, and other signals ----

int child_other_signals() {
    install(SIGUSR1, plain_handler, nullptr);
    install(SIGRTMIN + 1, nullptr, full_handler, SA_RESTART);
    install(SIGPIPE, SIG_IGN, nullptr);
    change_mask(SIG_BLOCK, SIGUSR2);
    change_mask(SIG_BLOCK, SIGRTMIN + 2);
    std::vector<struct sigaction> actions;
    for (int n = 1; n <= SIGRTMAX; ++n)
        actions.push_back(action_of(n));
    const sigset_t mask = mask_here();
    const std::thread::id here = std::this_thread::get_id();

    const auto look = [&](const std::string& when) {
        for (int n = 1; n <= SIGRTMAX; ++n)
            check(n == number() || is_same(action_of(n), actions[static_cast<std::size_t>(n) - 1]),
                  "another disposition of signal " + std::to_string(n) + when);
        check(is_same(mask_here(), mask, number()), "another mask" + when);
    };
    use_bough("in its own arena");
    look(" in use");
    std::atomic<bool> masks{true};
    bough::parallel_for(0, 1000, [&](int) {
        if (std::this_thread::get_id() == here ? !is_same(mask_here(), mask, number())
                                               : !is_blocked_here(SIGUSR1) || is_blocked_here(number()))
            masks = false;
    });
    check(masks, "another mask in a body");
    task_arena arena = arena_with_signals();
    arena.execute([&] {
        use_bough("in an arena");
        look(" in an arena");
    });
    arena.terminate();
    look(" afterwards");
    bough::detail::stop_workers();
    look(" without workers");
    return failures;
}

int child_blocked_again() {
    const auto visit = [](bool blocked) {
        task_arena outer = arena_with_signals(), inner = arena_with_signals();
        const std::string who = blocked ? ", of a thread that blocks it" : ", of a thread that does not";
        outer.execute([&] {
            check(!is_blocked_here(number()), "blocked in the arena" + who);
            inner.execute([&] { check(!is_blocked_here(number()), "blocked in the inner arena" + who); });
            check(!is_blocked_here(number()), "blocked back in the outer arena" + who);
            use_bough("in an arena");
        });
        check(is_blocked_here(number()) == blocked, "another mask afterwards" + who);
        try {
            outer.execute([] { throw bough_test::boom{1}; });
        } catch (const bough_test::boom&) {
        }
        check(is_blocked_here(number()) == blocked, "another mask after an exception" + who);
        task_arena full(1);
        full.execute([&] {
            outer.execute([&] {
                inner.execute([&] {
                    full.execute(
                        [&] { check(!is_blocked_here(number()), "blocked on a return visit" + who); });
                    check(!is_blocked_here(number()), "blocked after a return visit" + who);
                });
                check(!is_blocked_here(number()), "blocked in the outer arena after a return visit" + who);
            });
        });
        check(is_blocked_here(number()) == blocked, "another mask after a return visit" + who);
    };
    change_mask(SIG_BLOCK, number());
    visit(true);
    std::thread(visit, true).join();  // it inherits the mask
    change_mask(SIG_UNBLOCK, number());
    visit(false);
    return failures;
}

// ---- numbers ----

// Which real-time signals have a handler.
int child_numbers() {
    use_bough("with this number");
    for (int n = SIGRTMIN; n <= SIGRTMAX; ++n)
        if (action_of(n).sa_handler != SIG_DFL)
            std::cout << n << " ";
    std::cout << std::endl;
    return failures;
}

// ---- at the edges ----

std::atomic<bool> raise_after_installation{false};

// A signal of the program's comes when bough's handler is installed, and the C library has not yet told bough which one
// was there before: the system call has returned, its result is not copied. Only the first time in a process counts.
int child_a_signal_at_the_installation() {
    install(number(), plain_handler, nullptr, SA_RESTART);
    raise_after_installation = true;
    arena_with_signals().execute([] {});
    check(seen == 1, "lost");
    return failures;
}

std::atomic<bool> was_masked{false};
void looks_at_its_mask(int) {
    was_masked = is_blocked_here(SIGUSR1);  // as install() has it
}

int child_handlers_mask() {
    install(number(), looks_at_its_mask, nullptr);
    use_bough("before");
    raise(number());
    check(was_masked, "the handler runs without the mask that it was installed with");
    return failures;
}

int child_a_later_handler_stays() {
    install(number(), plain_handler, nullptr);
    struct sigaction later{};
    {
        task_arena arena = arena_with_signals();
        arena.execute([] { use_bough("in an arena"); });
        later = install(number(), nullptr, full_handler);
    }
    comes_true([&] { return bough::detail::stop_workers(); });
    check(is_same(action_of(number()), later),
          "the handler that the program installed meanwhile was replaced");
    return failures;
}

// A thread that blocks the signal ends with one pending.
int child_a_thread_ends_with_a_signal_pending() {
    const struct sigaction before = install(number(), plain_handler, nullptr);
    change_mask(SIG_BLOCK, number());
    {
        task_arena arena = arena_with_signals();
        std::thread([&] {
            arena.execute([&] {
                change_mask(SIG_BLOCK, number());
                spawn_and_block([](int) {},
                                [&] {
                                    check(comes_true([] {
                                              sigset_t pending;
                                              return sigpending(&pending) == 0 &&
                                                     sigismember(&pending, number()) == 1;
                                          }),
                                          "no signal was sent");
                                });
            });
        }).join();
    }
    change_mask(SIG_UNBLOCK, number());
    check(comes_true([&] {
              arena_with_signals().execute([] { are_exposed(); });
              std::this_thread::sleep_for(std::chrono::milliseconds(10));
              return is_same(action_of(number()), before);
          }),
          "the earlier handler is never installed again");
    return failures;
}

// ---- fork ----

// What a thread that installs the handler does in the middle, once.
std::atomic<void (*)()> meanwhile{nullptr};
std::atomic<bool> is_held{false}, may_go_on{false};

// fork() in one thread while another is about to install the handler, and has counted itself among its users. The fork
// may have to wait for that thread, which goes on after a while.
int child_fork_while_another_installs() {
    meanwhile = [] {
        is_held = true;
        comes_true([] { return may_go_on.load(); });
    };
    std::thread first([] { arena_with_signals().execute([] {}); });
    check(comes_true([] { return is_held.load(); }), "no handler is installed");
    std::thread lets_go([] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));  // main is most likely in fork() then
        may_go_on = true;
    });
    const pid_t child = fork();
    if (child == 0) {
        alarm(longest_child_s());
        arena_with_signals().execute([] { use_bough("in the child"); });
        std::cerr.flush();
        _exit(failures == 0 ? 0 : 1);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the child has not ended well");
    lets_go.join();
    first.join();
    arena_with_signals().execute([] { use_bough("in the parent"); });
    return failures;
}

#define CHILD(name) {#name, child_##name}
const std::map<std::string, bough_test::child_function> children = {
    CHILD(own_signals_with_siginfo),
    CHILD(own_signals_without_siginfo),
    CHILD(restored),
    CHILD(other_signals),
    CHILD(blocked_again),
    CHILD(numbers),
    CHILD(a_signal_at_the_installation),
    CHILD(handlers_mask),
    CHILD(a_later_handler_stays),
    CHILD(a_thread_ends_with_a_signal_pending),
    CHILD(fork_while_another_installs),
};
#undef CHILD

TEST(interrupt, the_programs_handler_with_siginfo_gets_its_signals) {
    bough_test::runs_well("own_signals_with_siginfo");
}
TEST(interrupt, the_programs_handler_without_siginfo_gets_its_signals) {
    bough_test::runs_well("own_signals_without_siginfo");
}
TEST(interrupt, the_earlier_handler_is_installed_again) {
    bough_test::runs_well("restored");
}
TEST(interrupt, other_signals_are_left_alone) {
    bough_test::runs_well("other_signals");
}
TEST(interrupt, a_thread_that_blocked_the_signal_blocks_it_again) {
    bough_test::runs_well("blocked_again");
}

TEST(interrupt, an_unusable_number_is_one_message_and_the_default) {
    const std::string usual = std::to_string(SIGRTMAX - 6) + " \n";
    const auto run = [](const char* value) {
        return bough_test::run_child(
            "numbers", {{"BOUGH_SIGNAL", value}, {"BOUGH_NUM_THREADS", std::to_string(threads)}});
    };
    for (const char* value : {"0", "9", "-1", "abc", "32", "65", "40x", "SIGRTMIN"}) {
        const auto outcome = run(value);
        EXPECT_TRUE(outcome.succeeded()) << outcome.what();
        EXPECT_EQ(outcome.error_lines().size(), 1u) << outcome.what();
        EXPECT_NE(outcome.err.find("BOUGH_SIGNAL=" + std::string(value)), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, usual) << value;
    }
    const auto fine = run(std::to_string(SIGRTMIN).c_str());
    EXPECT_TRUE(fine.succeeded()) << fine.what();
    EXPECT_EQ(fine.err, "");
    EXPECT_EQ(fine.out, std::to_string(SIGRTMIN) + " \n");
}

TEST(interrupt, a_signal_at_the_installation_is_not_lost) {
#ifdef BOUGH_TEST_SANITIZED
    GTEST_SKIP() << "it raises the signal inside sigaction(), of which the sanitizer has its own";
#endif
    bough_test::runs_well("a_signal_at_the_installation");
}
TEST(interrupt, the_programs_handler_has_its_mask) {
    bough_test::runs_well("handlers_mask");
}
TEST(interrupt, a_handler_that_was_installed_later_stays) {
    bough_test::runs_well("a_later_handler_stays");
}
TEST(interrupt, a_thread_that_ends_with_a_signal_pending) {
    bough_test::runs_well("a_thread_ends_with_a_signal_pending");
}
TEST(interrupt, a_child_of_fork_has_its_own_handler_though_another_thread_was_installing_one) {
    if (is_emulated())
        GTEST_SKIP() << no_threads_after_fork;
#ifdef BOUGH_TEST_SANITIZED
    GTEST_SKIP() << "it waits inside sigaction(), of which the sanitizer has its own";
#endif
    bough_test::runs_well("fork_while_another_installs");
}

}  // namespace

#ifndef BOUGH_TEST_SANITIZED  // which have one of their own
// In place of the C library's; its own has the same point between its system call and its last instruction.
extern "C" int sigaction(int n, const struct sigaction* action, struct sigaction* old) noexcept {
    static const auto real = reinterpret_cast<decltype(&sigaction)>(dlsym(RTLD_NEXT, "sigaction"));
    struct sigaction before{};
    if (action && n == number())
        if (const auto act = meanwhile.exchange(nullptr))
            act();
    const int result = real(n, action, &before);
    if (action && raise_after_installation.exchange(false))
        raise(n);
    if (old)
        *old = before;
    return result;
}
#endif

int main(int argc, char** argv) {
    return bough_test::run_children_in_time(argc, argv, children);
}
