// Threads that the system refuses: the program goes on with those it has, says so in one line, and every answer is
// right; with no worker at all, too. Refused by this executable, which stands in front of pthread_create, and by a
// limit.

#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "all_uses.h"
#include "refused_threads.h"
#include "stopped_at_work.h"
#include "watched_children.h"

namespace {

using bough_test::asked;
using bough_test::child_argument;
using bough_test::expect_at_most_one_line;
using bough_test::refusals;
using bough_test::refused;

// "every/from/until" after the colon.
void read_plan() {
    char slash = '/';
    std::istringstream(child_argument()) >> refusals.every >> slash >> refusals.from >> slash >>
        refusals.until;
}

int child_uses() {
    read_plan();
    const int wrong = bough_test::run_uses();
    bough_test::report_refusals();
    return wrong;
}

// Refused at first, and no longer: with the next requests all threads come. Said once, although refused several times.
int child_later() {
    refusals.every = 1;
    if (const int wrong = bough_test::run_uses())
        return wrong;
    for (int before = refused; refused < before + 2;)  // the library asks again now and then
        bough_test::use_arenas();
    refusals.every = 0;
    const int threads = bough_test::allowed_threads();
    while (bough_test::threads_of_process() < threads)
        bough_test::use_arenas();
    if (!bough_test::pool_is_usable())
        return bough_test::fail_child("the pool is not whole");
    const int wrong = bough_test::run_uses();
    bough_test::report_refusals();
    return wrong;
}

// As a user who may have `more` threads beside those that the process has.
int child_limited() {
    const int more = std::atoi(child_argument().c_str());
    const auto user =
        static_cast<uid_t>(100000 + getpid());  // nobody else's: the limit counts all threads of a user
    const auto limit = static_cast<rlim_t>(bough_test::threads_of_process() + more);
    const rlimit processes{limit, limit};
    setenv("HOME", "/nonexistent", 1);  // that user could not read a profile that lies there
    if (setgroups(0, nullptr) != 0 || setgid(user) != 0 || setuid(user) != 0 ||
        setrlimit(RLIMIT_NPROC, &processes) != 0) {
        std::cout << "cannot become another user: " << std::strerror(errno) << std::endl;
        return 77;
    }
    for (int round = 0; round < 3; ++round) {
        if (const int wrong = bough_test::run_uses([](const bough_test::use& u) { return !u.has_threads; }))
            return wrong;
        const int threads = bough_test::threads_of_process();
        if (threads > static_cast<int>(limit))
            return bough_test::fail_child("more threads than the limit allows");
        if (round == 2)
            std::cout << "threads " << threads << " limit " << limit << std::endl;
    }
    return 0;
}

// One use alone, so that it is the first that wants a worker.
int child_one_use() {
    const std::string use_name = child_argument().substr(0, child_argument().find(':'));
    child_argument().erase(0, use_name.size() + 1);
    read_plan();
    for (const auto& u : bough_test::all_uses()) {
        if (u.name != use_name)
            continue;
        const std::string wrong = u.run();
        std::cout << wrong << '\n';
        bough_test::report_refusals();
        return wrong.empty() ? 0 : 1;
    }
    return 126;
}

// ---- enqueued while every thread is refused ----

bool expect_runs(std::atomic<int>& ran, int wanted, const char* what) {
    if (ran.load() == wanted)
        return true;
    std::cout << what << ": " << ran.load() << " of " << wanted << std::endl;
    return false;
}

// A chain through many arenas, deeper than functions are run inside of each other; the arenas are of no use to anybody
// else.
bool enqueue_a_chain() {
    constexpr int links = 300;
    std::vector<std::unique_ptr<bough::task_arena>> arenas;
    for (int i = 0; i < links; ++i)
        arenas.push_back(std::make_unique<bough::task_arena>(i % 3 + 1));
    std::atomic<int> ran{0};
    std::function<void(int)> link = [&](int i) {
        ++ran;
        if (i + 1 < links)
            arenas[static_cast<std::size_t>(i + 1)]->enqueue([&link, i] { link(i + 1); });
    };
    arenas[0]->enqueue([&] { link(0); });
    return expect_runs(ran, links, "chain");
}

// Each function waits for the one that it enqueues, in a way that bough does not see.
bool enqueue_functions_that_wait() {
    constexpr int links = 100;
    bough::task_arena arenas[2] = {bough::task_arena(1), bough::task_arena(2)};
    std::atomic<int> ran{0};
    std::function<void(int)> link = [&](int i) {
        if (i + 1 < links) {
            arenas[i % 2].enqueue([&link, i] { link(i + 1); });
            bough_test::wait_for_at_least(ran, links - i - 1);
        }
        ++ran;
    };
    arenas[0].enqueue([&] { link(0); });
    return expect_runs(ran, links, "functions that wait for each other");
}

bool enqueue_one_that_spawns() {
    std::atomic<int> ran{0};
    bough::task_arena arena(2);
    bough::task_group group;
    arena.enqueue([&] { group.run([&] { ++ran; }); });
    const bool right = expect_runs(ran, 1, "what an enqueued function spawned");
    group.wait();
    return right;
}

bool enqueue_one_that_ends_its_arena() {
    std::atomic<int> ran{0};
    auto own = std::make_unique<bough::task_arena>(2);
    bough::task_arena& arena = *own;
    arena.enqueue([&] {
        own->enqueue([&] { ++ran; });
        own.reset();
        ++ran;
    });
    return expect_runs(ran, 2, "an arena that a function ended");
}

// Its only slot is another thread's: that one runs it when it gets up. From further up the own thread runs it.
bool enqueue_where_no_slot_is_free() {
    std::atomic<int> ran{0};
    bough::task_arena full(1, 0), outer(2);
    full.execute([&] { std::thread([&] { full.enqueue([&] { ++ran; }); }).join(); });
    if (!expect_runs(ran, 1, "an arena without a free slot"))
        return false;
    bool is_run = false;
    full.execute([&] {
        outer.execute([&] { full.enqueue([&] { ++ran; }); });
        is_run = expect_runs(ran, 2, "an arena where the thread sits already");
    });
    return is_run;
}

// While somebody gets up. Nothing is left between the two.
bool enqueue_while_the_slot_is_given_back() {
    constexpr int rounds = 3000;
    std::atomic<int> ran{0};
    bough::task_arena full(1, 0);
    std::thread visitor([&] {
        for (int i = 0; i < rounds; ++i)
            full.execute([] {});
    });
    for (int i = 0; i < rounds; ++i)
        full.enqueue([&] { ++ran; });
    visitor.join();
    return expect_runs(ran, rounds, "an arena whose slot comes and goes");
}

// Far down on a stack, where no function that was enqueued is an outer one: nobody else would run it.
[[gnu::noinline]] void enqueue_below(bough::task_arena& arena, std::atomic<int>& ran, std::size_t bytes) {
    constexpr std::size_t step = 64 << 10;
    volatile char room[step];
    room[0] = 0;
    if (bytes > step)
        enqueue_below(arena, ran, bytes - step);
    else
        arena.enqueue([&] { ++ran; });
    room[1] = room[0];  // after the call: it is none at the end
}

bool enqueue_far_down() {
    std::atomic<int> ran{0};
    bough::task_arena arena(2);
    std::thread([&] {
        pthread_attr_t attributes;
        std::size_t size = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            pthread_attr_getstacksize(&attributes, &size);
            pthread_attr_destroy(&attributes);
        }
        enqueue_below(arena, ran, size / 8 * 7);
    }).join();
    return expect_runs(ran, 1, "enqueued far down on a stack");
}

int child_enqueues() {
    refusals.every = 1;
    bough::parallel_for(0, 100000, [](int) {});
    bough::task_arena first(2);
    first.enqueue([] {});
    const bool right = enqueue_a_chain() && enqueue_functions_that_wait() && enqueue_one_that_spawns() &&
                       enqueue_one_that_ends_its_arena() && enqueue_where_no_slot_is_free() &&
                       enqueue_while_the_slot_is_given_back() && enqueue_far_down();
    bough_test::report_refusals();
    return right ? 0 : 1;
}

// A thread that enqueues runs that function itself, and holds a lock. It must run no task of another thread, which may
// want the lock.
int child_enqueues_under_a_lock() {
    refusals.every = 1;
    bough::task_arena arena(3);
    std::mutex guard;
    std::atomic<bool> is_inside{false}, is_spawned{false};
    arena.execute([&] {
        std::thread enqueues([&] {
            const std::lock_guard lock(guard);
            arena.enqueue([&] {
                is_inside = true;
                while (!is_spawned)
                    std::this_thread::yield();
            });
        });
        while (!is_inside)
            std::this_thread::yield();
        bough::task_group group;
        group.run([&] { const std::lock_guard lock(guard); });
        is_spawned = true;
        enqueues.join();
        group.wait();
    });
    bough_test::report_refusals();
    return 0;
}

// The only worker is stopped while it is in another arena, and no other one can be started.
int child_stopped() {
    refusals = {1, 2};
    std::atomic<int> ran{0};
    bough::task_arena waits(2);
    const bool stopped = bough_test::stop_at_work([&] { waits.enqueue([&] { ++ran; }); });
    const bool right = expect_runs(ran, 1, "an arena that waited for a worker");
    bough_test::report_refusals();
    return right && stopped ? 0 : 1;
}

// All of them, every second, every third; all but the first, the first only, the first three.
// One thread holds stderr's lock and enqueues, while another is about to say that a thread was refused. Said under the
// crew's mutex, both would wait for ever. Here the other one is seen to wait for stderr, or to have enqueued.
int child_stderr_locked() {
    refusals.every = 1;
    flockfile(stderr);
    bough::task_arena arena(2);
    std::atomic<int> ran{0};
    std::thread other([&] { arena.enqueue([&] { ++ran; }); });
    bough_test::wait_for_at_least(refused, 1);
    for (int i = 0; i < 100; ++i) {
        bough::task_arena here(2);
        here.enqueue([&] { ++ran; });
    }
    funlockfile(stderr);
    other.join();
    const bool all = ran == 101;
    bough_test::report_refusals();
    return all ? 0 : bough_test::fail_child("not all functions ran");
}

const std::vector<std::string>& plans() {
    static const std::vector<std::string> all = {"1/1/1000000000", "2/1/1000000000", "3/2/1000000000",
                                                 "1/2/1000000000", "1/1/1",          "1/1/3"};
    return all;
}

// Under a sanitizer, where each takes seconds, every second one.
std::vector<std::string> usual_plans() {
    std::vector<std::string> result;
    const std::size_t step = bough_test::sanitized && !bough_test::long_run() ? 2 : 1;
    for (std::size_t k = 0; k < plans().size(); k += step)
        result.push_back(plans()[k]);
    return result;
}

TEST(threads_refused, every_use_one_after_the_other) {
    for (const bough_test::settings& threads : bough_test::usual_threads())
        for (const std::string& p : usual_plans())
            expect_at_most_one_line(bough_test::run_child("uses:" + p, threads),
                                    threads.begin()->second + " threads, plan " + p);
}

TEST(threads_refused, every_use_as_the_first) {
    for (const bough_test::settings& threads : bough_test::usual_threads())
        for (const auto& u : bough_test::all_uses())
            for (const std::string& p : {plans()[0], plans()[1]})
                expect_at_most_one_line(bough_test::run_child("one_use:" + (u.name + (":" + p)), threads),
                                        std::string(u.name) + ", " + threads.begin()->second +
                                            " threads, plan " + p);
}

TEST(threads_refused, what_is_enqueued_is_run) {
    for (const bough_test::settings& threads : bough_test::usual_threads())
        expect_at_most_one_line(bough_test::run_child("enqueues", threads),
                                threads.begin()->second + " threads");
}

TEST(threads_refused, who_enqueues_runs_no_task_of_others) {
    for (const char* mail : {"off", "start", "letters", "always"})
        expect_at_most_one_line(bough_test::run_child("enqueues_under_a_lock",
                                                      {{"BOUGH_NUM_THREADS", "3"}, {"BOUGH_MAIL", mail}}),
                                mail);
}

TEST(threads_refused, what_is_enqueued_while_workers_are_stopped_is_run) {
    for (const bough_test::settings& threads : bough_test::usual_threads())
        expect_at_most_one_line(bough_test::run_child("stopped", threads),
                                threads.begin()->second + " threads");
}

TEST(threads_refused, while_somebody_has_locked_stderr) {
    expect_at_most_one_line(bough_test::run_child("stderr_locked", {{"BOUGH_NUM_THREADS", "2"}}), "");
    expect_at_most_one_line(bough_test::run_child("stderr_locked", {{"BOUGH_NUM_THREADS", "1"}}), "");
}

TEST(threads_refused, later_ones_come) {
    for (const char* threads : {"2", "8"})
        expect_at_most_one_line(bough_test::run_child("later", {{"BOUGH_NUM_THREADS", threads}}), threads);
}

TEST(threads_refused, by_the_limit_of_a_user) {
    if (geteuid() != 0)
        GTEST_SKIP() << "only root can become a user without other processes";
    if (bough_test::threads_of_tools() != 0)
        GTEST_SKIP() << "a thread of the sanitizer's or the emulator's counts too";
    for (const bough_test::settings& threads : bough_test::usual_threads()) {
        for (const char* more : {"0", "1", "3"}) {
            const auto o = bough_test::run_child(std::string("limited:") + more, threads);
            if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == 77)
                GTEST_SKIP() << o.out;
            const std::string where = threads.begin()->second + " threads, " + more + " more allowed";
            EXPECT_TRUE(o.succeeded()) << where << ": " << o.what();
            // One thread beside the caller is wanted under a limit of one, too: for what is enqueued.
            const int wanted = std::max(1, std::atoi(threads.begin()->second.c_str()) - 1);
            EXPECT_EQ(o.error_lines().size(), wanted > std::atoi(more) ? 1u : 0u)
                << where << ": " << o.what();
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(argc, argv,
                                                     {{"uses", child_uses},
                                                      {"one_use", child_one_use},
                                                      {"enqueues", child_enqueues},
                                                      {"enqueues_under_a_lock", child_enqueues_under_a_lock},
                                                      {"later", child_later},
                                                      {"stderr_locked", child_stderr_locked},
                                                      {"stopped", child_stopped},
                                                      {"limited", child_limited}});
}
