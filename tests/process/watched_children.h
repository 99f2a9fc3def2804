#pragma once
// Children of a test executable that cannot hang: SIGALRM ends one that takes too long, and what it printed last names
// where it stood.

#include <csignal>
#include <filesystem>
#include <iterator>

#include "process_support.h"

namespace bough_test {

// Of wall time; a child takes milliseconds, on a crowded machine under a sanitizer some seconds.
inline unsigned child_patience_s() {
    return long_run() ? 1000 : 100;
}

// One that the process has beside the program's.
inline int threads_of_tools() {
    return thread_sanitized || is_emulated() ? 1 : 0;
}

// Operating-system threads of this process, of the program.
inline int threads_of_process() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<int>(std::distance(begin(tasks), end(tasks))) - threads_of_tools();
}

// As run_children_or_tests, with the alarm set in children. The name of a child may go on after a colon, with what
// child_argument() returns there.
inline std::string& child_argument() {
    static std::string argument;
    return argument;
}

inline int run_watched_children_or_tests(int argc, char** argv,
                                         const std::map<std::string, child_function>& children) {
    if (argc != 3 || std::strcmp(argv[1], "child") != 0)
        return run_children_or_tests(argc, argv, children);
    alarm(child_patience_s());
    const std::string whole = argv[2];
    const std::size_t colon = whole.find(':');
    child_argument() = colon == std::string::npos ? "" : whole.substr(colon + 1);
    const auto found = children.find(whole.substr(0, colon));
    return found == children.end() ? 126 : found->second();
}

// For the child's own messages: they must be out before a signal ends it.
inline int fail_child(const std::string& why) {
    std::cout << why << std::endl;
    return 1;
}

// The same children in several environments; the name of what failed is in `where`.
inline void expect_children_succeed(const std::vector<std::string>& names,
                                    const std::vector<settings>& environments) {
    for (const settings& environment : environments) {
        for (const std::string& name : names) {
            std::string where = name;
            for (const auto& [variable, value] : environment)
                where += " " + variable + "=" + value;
            const outcome o = run_child(name, environment);
            EXPECT_TRUE(o.succeeded()) << where << ": " << o.what();
            EXPECT_EQ(o.err, "") << where;
        }
    }
}

// With 1, 2 and 8 threads.
inline std::vector<settings> usual_threads() {
    return {{{"BOUGH_NUM_THREADS", "1"}}, {{"BOUGH_NUM_THREADS", "2"}}, {{"BOUGH_NUM_THREADS", "8"}}};
}

}  // namespace bough_test
