// Runs the loader in trace mode and reads its two streams; see loader.h.

#include "loader.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "failure.h"

extern char** environ;

namespace bough::run {
namespace {

struct pipe_pair {
    pipe_pair() {
        if (::pipe2(ends.data(), O_CLOEXEC) != 0)
            throw failure(status_own_failure, std::string("no pipe: ") + std::strerror(errno));
    }
    ~pipe_pair() {
        close_end(0);
        close_end(1);
    }
    pipe_pair(const pipe_pair&) = delete;
    pipe_pair& operator=(const pipe_pair&) = delete;
    void close_end(std::size_t end) {
        if (ends[end] >= 0)
            ::close(ends[end]);
        ends[end] = -1;
    }
    std::array<int, 2> ends{-1, -1};
};

std::vector<std::string> environment_with(const std::string& preload) {
    std::vector<std::string> result;
    for (char** entry = environ; *entry; ++entry)
        if (std::strncmp(*entry, "LD_", 3) != 0 || std::strncmp(*entry, "LD_LIBRARY_PATH=", 16) == 0)
            result.emplace_back(*entry);
    result.push_back("LD_PRELOAD=" + preload);
    // Unlike --list this goes on when a library is missing; and, as ldd -r, binds every symbol.
    for (const char* entry : {"LD_TRACE_LOADED_OBJECTS=1", "LD_WARN=1", "LD_BIND_NOW=1"})
        result.emplace_back(entry);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (auto& s : strings)
        result.push_back(s.data());
    result.push_back(nullptr);
    return result;
}

pid_t start(std::vector<std::string> arguments, std::vector<std::string> environment, int out, int err) {
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, out, 1);
    ::posix_spawn_file_actions_adddup2(&actions, err, 2);
    pid_t child = -1;
    const int error = ::posix_spawn(&child, arguments[0].c_str(), &actions, nullptr,
                                    pointers(arguments).data(), pointers(environment).data());
    ::posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        throw failure(status_cannot_run,
                      "the loader " + arguments[0] + " cannot be started: " + std::strerror(error));
    return child;
}

// Reads both to their end, in whatever order the text comes.
void drain(pipe_pair& out, std::string& out_text, pipe_pair& err, std::string& err_text) {
    std::array<pollfd, 2> wanted{{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
    std::array<std::string*, 2> texts{&out_text, &err_text};
    std::array<char, 4096> buffer{};
    while (wanted[0].fd >= 0 || wanted[1].fd >= 0) {
        if (::poll(wanted.data(), wanted.size(), -1) < 0 && errno != EINTR)
            return;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            if (wanted[i].fd < 0 || wanted[i].revents == 0)
                continue;
            const ssize_t n = ::read(wanted[i].fd, buffer.data(), buffer.size());
            if (n > 0)
                texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
            else if (n == 0 || errno != EINTR)
                wanted[i].fd = -1;
        }
    }
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::replace(line.begin(), line.end(), '\t', ' ');
        if (const auto begin = line.find_first_not_of(' '); begin != std::string::npos)
            result.push_back(line.substr(begin));
    }
    return result;
}

// `NAME => FILE (0x...)`, `NAME => not found`, `FILE (0x...)`.
std::string file_of(const std::string& line) {
    const auto address = line.rfind(" (0x");
    const auto arrow = line.find(" => ");
    if (address == std::string::npos)
        return line.substr(0, arrow);
    return line.substr(0, address).substr(arrow == std::string::npos ? 0 : arrow + 4);
}

}  // namespace

mapping list_mapped(const std::string& loader, const std::string& image, const std::string& preload) {
    pipe_pair out;
    pipe_pair err;
    const pid_t child = start({loader, image}, environment_with(preload), out.ends[1], err.ends[1]);
    out.close_end(1);
    err.close_end(1);
    std::string out_text;
    std::string err_text;
    drain(out, out_text, err, err_text);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    mapping result;
    result.complaints = lines_of(err_text);
    // Symbols that cannot be bound are told among the libraries.
    for (const auto& line : lines_of(out_text)) {
        if (line.starts_with("undefined symbol") || line.starts_with("symbol "))
            result.complaints.push_back(line);
        else
            result.files.push_back(file_of(line));
    }
    return result;
}

}  // namespace bough::run
