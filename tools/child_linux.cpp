// posix_spawn, fork and poll; see child.h.

#include "tools/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

namespace bough::tools {
namespace {

using lack = not_started::lack;

class one_pipe {
public:
    one_pipe() {
        if (::pipe2(ends_.data(), O_CLOEXEC) != 0)
            throw not_started(lack::pipe, errno, "no pipe");
    }
    ~one_pipe() {
        ::close(ends_[0]);
        close_write_end();
    }
    one_pipe(const one_pipe&) = delete;
    one_pipe& operator=(const one_pipe&) = delete;

    int read_end() const { return ends_[0]; }
    int write_end() const { return ends_[1]; }
    void close_write_end() {
        if (ends_[1] >= 0)
            ::close(ends_[1]);
        ends_[1] = -1;
    }

private:
    std::array<int, 2> ends_{};
};

// A child that has not been waited for: its number is its own.
class running_child {
public:
    explicit running_child(pid_t id) : id_(id) {}
    ~running_child() {
        if (id_ <= 0)
            return;
        kill();
        wait();
    }
    running_child(const running_child&) = delete;
    running_child& operator=(const running_child&) = delete;

    void kill() { ::kill(id_, SIGKILL); }
    ending wait() {
        int status = 0;
        while (::waitpid(id_, &status, 0) < 0 && errno == EINTR) {
        }
        id_ = 0;
        if (WIFSIGNALED(status))
            return {.signal = WTERMSIG(status)};
        return {.status = WEXITSTATUS(status)};
    }

private:
    pid_t id_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
    std::vector<char*> result;
    result.reserve(texts.size() + 1);
    for (std::string& text : texts)
        result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// `error`: -1 if it is not redirected.
pid_t spawn(program p, int output, int error) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (error >= 0)
        ::posix_spawn_file_actions_adddup2(&actions, error, STDERR_FILENO);
    pid_t id = -1;
    const int refused = ::posix_spawnp(&id, p.command.at(0).c_str(), &actions, nullptr,
                                       pointers(p.command).data(), pointers(p.environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (refused != 0)
        throw not_started(lack::process, refused, "cannot be started");
    return id;
}

int timeout_ms(std::optional<std::chrono::milliseconds> patience) {
    if (!patience)
        return -1;
    return static_cast<int>(
        std::min<std::chrono::milliseconds::rep>(patience->count(), std::numeric_limits<int>::max()));
}

// Until both are closed, in whatever order the text comes; -1 is none. False: nothing came for as long as may be.
bool read_all(int output, int error, int longest_silence_ms, const listener& listen) {
    std::array<pollfd, 2> watched{{{output, POLLIN, 0}, {error, POLLIN, 0}}};
    std::array<char, 4096> block{};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
        const int ready = ::poll(watched.data(), watched.size(), longest_silence_ms);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return ready < 0;
        for (pollfd& one : watched) {
            if (one.fd < 0 || one.revents == 0)
                continue;
            const ssize_t got = ::read(one.fd, block.data(), block.size());
            if (got > 0)
                listen(&one == &watched[0] ? stream::output : stream::error,
                       {block.data(), static_cast<std::size_t>(got)});
            else if (got == 0 || errno != EINTR)
                one.fd = -1;
        }
    }
    return true;
}

}  // namespace

std::vector<std::string> own_environment() {
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
        result.emplace_back(*entry);
    return result;
}

ending run(const program& p, const listener& listen) {
    one_pipe output;
    std::optional<one_pipe> error;
    if (p.error_is_read)
        error.emplace();
    running_child child(spawn(p, output.write_end(), error ? error->write_end() : -1));
    output.close_write_end();
    if (error)
        error->close_write_end();
    if (read_all(output.read_end(), error ? error->read_end() : -1, timeout_ms(p.patience), listen))
        return child.wait();
    child.kill();
    ending end = child.wait();
    end.silent = true;
    return end;
}

ending run_in_copy(const std::function<int(int pipe)>& body, const listener& listen) {
    one_pipe output;
    const pid_t id = ::fork();
    if (id < 0)
        throw not_started(lack::process, errno, "no process");
    if (id == 0)
        [&]() noexcept { ::_exit(body(output.write_end())); }();
    running_child child(id);
    output.close_write_end();
    read_all(output.read_end(), -1, -1, listen);
    return child.wait();
}

}  // namespace bough::tools
