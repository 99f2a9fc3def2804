// Signals are the program's: workers block all that come from outside, and handle none; handlers that run in the middle
// of loops, in whatever thread, leave every answer right; and so do stops of the whole process, and a debugger that
// comes and goes.

#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <time.h>

#include <chrono>
#include <csignal>

#include "all_uses.h"
#include "watched_children.h"

namespace {

using bough_test::fail_child;

bool is_worker(const std::filesystem::path& task) {
    std::string name;
    std::getline(std::ifstream(task / "comm"), name);
    return name.rfind("bough-", 0) == 0;
}

std::vector<pid_t> tasks_of(const std::string& process, bool workers_only) {
    std::vector<pid_t> result;
    std::error_code gone;
    for (const auto& task : std::filesystem::directory_iterator("/proc/" + process + "/task", gone))
        if (!workers_only || is_worker(task.path()))
            result.push_back(std::atoi(task.path().filename().c_str()));
    return result;
}

std::uint64_t blocked_by(pid_t task) {
    std::ifstream status("/proc/self/task/" + std::to_string(task) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.rfind("SigBlk:", 0) == 0)
            return std::stoull(line.substr(7), nullptr, 16);
    return 0;
}

std::uint64_t bit(int signal) {
    return std::uint64_t{1} << (signal - 1);
}

// ---- masks ----

int check_masks(std::uint64_t also_blocked) {
    const std::uint64_t before = blocked_by(getpid());
    if (!bough_test::pool_is_usable())
        return fail_child("no pool");
    bough::task_arena(2).enqueue([] {});  // under a limit of one it brings the only worker
    while (tasks_of("self", true).empty())
        std::this_thread::yield();
    std::uint64_t expected = ~std::uint64_t{0};
    for (const int open : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF, SIGPIPE,
                           SIGKILL, SIGSTOP,  // which nobody can block
                           32, 33})           // the C library's own
        expected &= ~bit(open);
    expected |= also_blocked;
    for (const pid_t task : tasks_of("self", true))
        if (blocked_by(task) != expected) {
            std::cout << std::hex << blocked_by(task) << " is blocked, not " << expected << std::endl;
            return 1;
        }
    return blocked_by(getpid()) == before ? 0 : fail_child("the caller's own mask has changed");
}

int child_masks() {
    return check_masks(0);
}

int child_masks_without_sigpipe() {
    sigset_t pipe;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    return check_masks(bit(SIGPIPE));
}

// ---- handlers ----

// Tasks in which a handler ran.
std::atomic<pid_t> handled_in[1024];
std::atomic<std::size_t> handled{0};

void note_task(int) {
    const int before = errno;
    handled_in[handled.fetch_add(1) % 1024] = static_cast<pid_t>(syscall(SYS_gettid));
    errno = before;
}

// No SA_RESTART: every system call that can be interrupted is.
void handle(int signal) {
    struct sigaction action{};
    action.sa_handler = note_task;
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, nullptr);
}

// While there are workers at work the process gets signals; each is handled in a thread of the program.
int child_sent_to_the_process() {
    handle(SIGUSR1);
    handle(SIGTERM);
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0};
    std::thread other([&] {
        while (!stop.load())
            wrong += bough_test::wrong_answers();
    });
    bough_test::pool_is_usable();
    for (std::size_t k = 1; k <= 500; ++k) {
        kill(getpid(), k % 2 == 0 ? SIGUSR1 : SIGTERM);
        if (k % 50 == 0)
            wrong += bough_test::wrong_answers();
        while (handled.load() != k)
            std::this_thread::yield();
    }
    stop = true;
    other.join();
    for (const pid_t worker : tasks_of("self", true))
        for (const auto& task : handled_in)
            if (task == worker)
                return fail_child("a worker has handled a signal");
    return wrong == 0 ? 0 : fail_child("wrong answers");
}

// What a body in a worker writes where nobody reads: the worker's own affair, as in any thread.
int child_broken_pipe() {
    handle(SIGPIPE);
    int ends[2];
    if (pipe(ends) != 0)
        return fail_child("no pipe");
    close(ends[0]);
    std::atomic<ssize_t> written{0};
    std::atomic<pid_t> writer{0};
    bough::task_arena(2).enqueue([&] {
        written = write(ends[1], "x", 1);
        writer = static_cast<pid_t>(syscall(SYS_gettid));
    });
    while (writer.load() == 0)
        std::this_thread::yield();
    if (written != -1 || handled.load() != 1 || handled_in[0].load() != writer.load())
        return fail_child("SIGPIPE was not handled where it came up");
    return 0;
}

// ---- timers ----

void every_100_us(int signal) {
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal;
    timer_t timer{};
    const itimerspec often{{0, 100'000}, {0, 100'000}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &often, nullptr) != 0)
        _exit(fail_child("no timer"));
}

// The alarm that ends a child that hangs, by a signal that nothing here handles: SIGALRM is in use.
void watch_by(int signal) {
    alarm(0);
    sigevent event{};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = signal;
    timer_t timer{};
    const itimerspec once{{0, 0}, {static_cast<time_t>(bough_test::child_patience_s()), 0}};
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 || timer_settime(timer, 0, &once, nullptr) != 0)
        _exit(fail_child("no timer"));
}

int use_while_handling(std::size_t wanted) {
    wanted *= bough_test::long_run() ? 50 : 1;
    do {
        if (const int wrong = bough_test::run_uses())
            return wrong;
    } while (handled.load() < wanted);
    std::cout << handled << " signals" << std::endl;
    return 0;
}

int child_alarms() {
    watch_by(SIGVTALRM);
    handle(SIGALRM);
    every_100_us(SIGALRM);
    return use_while_handling(1000);
}

int child_profiled() {
    handle(SIGPROF);
    const itimerval often{{0, 100}, {0, 100}};
    setitimer(ITIMER_PROF, &often, nullptr);
    return use_while_handling(20);
}

// Workers and other threads, asleep or not, are interrupted one after the other.
int child_interrupted_everywhere() {
    handle(SIGPROF);
    std::atomic<bool> stop{false};
    std::thread sender([&] {
        while (!stop.load()) {
            for (const pid_t task : tasks_of("self", false))
                if (task != gettid())
                    syscall(SYS_tgkill, getpid(), task, SIGPROF);
            std::this_thread::yield();
        }
    });
    const int wrong = use_while_handling(1000);
    stop = true;
    sender.join();
    return wrong;
}

// ---- stops ----

// Runs `act(process)` in a child of ours, beside uses of bough; the child has no thread but its own, being forked
// before.
template <class Act>
int use_beside(Act&& act) {
    const pid_t process = getpid();
    const pid_t helper = fork();
    if (helper == 0) {
        alarm(bough_test::child_patience_s());
        _exit(act(process));
    }
    prctl(PR_SET_PTRACER, helper);  // where only a parent may trace its children
    int status = 0, wrong = 0, rounds = 0;
    pid_t ended = 0;
    while (ended == 0 && wrong == 0) {
        wrong = bough_test::run_uses();
        ++rounds;
        ended = waitpid(helper, &status, WNOHANG);
    }
    std::cout << rounds << " rounds" << std::endl;
    return wrong != 0 ? wrong : WIFEXITED(status) ? WEXITSTATUS(status) : fail_child("the helper has died");
}

char state_of(pid_t process) {
    std::ifstream stat("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(stat, line);
    const std::size_t name_end = line.rfind(')');
    return name_end == std::string::npos || name_end + 2 >= line.size() ? '?' : line[name_end + 2];
}

int stops() {
    return bough_test::long_run() ? 20000 : 500;
}

// On a machine that has much to do each stop takes its time.
bool have_time_left(std::chrono::steady_clock::time_point begin) {
    return bough_test::long_run() || std::chrono::steady_clock::now() - begin < std::chrono::seconds(20);
}

int child_stopped_and_continued() {
    return use_beside([](pid_t process) {
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < stops() && have_time_left(begin); ++k) {
            kill(process, SIGSTOP);
            while (state_of(process) != 'T')
                std::this_thread::yield();
            kill(process, SIGCONT);
            while (state_of(process) == 'T')
                std::this_thread::yield();
        }
        return 0;
    });
}

// ---- a debugger ----

// Stops one thread and lets it go on. False: not permitted, or it has ended.
bool attach_and_detach(pid_t task) {
    if (ptrace(PTRACE_SEIZE, task, nullptr, nullptr) != 0)
        return false;
    ptrace(PTRACE_INTERRUPT, task, nullptr, nullptr);
    int status = 0;
    while (waitpid(task, &status, __WALL) == task && WIFSTOPPED(status)) {
        const bool is_ours = status >> 16 == PTRACE_EVENT_STOP;
        const long signal = is_ours ? 0 : WSTOPSIG(status);
        if (is_ours) {
            ptrace(PTRACE_DETACH, task, nullptr, nullptr);
            break;
        }
        ptrace(PTRACE_CONT, task, nullptr, signal);  // one that it was about to get
    }
    return true;
}

int child_traced() {
    return use_beside([](pid_t process) {
        if (!attach_and_detach(process))
            return 77;
        const auto begin = std::chrono::steady_clock::now();
        for (int k = 0; k < stops() && have_time_left(begin);)
            for (const pid_t task : tasks_of(std::to_string(process), false))
                k += attach_and_detach(task) ? 1 : 0;
        return 0;
    });
}

// ---- the table ----

TEST(signals, workers_block_all_but_faults_profiling_and_broken_pipes) {
    bough_test::expect_children_succeed({"masks", "masks_without_sigpipe"}, bough_test::usual_threads());
}

TEST(signals, a_broken_pipe_is_the_affair_of_the_thread_that_writes) {
    bough_test::expect_children_succeed({"broken_pipe"}, bough_test::usual_threads());
}

TEST(signals, sent_to_the_process_are_handled_by_threads_of_the_program) {
    bough_test::expect_children_succeed({"sent_to_the_process"}, bough_test::usual_threads());
}

TEST(signals, handlers_leave_answers_right) {
    bough_test::expect_children_succeed({"alarms", "profiled", "interrupted_everywhere"},
                                        bough_test::usual_threads());
}

TEST(signals, stopped_and_continued) {
    bough_test::expect_children_succeed({"stopped_and_continued"}, bough_test::usual_threads());
}

TEST(signals, a_debugger_comes_and_goes) {
    for (const bough_test::settings& threads : bough_test::usual_threads()) {
        const auto o = bough_test::run_child("traced", threads);
        if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == 77)
            GTEST_SKIP() << "ptrace is not permitted here";
        EXPECT_TRUE(o.succeeded()) << threads.begin()->second << " threads: " << o.what();
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(
        argc, argv,
        {{"masks", child_masks},
         {"masks_without_sigpipe", child_masks_without_sigpipe},
         {"broken_pipe", child_broken_pipe},
         {"sent_to_the_process", child_sent_to_the_process},
         {"alarms", child_alarms},
         {"profiled", child_profiled},
         {"interrupted_everywhere", child_interrupted_everywhere},
         {"stopped_and_continued", child_stopped_and_continued},
         {"traced", child_traced}});
}
