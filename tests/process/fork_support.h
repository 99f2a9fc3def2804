// What tests of fork() share: a child that runs a function, and what became of it.

#pragma once

#include "process_support.h"

namespace bough_test {

class fork_emulation : public ::testing::Environment {
    void SetUp() override {
        if (is_emulated())
            GTEST_SKIP() << no_threads_after_fork;
    }
};
inline const auto* const fork_emulation_is_known = ::testing::AddGlobalTestEnvironment(new fork_emulation);

inline constexpr unsigned patience_s = 60;  // the alarm ends a child that hangs, by SIGALRM

// Runs f in a child process; what became of it. The child's exit status is f's result.
template <class F>
outcome in_child(F&& f) {
    outcome result;
    int err[2];
    if (pipe2(err, O_CLOEXEC) != 0)
        return result;
    const pid_t child = fork();
    if (child == 0) {
        alarm(patience_s);
        dup2(err[1], 2);
        _exit(f());
    }
    close(err[1]);
    int none = open("/dev/null", O_RDONLY | O_CLOEXEC);
    collect(none, err[0], result);
    drop_sanitizers_warnings(result.err);
    while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
    }
    return result;
}

// The child was ended by one line, which has `what` in it.
inline void expect_one_line(const outcome& child, const char* what) {
    EXPECT_TRUE(WIFSIGNALED(child.status) && WTERMSIG(child.status) == SIGABRT) << child.what();
    const auto lines = child.error_lines();
    ASSERT_EQ(lines.size(), 1u) << child.what();
    EXPECT_NE(lines[0].find(what), std::string::npos) << lines[0];
}

}  // namespace bough_test
