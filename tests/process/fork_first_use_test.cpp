// fork() while another thread is in the middle of the first use of the runtime: the child would wait for that thread
// for ever if it found anything half made. The first use has to say something here, on a pipe that is full.

#include "process_support.h"

namespace {

constexpr unsigned patience_s = 60;  // the alarm ends a child that hangs, by SIGALRM
constexpr std::chrono::milliseconds a_while{20};

// Becomes stderr; returns the end to read from.
int fill_a_pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) != 0)
        return -1;
    while (write(ends[1], ".", 1) == 1) {
    }
    fcntl(ends[1], F_SETFL, 0);
    dup2(ends[1], 2);
    close(ends[1]);
    return ends[0];
}

// What is in the pipe after the dots.
std::string read_on(int pipe) {
    std::string text;
    char buffer[4096];
    while (text.find('\n') == std::string::npos) {
        const ssize_t got = read(pipe, buffer, sizeof buffer);
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got; ++i)
            if (buffer[i] != '.' || !text.empty())
                text += buffer[i];
    }
    return text;
}

int fork_during_first_use() {
    const int pipe = fill_a_pipe();
    if (pipe < 0)
        return 2;
    std::thread first([] { bough::parallel_for(0, 100, [](int) {}); });
    std::this_thread::sleep_for(a_while);  // it is most likely in the middle then
    std::string said;
    std::thread lets_go([&] {
        std::this_thread::sleep_for(a_while);  // and main in fork()
        said = read_on(pipe);
    });
    const pid_t child = fork();
    if (child == 0) {
        alarm(patience_s);
        _exit(bough_test::wrong_answers());
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    lets_go.join();
    first.join();
    if (WIFSIGNALED(status))
        std::printf("the child was ended by signal %d\n", WTERMSIG(status));
    if (said.find("BOUGH_GATE") == std::string::npos)
        return 3;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 && bough_test::wrong_answers() == 0 ? 0 : 1;
}

TEST(fork, while_another_thread_uses_bough_for_the_first_time) {
    for (int round = 0; round < 3; ++round) {
        const auto outcome = bough_test::run_child("fork_during_first_use", {{"BOUGH_GATE", "nonsense"}});
        ASSERT_TRUE(outcome.succeeded()) << outcome.what();
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv, {{"fork_during_first_use", fork_during_first_use}});
}
