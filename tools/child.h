#pragma once
// Child processes of the tools: starts one, reads what it writes through pipes, and waits for its end. For
// bough-calibrate, bough and bough-run; the runtime starts no process. One file per system: child_linux.cpp.
//
// What all functions here promise:
// - They return when the child has closed what is read and has ended. A signal that interrupts a wait changes nothing.
// - The pipes are close-on-exec: no other program that this process starts, in whatever thread, gets an end of them.
// - When they throw, no descriptor stays open and no child is left, running or unwaited for.
// - Several threads may call them at the same time.
// A child inherits the signals that are blocked or ignored, and every descriptor that is not close-on-exec. If this
// process ignores SIGCHLD, the system keeps no exit status: each child then seems to have ended with status 0.

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace bough::tools {

enum class stream { output, error };

// Is given what the child writes, as it comes: a piece ends anywhere, within a line too. It may throw: the child is
// killed then, and the exception goes on to the caller.
using listener = std::function<void(stream from, std::string_view piece)>;

struct ending {
    bool silent = false;  // it wrote nothing for as long as it may, and was killed by SIGKILL
    int signal = 0;       // the one that ended it; 0: it ended by itself
    int status = 0;       // its exit status, if it ended by itself
};

// The system refused the pipe or the process. what() is "no pipe: ", "cannot be started: " (a program) or
// "no process: " (a copy of this process), and the system's reason.
class not_started : public std::system_error {
public:
    enum class lack { pipe, process };

    not_started(lack what_is_missing, int error, const char* says)
        : std::system_error(error, std::generic_category(), says), lack_(what_is_missing) {}
    lack lacks() const noexcept { return lack_; }

private:
    lack lack_;
};

// The environment of this process, as NAME=VALUE. As for getenv(), no other thread may change it meanwhile.
std::vector<std::string> own_environment();

struct program {
    std::vector<std::string> command;      // the first is looked up in PATH unless it holds a slash
    std::vector<std::string> environment;  // all that the program gets, as NAME=VALUE
    bool error_is_read = false;            // read its standard error as well; else that is this process's
    // It is killed when it has written nothing for this long to what is read; a signal that this process handles begins
    // the time anew. None: it may be silent for ever. A program that has closed its output is waited for without limit.
    std::optional<std::chrono::milliseconds> patience = std::nullopt;
};

// Runs the program. Throws not_started, and what `listen` throws.
ending run(const program& p, const listener& listen);

// Runs `body` in a copy of this process (fork), with the pipe to write to; what it returns is the exit status. It must
// not throw, and leaves without destructors and exit handlers. A copy of a process with several threads may not even
// allocate memory. Throws not_started, and what `listen` throws.
ending run_in_copy(const std::function<int(int pipe)>& body, const listener& listen);

}  // namespace bough::tools
