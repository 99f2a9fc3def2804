// The check build: a lock that a thread takes again, because a wait ran work that wants it, ends the process with a
// report that names both sides; what is no such thing is left alone.
#include <bough/bough.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>

#include "process/watched_children.h"

// Names for addr2line: each is the function of a task or of a loop.
struct holder_body;
struct stranger_body;
struct halves_body;

namespace {

using bough_test::run_child;
using bough_test::settings;

std::mutex lock;
std::shared_mutex rwlock;

// Not through functions of the standard library, which without optimisation are where the lock is taken.
class guard {
public:
    [[gnu::always_inline]] guard() { pthread_mutex_lock(lock.native_handle()); }
    [[gnu::always_inline]] ~guard() { pthread_mutex_unlock(lock.native_handle()); }
};

// A body blocks until the runtime has done what the scenario needs; the alarm ends a child for which it does not.
void await(const std::atomic<bool>& flag) {
    while (!flag.load())
        std::this_thread::yield();
}

}  // namespace

// Wants the lock, and has nothing to do with whoever holds it.
struct stranger_body {
    void operator()() const { const guard mine; }
};

// Holds it, and waits for a group; the thread's newest task is the stranger.
struct holder_body {
    void operator()(int) const {
        bough::task_group others, own;
        {
            const guard mine;
            own.run([] {});
            others.run(stranger_body{});
            own.wait();
        }
        others.wait();
    }
};

// A loop of two: one half holds the lock, as above, while the other is with the other thread. Not in earnest: nothing.
struct halves_body {
    void operator()(int i) const {
        if (holder < 0)
            return;
        static std::array<std::atomic<bool>, 2> begun;
        begun[static_cast<std::size_t>(i)] = true;
        await(begun[static_cast<std::size_t>(1 - i)]);
        if (i != holder)
            await(std::atomic<bool>{false});
        holder_body{}(i);
    }
    int holder;
};

namespace {

void run_halves(int holder) {
    bough::parallel_for(0, 2, halves_body{holder});
}

// What its caller, and what a helper, does of a loop that the runtime does not know; the caller's of a short one.
int child_caller() {
    run_halves(0);
    return 0;
}
int child_helper() {
    run_halves(1);
    return 0;
}
int child_caller_of_a_short_loop() {
    for (int k = 0; k < 200; ++k)
        run_halves(-1);
    run_halves(0);
    return 0;
}

int child_group() {
    bough::parallel_for(0, 1, holder_body{});
    return 0;
}

int child_group_isolated() {
    bough::parallel_for(0, 1, [](int i) { bough::this_task_arena::isolate([i] { holder_body{}(i); }); });
    return 0;
}

// As isolate is meant: around the wait, with the stranger outside.
int child_isolated_wait() {
    bough::task_group others, own;
    others.run(stranger_body{});
    {
        const std::lock_guard mine(lock);
        bough::this_task_arena::isolate([&] {
            own.run([] {});
            own.wait();
        });
    }
    others.wait();
    return 0;
}

// The loop's other half is with another thread until the stranger has been run: by the caller, who waits.
int child_loop() {
    std::atomic<bool> begun{false};
    bough::task_group others;
    const guard mine;
    bough::parallel_for(0, 2, [&](int i) {
        if (i == 1) {
            begun = true;
            await(std::atomic<bool>{false});
        }
        await(begun);
        others.run(stranger_body{});
    });
    return 0;
}

// A visitor of a full arena holds the lock. Its function is begun by a worker; then the slot comes free, with the
// stranger in its queue.
int child_delegation() {
    bough::task_arena arena(1);
    bough::task_group others;
    std::atomic<bool> taken{false}, begun{false};
    std::thread owner([&] {
        arena.execute([&] {
            taken = true;
            await(begun);
            others.run(stranger_body{});
        });
        await(std::atomic<bool>{false});
    });
    await(taken);
    const guard mine;
    arena.execute([&] {
        begun = true;
        await(std::atomic<bool>{false});
    });
    return 0;
}

int child_invoke() {
    std::atomic<bool> begun{false};
    bough::task_group others;
    const std::lock_guard mine(lock);
    bough::parallel_invoke(
        [&] {
            await(begun);
            others.run(stranger_body{});
        },
        [&] {
            begun = true;
            await(std::atomic<bool>{false});
        });
    return 0;
}

template <class Held, class Wanted>
int wait_with_stranger() {
    bough::task_group others, own;
    {
        Held mine(rwlock);
        own.run([] {});
        others.run([] { Wanted its(rwlock); });
        own.wait();
    }
    others.wait();
    return 0;
}
using exclusive = std::unique_lock<std::shared_mutex>;
using shared = std::shared_lock<std::shared_mutex>;

// A writer waits, and is preferred: who reads already may not read again.
int child_shared_below_a_writer() {
    pthread_rwlockattr_t kind;
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(&kind, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    static pthread_rwlock_t fair;
    pthread_rwlock_init(&fair, &kind);
    pthread_rwlock_rdlock(&fair);
    std::thread writer([] { pthread_rwlock_wrlock(&fair); });
    std::thread([] {
        while (pthread_rwlock_tryrdlock(&fair) == 0)
            pthread_rwlock_unlock(&fair);
    }).join();
    bough::task_group others, own;
    own.run([] {});
    others.run([] { pthread_rwlock_rdlock(&fair); });
    own.wait();
    return 0;
}

// What the holder waits for wants the lock.
int child_own_work() {
    const std::lock_guard mine(lock);
    bough::parallel_for(0, 4, [](int) { stranger_body{}(); });
    return 0;
}

int child_same_code() {
    bough::parallel_for(0, 1, [](int) {
        lock.lock();
        lock.lock();
    });
    return 0;
}

// As child_group, on a stack that was left before.
int child_group_after_suspension() {
    bough::parallel_for(0, 1, [](int i) {
        bough::suspend([](bough::suspend_point p) { bough::resume(p); });
        holder_body{}(i);
    });
    return 0;
}

// The stranger is run on another stack than the one that has been left in a wait for its group.
int child_on_another_stack() {
    bough::task_group group;
    const guard mine;
    group.run(stranger_body{});
    group.run([] { bough::suspend([](bough::suspend_point) {}); });
    group.wait();
    return 0;
}

// ---- what is left alone ----

int child_recursive() {
    static std::recursive_mutex again;
    bough::task_group others, own;
    {
        const std::lock_guard mine(again);
        own.run([] {});
        others.run([] { const std::lock_guard its(again); });
        own.wait();
        const std::lock_guard twice(again);
    }
    others.wait();
    return again.try_lock() ? 0 : 1;
}

int child_self_checking() {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_t m;
    pthread_mutex_init(&m, &kind);
    return pthread_mutex_lock(&m) == 0 && pthread_mutex_lock(&m) == EDEADLK &&
                   pthread_mutex_unlock(&m) == 0 && pthread_mutex_lock(&m) == 0
               ? 0
               : 1;
}

// The mutex is let go of and taken again inside libc, by both kinds.
template <class Condition>
int ping_pong() {
    std::mutex guard;
    Condition changed;
    int turn = 0;
    const auto play = [&](int me) {
        for (int i = 0; i < 200; ++i) {
            std::unique_lock mine(guard);
            changed.wait(mine, [&] { return turn == me; });
            turn = 1 - me;
            changed.notify_all();
        }
    };
    std::thread other([&] { play(1); });
    play(0);
    other.join();
    const std::lock_guard free(guard);
    return 0;
}
int child_conditions() {
    return ping_pong<std::condition_variable>() + ping_pong<std::condition_variable_any>();
}

int child_held_over_a_wait() {
    static std::mutex another;
    std::atomic<int> sum{0};
    const std::lock_guard mine(lock);
    bough::parallel_for(0, 1000, [&](int) {
        const std::lock_guard its(another);
        ++sum;
    });
    return sum == 1000 ? 0 : 1;
}

// Every thread takes it many times, by turns and by attempts; nothing is kept.
int child_by_turns() {
    std::array<std::timed_mutex, 100> many;
    std::atomic<int> sum{0};
    for (auto& one : many)
        one.lock();  // more than are remembered
    for (auto& one : many)
        one.unlock();
    bough::parallel_for(0, 20'000, [&](int i) {
        {
            const std::lock_guard mine(lock);
            ++sum;
        }
        if (lock.try_lock()) {
            if (lock.try_lock())
                std::abort();
            lock.unlock();
        }
        std::timed_mutex& one = many[static_cast<std::size_t>(i) % many.size()];
        if (one.try_lock_for(std::chrono::seconds(100))) {
            if (one.try_lock_for(std::chrono::microseconds(1)))
                std::abort();
            one.unlock();
        }
        const shared first(rwlock), second(rwlock, std::try_to_lock);
    });
    const exclusive last(rwlock);
    return sum == 20'000 ? 0 : 1;
}

// Nobody may do so with a std::mutex; but as with libc it goes well.
int child_let_go_elsewhere() {
    lock.lock();
    std::thread([] { lock.unlock(); }).join();
    lock.lock();
    lock.unlock();
    return 0;
}

// A child of fork() makes anew what may be locked; then another thread has it.
int child_forked() {
    lock.lock();
    const pid_t child = fork();
    if (child == 0) {
        new (&lock) std::mutex;
        std::atomic<bool> taken{false};
        std::thread other([&] {
            const std::lock_guard mine(lock);
            taken = true;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        });
        await(taken);
        lock.lock();
        other.join();
        _exit(0);
    }
    int status = -1;
    return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

// A stack that is left while its task is suspended takes its frames along.
int child_suspended() {
    bough::task_group group;
    for (int i = 0; i < 100; ++i)
        group.run([] {
            bough::suspend([](bough::suspend_point p) { bough::resume(p); });
            stranger_body{}();
        });
    group.wait();
    return 0;
}

const std::map<std::string, bough_test::child_function> children = {
    {"group", child_group},
    {"caller", child_caller},
    {"helper", child_helper},
    {"caller_of_a_short_loop", child_caller_of_a_short_loop},
    {"group_isolated", child_group_isolated},
    {"isolated_wait", child_isolated_wait},
    {"loop", child_loop},
    {"delegation", child_delegation},
    {"invoke", child_invoke},
    {"exclusive_exclusive", wait_with_stranger<exclusive, exclusive>},
    {"exclusive_shared", wait_with_stranger<exclusive, shared>},
    {"shared_exclusive", wait_with_stranger<shared, exclusive>},
    {"shared_shared", wait_with_stranger<shared, shared>},
    {"shared_below_a_writer_shared", child_shared_below_a_writer},
    {"own_work", child_own_work},
    {"same_code", child_same_code},
    {"group_after_suspension", child_group_after_suspension},
    {"on_another_stack", child_on_another_stack},
    {"recursive", child_recursive},
    {"self_checking", child_self_checking},
    {"conditions", child_conditions},
    {"held_over_a_wait", child_held_over_a_wait},
    {"by_turns", child_by_turns},
    {"let_go_elsewhere", child_let_go_elsewhere},
    {"forked", child_forked},
    {"suspended", child_suspended},
};

// ---- reports ----

std::string output_of(const std::string& command) {
    std::string text;
    FILE* const pipe = popen(command.c_str(), "r");
    for (int c; pipe && (c = std::fgetc(pipe)) != EOF;)
        text += static_cast<char>(c);
    return pipe && pclose(pipe) == 0 ? text : "failed: " + command;
}

std::vector<std::string> report_of(const std::string& child, const settings& extra) {
    const auto outcome = run_child(child, extra);
    EXPECT_TRUE(WIFSIGNALED(outcome.status) && WTERMSIG(outcome.status) == SIGABRT)
        << child << outcome.what();
    return outcome.error_lines();
}

// With what addr2line says of the place that the line names, if it is one of this program.
std::string explained(const std::string& line) {
    const std::size_t begin = line.find(bough_test::own_path() + "+0x");
    if (begin == std::string::npos)
        return line;
    const std::size_t plus = line.find("+0x", begin);
    return line + " = " +
           output_of("addr2line -Cfipe '" + bough_test::own_path() + "' " +
                     line.substr(plus + 1, line.find_first_of(" ,", plus) - plus - 1));
}

// Some line of the stack has `part`.
void expect_on_stack(const std::vector<std::string>& report, const std::string& part) {
    EXPECT_TRUE(std::any_of(report.begin(), report.end(), [&](const std::string& line) {
        return line.find("  stack ") == 0 && explained(line).find(part) != std::string::npos;
    })) << part;
}

// Some line begins with `beginning`, and the first that does has all of `parts`.
void expect_line(const std::vector<std::string>& report, const std::string& beginning,
                 const std::vector<std::string>& parts) {
    const auto found = std::find_if(report.begin(), report.end(),
                                    [&](const std::string& line) { return line.find(beginning) == 0; });
    if (found == report.end()) {
        std::string all;
        for (const std::string& line : report)
            all += line + "\n";
        ADD_FAILURE() << "no line '" << beginning << "' in:\n" << all;
        return;
    }
    const std::string line = explained(*found);
    for (const std::string& part : parts)
        EXPECT_NE(line.find(part), std::string::npos) << "no '" << part << "' in: " << line;
}

const settings one_thread = {{"BOUGH_NUM_THREADS", "1"}}, two_threads = {{"BOUGH_NUM_THREADS", "2"}};

TEST(checks, a_wait_for_a_group_names_both_tasks_and_itself) {
    const auto report = report_of("group", one_thread);
    expect_line(report, "bough: ", {"a lock that it holds already"});
    expect_line(report, "  lock ", {"0x", "a mutex"});
    expect_line(report, "  wanted at ", {"stranger_body"});
    expect_line(report, "  in ", {"a task", "stranger_body"});
    expect_line(report, "  run by ", {"a wait for a group of tasks"});
    expect_line(report, "  held from ", {"holder_body"});
    expect_line(report, "  by ", {"the body of a loop", "holder_body"});
    expect_on_stack(report, "holder_body");
    expect_line(report, "While a thread waits", {});
    expect_line(report, "or wait inside", {"isolate"});
    expect_line(report, "bough::task_arena::waiting::descendants", {"BOUGH_WAIT=descendants"});
}

TEST(checks, the_body_of_a_loop_is_named_whoever_runs_it) {
    for (const char* child : {"caller", "helper", "caller_of_a_short_loop"})
        expect_line(report_of(child, two_threads), "  by ", {"the body of a loop", "halves_body"});
}

TEST(checks, a_loop) {
    const auto report = report_of("loop", two_threads);
    expect_line(report, "  in ", {"a task", "stranger_body"});
    expect_line(report, "  run by ", {"a loop"});
    expect_on_stack(report, "child_loop");
    expect_line(report, "  held from ", {"child_loop"});
    expect_line(report, "  by ", {"the application's own code"});
    expect_line(report, "While a thread waits", {});
}

TEST(checks, a_visit_to_an_arena) {
    const auto report = report_of("delegation", two_threads);
    expect_line(report, "  in ", {"a task", "stranger_body"});
    expect_line(report, "  run by ", {"task_arena::execute"});
    expect_on_stack(report, "child_delegation");
    expect_line(report, "  held from ", {"child_delegation"});
}

TEST(checks, forks) {
    const auto report = report_of("invoke", two_threads);
    expect_line(report, "  in ", {"a task", "stranger_body"});
    expect_line(report, "  run by ", {"parallel_invoke"});
    expect_on_stack(report, "child_invoke");
}

TEST(checks, stacks_have_frames_of_their_own) {
    const auto after = report_of("group_after_suspension", one_thread);
    expect_line(after, "  run by ", {"a wait for a group of tasks"});
    expect_line(after, "  by ", {"the body of a loop", "child_group_after_suspension"});
    const auto other = report_of("on_another_stack", one_thread);
    expect_line(other, "  in ", {"a task", "stranger_body"});
    expect_line(other, "  by ", {"the application's own code"});
    for (const std::string& line : other)
        EXPECT_NE(line.find("  run by "), 0u) << "the wait is on another stack: " << line;
}

TEST(checks, read_write_locks) {
    for (const char* child :
         {"exclusive_exclusive", "exclusive_shared", "shared_exclusive", "shared_below_a_writer_shared"}) {
        SCOPED_TRACE(child);
        const std::string name = child;
        const auto report = report_of(name, one_thread);
        expect_line(report, "  lock ", {"a read-write lock"});
        expect_line(report, "  wanted at ", {name.find("_shared") != std::string::npos ? ", shared" : ""});
        expect_line(report, "  held from ", {name.find("shared_") == 0 ? ", shared" : ""});
    }
    EXPECT_TRUE(run_child("shared_shared", one_thread).succeeded());
}

TEST(checks, advice_is_of_use) {
    expect_line(report_of("own_work", one_thread), "What the holder waits for", {});
    expect_line(report_of("same_code", one_thread), "The same code", {});
    bough_test::expect_children_succeed({"group"},
                                        {{{"BOUGH_NUM_THREADS", "1"}, {"BOUGH_WAIT", "descendants"}}});
    bough_test::expect_children_succeed({"isolated_wait"}, {one_thread});
    expect_line(report_of("group_isolated", one_thread), "While a thread waits",
                {});  // the stranger is inside, too
}

TEST(checks, nothing_else_is_reported) {
    bough_test::expect_children_succeed({"recursive", "self_checking", "conditions", "held_over_a_wait",
                                         "by_turns", "let_go_elsewhere", "forked", "suspended"},
                                        bough_test::usual_threads());
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(argc, argv, children);
}
