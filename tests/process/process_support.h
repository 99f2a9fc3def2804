#pragma once
// Runs this executable again as a child with another environment, and tells what became of it. The test executable
// dispatches on its first argument: see run_children_or_tests.

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>
#include <string_view>

#include "support/emulation.h"
#include "unit/api_support.h"

extern char** environ;

namespace bough_test {

// An entry of ctest may be for a variant of the library: then that is what was loaded.
class loaded_variant : public ::testing::Environment {
    void SetUp() override {
        if (const char* wanted = std::getenv("BOUGH_TEST_VARIANT")) {
            EXPECT_EQ(std::string_view(bough::variant()), wanted);
        }
    }
};
inline const auto* const loaded_variant_is_known = ::testing::AddGlobalTestEnvironment(new loaded_variant);

struct outcome {
    int status = -1;  // of waitpid
    std::string out;
    std::string err;

    bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
    std::string what() const {
        std::ostringstream text;
        if (WIFEXITED(status))
            text << "exit status " << WEXITSTATUS(status);
        else
            text << "killed by signal " << WTERMSIG(status);
        text << "\nstdout: " << out << "\nstderr: " << err;
        return text.str();
    }
    std::vector<std::string> error_lines() const {
        std::vector<std::string> lines;
        std::istringstream in(err);
        for (std::string one; std::getline(in, one);)
            if (!one.empty())
                lines.push_back(one);
        return lines;
    }
};

using settings = std::map<std::string, std::string>;

inline bool steers_bough(const char* variable) {
    const auto begins_with = [&](const char* prefix) {
        return std::strncmp(variable, prefix, std::strlen(prefix)) == 0;
    };
    return (begins_with("BOUGH_") && !begins_with("BOUGH_TEST_")) || begins_with("TBB_");
}

// Our environment without anything that steers bough, plus what is given.
inline std::vector<std::string> clean_environment(const settings& extra) {
    std::vector<std::string> result;
    for (char** e = environ; *e; ++e)
        if (!steers_bough(*e))
            result.emplace_back(*e);
    for (const auto& [name, value] : extra)
        result.push_back(name + "=" + value);
    return result;
}

inline std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (auto& s : strings)
        result.push_back(s.data());
    result.push_back(nullptr);
    return result;
}

// What the child wrote until it closed both pipes.
inline void collect(int out_fd, int err_fd, outcome& result) {
    pollfd fds[2] = {{out_fd, POLLIN, 0}, {err_fd, POLLIN, 0}};
    std::string* texts[2] = {&result.out, &result.err};
    for (int open = 2; open > 0;) {
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            break;
        for (int k = 0; k < 2; ++k) {
            char buffer[4096];
            if (fds[k].fd < 0 || !(fds[k].revents & (POLLIN | POLLHUP | POLLERR)))
                continue;
            const ssize_t got = read(fds[k].fd, buffer, sizeof buffer);
            if (got > 0) {
                texts[k]->append(buffer, static_cast<std::size_t>(got));
            } else if (got == 0 || errno != EINTR) {
                close(fds[k].fd);
                fds[k].fd = -1;
                --open;
            }
        }
    }
}

// The address sanitizer says at the first change of stacks that it may be wrong; several threads may say so at once.
inline void drop_sanitizers_warnings(std::string& text) {
    for (;;) {
        const std::size_t at = text.find("WARNING: ASan doesn't fully support makecontext");
        if (at == std::string::npos)
            return;
        const std::size_t begin = text.rfind('\n', at) + 1;  // npos + 1: the beginning
        text.erase(begin, text.find('\n', at) + 1 - begin);
    }
}

// Runs `program arguments...` with the given settings.
inline outcome run_program(const std::string& program, std::vector<std::string> arguments,
                           const settings& extra) {
    auto env = clean_environment(extra);
    arguments.insert(arguments.begin(), program);
    const auto argv = pointers(arguments), envp = pointers(env);
    int out[2], err[2];
    outcome result;
    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        return result;
    std::cout.flush();
    const pid_t child = fork();
    if (child == 0) {
        dup2(out[1], 1);
        dup2(err[1], 2);
        execve(program.c_str(), argv.data(), envp.data());
        _exit(127);
    }
    close(out[1]);
    close(err[1]);
    collect(out[0], err[0], result);
    while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
    }
    drop_sanitizers_warnings(result.err);
    return result;
}

inline std::string own_path() {
    char path[4096];
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    return std::string(path, length > 0 ? static_cast<std::size_t>(length) : 0);
}

// Runs child `name` of this executable.
inline outcome run_child(const std::string& name, const settings& extra = {}) {
    return run_program(own_path(), {"child", name}, extra);
}

using child_function = int (*)();

// main() of a test executable with children.
inline int run_children_or_tests(int argc, char** argv,
                                 const std::map<std::string, child_function>& children) {
    if (argc == 3 && std::strcmp(argv[1], "child") == 0) {
        const auto found = children.find(argv[2]);
        return found == children.end() ? 126 : found->second();
    }
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
}

// Pages of this process in memory, in bytes.
inline std::size_t resident_bytes(const std::string& process = "self") {
    std::ifstream statm("/proc/" + process + "/statm");
    std::size_t all = 0, resident = 0;
    statm >> all >> resident;
    return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

// Loops, reductions, tasks and nests with answers that are known: 0 if all were right.
inline int wrong_answers() {
    int wrong = 0;
    for (const std::size_t n : {0u, 1u, 2u, 100u, 20000u}) {
        visits plain(n), nested(n * 3);
        bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) { plain.hit(i); });
        bough::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
            bough::parallel_for(std::size_t{0}, std::size_t{3},
                                [&](std::size_t j) { nested.hit(i * 3 + j); });
        });
        wrong += plain.each_once() && nested.each_once() ? 0 : 1;
        const auto sum = bough::parallel_reduce(
            bough::blocked_range<std::size_t>(0, n), std::size_t{0},
            [](const bough::blocked_range<std::size_t>& r, std::size_t s) {
                for (std::size_t i = r.begin(); i < r.end(); ++i)
                    s += i;
                return s;
            },
            std::plus<std::size_t>());
        wrong += sum == (n == 0 ? 0 : n * (n - 1) / 2) ? 0 : 1;
        visits tasks(100);
        bough::task_group group;
        for (std::size_t i = 0; i < 100; ++i)
            group.run([&tasks, i] { tasks.hit(i); });
        group.wait();
        wrong += tasks.each_once() ? 0 : 1;
    }
    try {
        bough::parallel_for(0, 1000, [](int i) { i == 999 ? throw boom{999} : void(); });
        ++wrong;
    } catch (const boom&) {
    }
    return wrong;
}

}  // namespace bough_test
