// BOUGH_WATCHDOG: a program that hangs says where, once; one that does not says nothing. Children hang for good: a
// thread of theirs reads what they say on stderr and ends them when that has come, an alarm when it never does.

#include <sys/syscall.h>

#include <csignal>
#include <functional>
#include <mutex>

#include "bough/detail/dispatch.h"
#include "watched_children.h"

namespace {

using bough_test::child_argument;
using bough_test::fail_child;

int thread_id() {
    return static_cast<int>(syscall(SYS_gettid));
}

// ---- in children: what the process says on stderr ----

class said {
public:
    // From now on stderr ends here.
    said() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[1], STDERR_FILENO) < 0)
            _exit(fail_child("no pipe"));
        close(ends[1]);
        from_ = ends[0];
    }
    // Up to a line with these words, that comes after what was read before.
    std::string until(const std::string& words) {
        std::size_t at = std::string::npos;
        while ((at = text_.find(words, read_)) == std::string::npos ||
               text_.find('\n', at) == std::string::npos) {
            char buffer[4096];
            const ssize_t got = read(from_, buffer, sizeof buffer);
            if (got <= 0)
                _exit(fail_child("stderr was closed; before: " + text_));
            text_.append(buffer, static_cast<std::size_t>(got));
        }
        const std::size_t end = text_.find('\n', at) + 1;
        const std::string piece = text_.substr(read_, end - read_);
        read_ = end;
        return piece;
    }
    std::string report() { return until("that is all"); }
    // Anything more?
    bool has_more() const {
        pollfd in{from_, POLLIN, 0};
        return read_ != text_.size() || poll(&in, 1, 0) != 0;
    }

private:
    int from_ = -1;
    std::string text_;
    std::size_t read_ = 0;
};

[[noreturn]] void end_with(const std::string& text) {
    std::cout << text << std::endl;
    _exit(0);
}

// The first report ends the process, well.
void end_at_report() {
    static said here;
    std::thread([] { end_with(here.report()); }).detach();
}

std::atomic<bool> never{false};
void wait_for_never() {
    while (!never)
        pause();
}

// ---- real hangs ----

int hang_in_a_body() {
    end_at_report();
    std::cout << "caller " << thread_id() << std::endl;
    bough::parallel_for(0, 2, [](int i) {
        if (i == 0)
            wait_for_never();
    });
    return fail_child("it came back");
}

// The caller is done, and sleeps until its helper is.
int hang_in_a_helper() {
    end_at_report();
    const auto caller = std::this_thread::get_id();
    std::atomic<int> begun{0};
    bough::parallel_for(0, 2, [&](int) {
        ++begun;
        while (begun != 2)
            std::this_thread::yield();
        if (std::this_thread::get_id() != caller)
            wait_for_never();
    });
    return fail_child("it came back");
}

int hang_in_a_task() {
    end_at_report();
    bough::task_group group;
    group.run([] { wait_for_never(); });
    group.wait();
    return fail_child("it came back");
}

// Each holds one and wants the other's.
int deadlock() {
    end_at_report();
    static std::mutex a, b;
    static std::atomic<int> holding{0};
    const auto take_both = [](std::mutex& first, std::mutex& second) {
        const std::lock_guard one(first);
        ++holding;
        while (holding != 2)
            std::this_thread::yield();
        const std::lock_guard two(second);
    };
    bough::parallel_invoke([&] { take_both(a, b); }, [&] { take_both(b, a); });
    return fail_child("it came back");
}

// A wait for what nobody will do: as a lost task looks.
int lost_task() {
    end_at_report();
    bough::detail::work_until({[](const void*) { return never.load(); }, &never});
    return fail_child("it came back");
}

// Enqueued for threads that wait for it in their bodies, all of them.
int nobody_comes() {
    end_at_report();
    bough::task_arena arena(2);
    static std::atomic<int> inside{0};
    static std::atomic<bool> ran{false};
    arena.execute([&] {
        bough::parallel_for(0, 2, [&](int) {
            if (++inside == 2)
                arena.enqueue([] { ran = true; });
            while (!ran)
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
        });
    });
    return fail_child("it came back");
}

bough_test::outcome expect_report(const std::string& child, const bough_test::settings& environment,
                                  const std::vector<std::string>& words) {
    const auto outcome = bough_test::run_child(child, environment);
    EXPECT_TRUE(outcome.succeeded()) << child << ": " << outcome.what();
    for (const std::string& one : words)
        EXPECT_NE(outcome.out.find(one), std::string::npos) << child << ": no '" << one << "' in\n"
                                                            << outcome.out;
    return outcome;
}

constexpr const char* stalled = "nothing has gone on for 1 s: a deadlock, a body that waits";

bough_test::settings one_second(const std::string& threads = "2") {
    return {{"BOUGH_WATCHDOG", "1"}, {"BOUGH_NUM_THREADS", threads}};
}

TEST(watchdog, a_body_that_waits_for_what_never_comes) {
    for (const char* threads : {"1", "2", "8"}) {
        const auto outcome = expect_report("hang_in_a_body", one_second(threads),
                                           {stalled, "arena 0", "in a body, nested 1 deep", "state S"});
        std::string word;
        int caller = 0;
        std::istringstream(outcome.out) >> word >> caller;
        EXPECT_NE(outcome.out.find("application thread, thread " + std::to_string(caller) + " "),
                  std::string::npos)
            << outcome.out;
    }
    expect_report("hang_in_a_task", one_second(), {stalled, "in a body, nested 1 deep"});
}

TEST(watchdog, a_helper_that_waits_for_what_never_comes) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    expect_report(
        "hang_in_a_helper", one_second(),
        {stalled, "sleeps in loop 0 until its helpers are done", "loop 0: 0 pieces left, 1 helper"});
}

TEST(watchdog, two_tasks_that_wait_for_each_other) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK("a task waits for another one of its thread");
    const auto outcome =
        expect_report("deadlock", one_second(), {stalled, "worker, thread", "application thread, thread"});
    const std::size_t first = outcome.out.find("in a body, nested");
    EXPECT_NE(first, std::string::npos);
    EXPECT_NE(outcome.out.find("in a body, nested", first + 1), std::string::npos) << outcome.out;
}

TEST(watchdog, a_task_that_is_lost) {
    expect_report("lost_task", one_second(), {stalled, "sleeps for tasks (0x", "1 caller asleep"});
    auto spins = one_second();
    spins["BOUGH_SPIN_US"] = "forever";
    expect_report("lost_task", spins, {stalled, "looks for work in a wait"});
}

TEST(watchdog, what_nobody_comes_for) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("bodies of a loop wait for each other");
    expect_report("nobody_comes", one_second(), {stalled, "; enqueued 1, critical 0"});
}

// ---- one report for a stall ----

std::atomic<bool> may_go_on{false};
void a_stall() {
    may_go_on = false;
    // One body: a second one that begins late is progress.
    bough::parallel_for(0, 1, [](int) {
        while (!may_go_on)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });
}

int stalls_twice() {
    said here;
    for (int round = 0; round < 2; ++round) {
        std::thread hangs(a_stall);
        here.report();
        std::this_thread::sleep_for(std::chrono::seconds(3));
        if (here.has_more())
            return fail_child("two reports, or another line");
        may_go_on = true;
        hangs.join();
        here.until("it goes on");
    }
    return bough_test::wrong_answers();
}

TEST(watchdog, reports_a_stall_once_and_is_armed_again_when_it_goes_on) {
    const auto outcome = bough_test::run_child("stalls_twice", one_second());
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
}

// ---- nothing to report ----

// The longest time in which nothing went on while there was something to do: on a crowded machine a process may get no
// CPU for so long that the watchdog is right.
class pace {
public:
    void begin() { last_ = std::chrono::steady_clock::now(); }
    void go_on() {
        const std::lock_guard lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        longest_ = std::max(longest_, now - last_);
        last_ = now;
    }
    double longest_s() const { return std::chrono::duration<double>(longest_).count(); }

private:
    std::mutex mutex_;
    std::chrono::steady_clock::time_point last_;
    std::chrono::steady_clock::duration longest_{};
};

template <class Work>
int work_for_two_limits(Work&& work) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    do {
        if (const int wrong = work())
            return wrong;
    } while (std::chrono::steady_clock::now() < end);
    return 0;
}

int healthy() {
    pace steps;
    const auto answers = [&] {
        steps.begin();
        const int wrong = bough_test::wrong_answers();
        steps.go_on();
        return wrong;
    };
    const auto step = [&] {
        steps.go_on();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
        steps.go_on();
    };
    int wrong = work_for_two_limits(answers);
    // Inside one loop, one recursion.
    steps.begin();
    if (bough::this_task_arena::max_concurrency() != 1)  // else nothing is published, and nothing computes
        bough::parallel_for(0, 300, [&](int) { step(); });
    bough::task_group group;
    for (int i = 0; i < 200; ++i)
        group.run(step);
    group.wait();
    steps.go_on();
    std::this_thread::sleep_for(std::chrono::seconds(2));  // nothing to do is no stall
    bough::task_arena arena(2);
    std::atomic<bool> ran{false};
    steps.begin();
    arena.enqueue([&] {
        steps.go_on();
        ran = true;
    });
    std::this_thread::sleep_for(std::chrono::seconds(2));
    while (!ran)
        std::this_thread::yield();
    wrong += answers();
    std::cout << steps.longest_s() << std::endl;
    return wrong;
}

TEST(watchdog, says_nothing_where_work_goes_on_or_there_is_none) {
    auto spins = one_second();  // idle workers, too, look for work without end
    spins["BOUGH_SPIN_US"] = "forever";
    std::ostringstream stood;
    for (const auto& environment : {one_second("1"), one_second("2"), one_second("8"), spins}) {
        const auto outcome = bough_test::run_child("healthy", environment);
        const std::string& threads = environment.at("BOUGH_NUM_THREADS");
        EXPECT_TRUE(outcome.succeeded()) << threads << " threads: " << outcome.what();
        if (outcome.err.empty())
            continue;
        constexpr double nearly_the_limit_s = 0.75;  // it looks four times a second
        const double longest_s = std::strtod(outcome.out.c_str(), nullptr);
        if (longest_s >= nearly_the_limit_s)
            stood << threads << " threads stood still for " << longest_s << " s; ";
        else
            ADD_FAILURE() << threads << " threads, still for " << longest_s << " s:\n" << outcome.err;
    }
    if (!stood.str().empty())
        GTEST_SKIP() << stood.str();
}

// Of all threads but the first, once all have given themselves a name.
std::vector<std::string> names_of_threads() {
    for (;;) {
        std::vector<std::string> names;
        for (const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
            if (task.path().filename() != std::to_string(getpid()))
                std::getline(std::ifstream(task.path() / "comm"), names.emplace_back());
        if (std::all_of(names.begin(), names.end(), [](const auto& n) { return n.rfind("bough-", 0) == 0; }))
            return names;
        std::this_thread::yield();
    }
}

int threads() {
    bough::parallel_for(0, 100, [](int) {});
    const auto names = names_of_threads();
    std::cout << std::count(names.begin(), names.end(), "bough-watchdog") << ' '
              << bough::this_task_arena::max_concurrency() << std::endl;
    return 0;
}

TEST(watchdog, is_one_thread_more_or_none) {
    EXPECT_EQ(bough_test::run_child("threads", {{"BOUGH_NUM_THREADS", "2"}}).out, "0 2\n");
    EXPECT_EQ(bough_test::run_child("threads", {{"BOUGH_NUM_THREADS", "2"}, {"BOUGH_WATCHDOG", "5"}}).out,
              "1 2\n");
    EXPECT_EQ(bough_test::run_child("threads", {{"BOUGH_NUM_THREADS", "1"}, {"BOUGH_WATCHDOG", "quit"}}).out,
              "1 1\n");
}

int answers() {
    return bough_test::wrong_answers();
}

TEST(watchdog, is_gone_when_the_process_ends) {
    for (int i = 0; i < 5; ++i) {
        for (const char* value : {"1", "1,quit"}) {
            const auto outcome = bough_test::run_child("answers", {{"BOUGH_WATCHDOG", value}});
            ASSERT_TRUE(outcome.succeeded()) << outcome.what();
            ASSERT_EQ(outcome.err, "");
        }
    }
}

// ---- SIGQUIT ----

std::atomic<int> handled{0};

// "own": with a handler of the program's that was there before.
int asked() {
    const bool has_own = child_argument() == "own";
    if (has_own)
        std::signal(SIGQUIT, [](int) { ++handled; });
    said here;
    for (int round = 0; round < 2; ++round) {
        bough::parallel_for(0, 100, [](int) {});
        raise(SIGQUIT);
        if (here.report().find("asked by SIGQUIT") == std::string::npos)
            return fail_child("another report");
    }
    if (handled != (has_own ? 2 : 0))
        return fail_child("the program's handler was called " + std::to_string(handled) + " times");
    return bough_test::wrong_answers();
}

int quits() {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    bough::parallel_for(0, 100, [](int) {});
    raise(SIGQUIT);
    return 0;
}

TEST(watchdog, reports_when_the_process_is_asked) {
    for (const char* value : {"quit", "1000,quit"}) {
        for (const char* child : {"asked", "asked:own"}) {
            const auto outcome = bough_test::run_child(child, {{"BOUGH_WATCHDOG", value}});
            EXPECT_TRUE(outcome.succeeded()) << child << ", " << value << ": " << outcome.what();
        }
    }
}

TEST(watchdog, leaves_the_signal_alone_unless_asked) {
    for (const bough_test::settings& s : {bough_test::settings{}, {{"BOUGH_WATCHDOG", "1000"}}}) {
        const auto outcome = bough_test::run_child("quits", s);
        EXPECT_TRUE(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGQUIT) << outcome.what();
    }
}

// ---- fork ----

// The parent's watchdog is not the child's; that has its own at its first use.
int hangs_in_a_child() {
    if (!bough_test::pool_is_usable())
        return fail_child("no pool");
    const pid_t child = fork();
    if (child == 0) {
        alarm(bough_test::child_patience_s());
        std::cout << "child " << getpid() << std::endl;
        _exit(hang_in_a_body());
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : fail_child("status " + std::to_string(status));
}

TEST(watchdog, a_child_process_has_its_own) {
    const auto outcome = expect_report("hangs_in_a_child", one_second(), {stalled, "in a body"});
    std::string word;
    int child = 0;
    std::istringstream(outcome.out) >> word >> child;
    EXPECT_NE(outcome.out.find("process " + std::to_string(child) + ":"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("application thread, thread " + std::to_string(child) + " "),
              std::string::npos)
        << "its first thread has another number than in the parent:\n"
        << outcome.out;
}

// A child that waits for its parent's tasks is alone, its watchdog notwithstanding, and ends at once.
int waits_for_its_parents_task() {
    bough::task_group group;
    std::atomic<bool> begun{false}, end{false};
    group.run([&] {
        begun = true;
        while (!end)
            std::this_thread::yield();
    });
    while (!begun)
        std::this_thread::yield();
    const pid_t child = fork();
    if (child == 0) {
        alarm(bough_test::child_patience_s());
        bough_test::pool_is_usable();  // its watchdog runs
        group.wait();
        _exit(0);
    }
    int status = -1;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    end = true;
    group.wait();
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT
               ? 0
               : fail_child("status " + std::to_string(status));
}

TEST(watchdog, does_not_keep_a_lonely_child_waiting) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
        "the thread waits outside of bough until a worker runs what it has spawned");
    const auto outcome = bough_test::run_child("waits_for_its_parents_task",
                                               {{"BOUGH_NUM_THREADS", "2"}, {"BOUGH_WATCHDOG", "1000"}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    EXPECT_EQ(outcome.error_lines().size(), 1u) << outcome.err;
}

// ---- values ----

TEST(watchdog, bad_values_are_one_line_and_none) {
    for (const char* value : {"0", "abc", "-1", "86401", "1.5", "1s", "quit,5", "5,", ",quit", "5,QUIT",
                              "5,quit,quit", "99999999999999999999"}) {
        const auto outcome = bough_test::run_child("answers", {{"BOUGH_WATCHDOG", value}});
        EXPECT_TRUE(outcome.succeeded()) << outcome.what();
        const auto lines = outcome.error_lines();
        ASSERT_EQ(lines.size(), 1u) << value << ": " << outcome.err;
        EXPECT_EQ(lines.front(),
                  "bough: BOUGH_WATCHDOG=" + std::string(value) +
                      ": allowed: 1 to 86400 (seconds), quit, or both such as 5,quit; none is used");
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(
        argc, argv,
        {{"hang_in_a_body", hang_in_a_body},
         {"hang_in_a_helper", hang_in_a_helper},
         {"hang_in_a_task", hang_in_a_task},
         {"deadlock", deadlock},
         {"lost_task", lost_task},
         {"nobody_comes", nobody_comes},
         {"stalls_twice", stalls_twice},
         {"healthy", healthy},
         {"threads", threads},
         {"asked", asked},
         {"quits", quits},
         {"hangs_in_a_child", hangs_in_a_child},
         {"waits_for_its_parents_task", waits_for_its_parents_task},
         {"answers", answers}});
}
