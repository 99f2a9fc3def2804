#include "child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace bough::calibrate {
namespace {

std::vector<std::string> environment_of(const child& c) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        if (std::none_of(c.environment.begin(), c.environment.end(),
                         [&](const auto& v) { return v.first == name; }))
            result.push_back(text);
    }
    for (const auto& [name, value] : c.environment)
        if (value)
            result.push_back(name + "=" + *value);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    for (std::string& t : texts)
        result.push_back(t.data());
    result.push_back(nullptr);
    return result;
}

// 0, or an errno value.
int start(const child& c, int write_end, pid_t& id) {
    std::vector<std::string> command = c.command;
    std::vector<std::string> environment = environment_of(c);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, write_end, STDOUT_FILENO);
    const int error = posix_spawnp(&id, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                                   pointers(environment).data());
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// Empty at the end of the output, else why reading stopped.
std::string read_lines(int fd, std::chrono::seconds patience,
                       const std::function<void(const std::string&)>& take) {
    std::string pending;
    std::array<char, 4096> block{};
    const int patience_ms = static_cast<int>(std::chrono::milliseconds(patience).count());
    while (true) {
        pollfd watched{fd, POLLIN, 0};
        const int ready = poll(&watched, 1, patience_ms);
        if (ready == 0)
            return "said nothing for " + std::to_string(patience.count()) + " s";
        const ssize_t got = ready < 0 ? -1 : read(fd, block.data(), block.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return "";
        pending.append(block.data(), static_cast<std::size_t>(got));
        for (std::size_t end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
            take(pending.substr(0, end));
            pending.erase(0, end + 1);
        }
    }
}

std::string wait_for(pid_t id) {
    int status = 0;
    while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFSIGNALED(status))
        return "was ended by signal " + std::to_string(WTERMSIG(status));
    const int code = WEXITSTATUS(status);
    return code == 0 ? "" : "ended with status " + std::to_string(code);
}

}  // namespace

std::string run_child(const child& c, const std::function<void(const std::string& line)>& take) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return std::string("no pipe: ") + std::strerror(errno);
    pid_t id = 0;
    const int error = start(c, ends[1], id);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        return std::string("cannot be started: ") + std::strerror(error);
    }
    const std::string silence = read_lines(ends[0], c.patience, take);
    close(ends[0]);
    if (!silence.empty())
        kill(id, SIGKILL);  // a child of ours that has not been waited for: the number is still its own
    const std::string end = wait_for(id);
    return silence.empty() ? end : silence;
}

}  // namespace bough::calibrate
