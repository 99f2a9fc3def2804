// What child.h promises and the tools' own tests do not ask. Those have the environment, the ends by status and by
// signal, and the errors' names (calibrate/calibrate_test.cpp), a loader's two streams (dropin.run) and a library in a
// copy (info.command).

#include "tools/child.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <stdexcept>

namespace {

namespace fs = std::filesystem;
using bough::tools::ending;
using bough::tools::not_started;
using bough::tools::program;
using bough::tools::stream;

constexpr std::chrono::seconds long_enough{60};

program shell(const std::string& script) {
    return {{"sh", "-c", script}, bough::tools::own_environment(), true, long_enough};
}

struct heard {
    ending end;
    std::string output, error;
};

heard hear(const program& p) {
    heard h;
    h.end = bough::tools::run(p, [&](stream from, std::string_view piece) {
        (from == stream::output ? h.output : h.error).append(piece);
    });
    return h;
}

std::ptrdiff_t open_descriptors() {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
}

// More than two pipes hold: a reader of one stream after the other would wait for ever.
TEST(tools_child, both_streams_are_read_as_they_come) {
    const heard h = hear(shell("i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); "
                               "printf '%0100d' $i; printf '%0100d' $i >&2; done"));
    EXPECT_EQ(h.end.status, 0);
    EXPECT_EQ(h.output.size(), 200'000U);
    EXPECT_EQ(h.output, h.error);
}

TEST(tools_child, what_is_silent_is_killed) {
    program p = shell("exec sleep 1000");
    p.patience = std::chrono::milliseconds(1);
    const heard h = hear(p);
    EXPECT_TRUE(h.end.silent);
    EXPECT_EQ(h.end.signal, SIGKILL);
}

// A program that is started while another one is read must not keep that one's pipe open.
TEST(tools_child, no_child_gets_a_pipe_of_another) {
    std::string first, others;
    bough::tools::run(shell("readlink /proc/$$/fd/1"), [&](stream, std::string_view piece) {
        first.append(piece);
        others = hear(shell("readlink /proc/$$/fd/*")).output;
    });
    ASSERT_EQ(first.rfind("pipe:", 0), 0U) << first;
    ASSERT_NE(others.find("pipe:"), std::string::npos) << others;
    EXPECT_EQ(others.find(first), std::string::npos) << others;
}

TEST(tools_child, a_listener_that_throws_ends_the_child) {
    const std::ptrdiff_t before = open_descriptors();
    pid_t child = 0;
    EXPECT_THROW(bough::tools::run(shell("echo $$; exec sleep 1000"),
                                   [&](stream, std::string_view piece) {
                                       child = std::stoi(std::string(piece));
                                       throw std::runtime_error("enough");
                                   }),
                 std::runtime_error);
    EXPECT_EQ(kill(child, 0), -1);  // gone, and waited for
    EXPECT_EQ(errno, ESRCH);
    EXPECT_EQ(open_descriptors(), before);
}

TEST(tools_child, signals_interrupt_nothing) {
    struct sigaction action{}, old_action{};
    action.sa_handler = [](int) {};  // without SA_RESTART
    ASSERT_EQ(sigaction(SIGALRM, &action, &old_action), 0);
    const itimerval often{{0, 5000}, {0, 5000}}, never{};
    ASSERT_EQ(setitimer(ITIMER_REAL, &often, nullptr), 0);
    const heard h = hear(shell("sleep 0.2; echo done; exec >&- 2>&-; sleep 0.2; exit 3"));
    setitimer(ITIMER_REAL, &never, nullptr);
    sigaction(SIGALRM, &old_action, nullptr);
    EXPECT_EQ(h.output, "done\n");
    EXPECT_FALSE(h.end.silent);
    EXPECT_EQ(h.end.status, 3);
}

TEST(tools_child, a_process_without_standard_output_may_start_one) {
    const int kept = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 10);
    close(STDOUT_FILENO);
    const heard h = hear(shell("echo out; echo err >&2"));
    dup2(kept, STDOUT_FILENO);
    close(kept);
    EXPECT_EQ(h.output + h.error, "out\nerr\n");
}

TEST(tools_child, what_cannot_be_started_is_named) {
    const std::ptrdiff_t before = open_descriptors();
    try {
        hear({{"/nonexistent/program"}, {}, true});
        FAIL();
    } catch (const not_started& refused) {
        EXPECT_EQ(refused.lacks(), not_started::lack::process);
        EXPECT_EQ(refused.what(), std::string("cannot be started: No such file or directory"));
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST(tools_child, a_pipe_that_is_refused_is_named) {
    const std::ptrdiff_t before = open_descriptors();
    const int free = dup(0);  // the next descriptor
    close(free);
    rlimit limit{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
    // None; and one pipe where two are wanted.
    for (const int more : {0, 2}) {
        const rlimit low{static_cast<rlim_t>(free + more), limit.rlim_max};
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
        std::string what;
        try {
            hear(shell("true"));
        } catch (const not_started& refused) {
            what = refused.lacks() == not_started::lack::pipe ? refused.what() : "no process";
        }
        setrlimit(RLIMIT_NOFILE, &limit);
        EXPECT_EQ(what, "no pipe: Too many open files") << more;
    }
    EXPECT_EQ(open_descriptors(), before);
}

TEST(tools_child, a_copy_has_what_this_process_has) {
    const std::string known = "known here";
    std::string text;
    const ending end = bough::tools::run_in_copy(
        [&](int pipe) { return write(pipe, known.data(), known.size()) > 0 ? 7 : 1; },
        [&](stream from, std::string_view piece) {
            EXPECT_EQ(from, stream::output);
            text.append(piece);
        });
    EXPECT_EQ(text, known);
    EXPECT_EQ(end.signal, 0);
    EXPECT_EQ(end.status, 7);
}

}  // namespace
