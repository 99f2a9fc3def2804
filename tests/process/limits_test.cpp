// Limits are limits: no more threads than they say, whatever runs, and in the order that global_control.h gives:
// environment, then global_control, then the arena. The workers of a process do not end, so their number at the end is
// the most that there ever were.

#include <sched.h>
#include <sys/mount.h>

#include "all_uses.h"
#include "watched_children.h"

namespace {

using bough::global_control;
using bough_test::child_argument;
using bough_test::fail_child;

int workers_started() {
    int count = 0;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
        std::string name;
        std::getline(std::ifstream(task.path() / "comm"), name);
        count += name.rfind("bough-", 0) == 0 ? 1 : 0;
    }
    return count;
}

// Threads that are in bodies at a time; a body inside of a body is no second thread.
class at_work {
public:
    class inside {
    public:
        explicit inside(at_work& all) : all_(all) {
            if (depth()++ == 0)
                all_.note(all_.now_.fetch_add(1) + 1);
        }
        ~inside() {
            if (--depth() == 0)
                all_.now_.fetch_sub(1);
        }
        inside(const inside&) = delete;
        inside& operator=(const inside&) = delete;

    private:
        static int& depth() {
            static thread_local int depth = 0;
            return depth;
        }
        at_work& all_;
    };
    int most() const { return most_.load(); }

private:
    void note(int now) {
        int most = most_.load();
        while (most < now && !most_.compare_exchange_weak(most, now)) {
        }
    }
    std::atomic<int> now_{0}, most_{0};
};

void loops_tasks_and_arenas(at_work& all, bough::task_arena& shared, std::atomic<int>& enqueued) {
    const auto body = [&](int) {
        const at_work::inside here(all);
        bough_test::work_a_little(200);
    };
    const auto nested = [&](int i) {
        const at_work::inside here(all);
        bough::parallel_for(0, i % 8, body);
    };
    for (int round = 0; round < 10; ++round) {
        bough::parallel_for(0, 200, nested);
        bough::task_group tasks;
        for (int i = 0; i < 50; ++i)
            tasks.run([&nested, i] { nested(i); });
        tasks.wait();
        for (const int width : {1, 2, 16}) {
            bough::task_arena own(width);
            own.execute([&] { bough::parallel_for(0, 100, body); });
            ++enqueued;
            own.enqueue([&all, &enqueued] {
                {
                    const at_work::inside here(all);
                    bough_test::work_a_little(2000);
                }
                --enqueued;
            });
        }
        shared.execute([&] { bough::parallel_for(0, 100, nested); });
    }
}

// The argument: application threads.
int child_mixture() {
    const int limit = bough_test::allowed_threads(), threads = std::atoi(child_argument().c_str());
    at_work all;
    std::atomic<int> enqueued{0};
    bough::task_arena shared(4);
    std::vector<std::thread> others;
    for (int t = 1; t < threads; ++t)
        others.emplace_back([&] { loops_tasks_and_arenas(all, shared, enqueued); });
    loops_tasks_and_arenas(all, shared, enqueued);
    for (auto& t : others)
        t.join();
    bough_test::wait_for(enqueued, 0);
    const int workers = std::max(limit - 1, 1);  // under a limit of one, for what is enqueued
    std::cout << "limit " << limit << " workers " << workers_started() << " at once " << all.most()
              << std::endl;
    if (workers_started() > workers)
        return fail_child("too many workers");
    return all.most() <= threads + workers ? 0 : fail_child("too many at work");
}

// ---- environment, global_control, arena ----

// So many can be, and no more are, in bodies at a time; only the second where bodies must not wait for each other.
// Under a limit lower than before it is asked in an arena made under that limit: elsewhere a worker may be about to
// steal (src/worker/rare_states.md).
bool is_pool_of(int threads) {
    at_work all;
    bool met = true;
    if (!bough_test::loop_bodies_must_not_block()) {
        bough_test::rendezvous meeting(threads, bough_test::rendezvous::sleeping);
        bough::parallel_for(0, threads, [&](int) {
            const at_work::inside here(all);
            meeting.arrive_and_wait();
        });
        met = meeting.met();
    }
    bough::parallel_for(0, 20000, [&](int) {
        const at_work::inside here(all);
        bough_test::work_a_little(100);
    });
    return met && all.most() <= threads;
}

bool says(std::size_t threads) {
    return global_control::active_value(global_control::max_allowed_parallelism) == threads;
}

// BOUGH_NUM_THREADS is 4.
int child_order() {
    if (!says(4) || bough::this_task_arena::max_concurrency() != 4 || !is_pool_of(4))
        return fail_child("environment");
    {
        const global_control fewer(global_control::max_allowed_parallelism, 2);
        const auto holds = [] {
            return says(2) && bough_test::pool_is_usable() &&
                   bough::task_arena(16).execute([] { return is_pool_of(2); });
        };
        if (!holds())
            return fail_child("a global_control below the environment; an arena wider than it");
        const global_control more(global_control::max_allowed_parallelism, 6);
        if (!holds())
            return fail_child("the smallest of two holds");
    }
    if (!says(4) || !is_pool_of(4) || workers_started() != 3)
        return fail_child("back to the environment");
    const global_control more(global_control::max_allowed_parallelism, 6);
    if (!says(6) || !bough::task_arena(16).execute([] { return is_pool_of(6); }) || workers_started() != 5)
        return fail_child("a global_control above the environment");
    for (const int width : {1, 2, 5})
        if (!bough::task_arena(width).execute([&] { return is_pool_of(width); }))
            return fail_child("an arena within the limit");
    return workers_started() == 5 ? 0 : fail_child("too many workers");
}

// ---- one thread, and the worker that stands in ----

// Stays in the arena until it is let go.
class leaves_late : public bough::observer {
public:
    leaves_late() { observe(true); }
    ~leaves_late() { observe(false); }
    void on_exit(bool is_worker) override {
        if (!is_worker)
            return;
        leaves = true;
        while (!may_go)
            std::this_thread::yield();
    }
    std::atomic<bool> leaves{false}, may_go{false};
};

// BOUGH_NUM_THREADS is 1. A worker that came for what another thread waits for, and is about to leave, is no second
// thread: who counted it would wait for it for ever.
int child_stand_in() {
    const auto threads = [] { return bough::this_task_arena::max_concurrency(); };
    if (threads() != 1)
        return fail_child("not one thread");
    leaves_late observer;
    bough::task_group group;
    std::atomic<int> index{-1}, bound{0};
    group.run([&] {
        index = bough::this_task_arena::current_thread_index();
        bound = threads();
    });
    std::thread([&] { group.wait(); }).join();
    while (!observer.leaves)
        std::this_thread::yield();
    const int outside = threads();
    observer.may_go = true;
    if (index != 1 || bound != 2)
        return fail_child("no worker stood in");
    return outside == 1 ? 0 : fail_child("one that leaves was counted");
}

// ---- limits that change while loops run ----

int child_changes() {
    const std::vector<std::size_t> limits{2, 8, 1, 5, 8, 1, 3};
    std::atomic<bool> stop{false};
    std::atomic<int> wrong{0}, rounds{0};
    std::vector<std::thread> others;
    for (int t = 0; t < 2; ++t)
        others.emplace_back([&] {
            bough::task_arena arena(4);
            while (!stop.load()) {
                wrong += bough_test::wrong_answers();
                arena.execute([&] { wrong += bough_test::wrong_answers(); });
                ++rounds;
            }
        });
    bough_test::budget changes(2000, 600);
    while (changes.next()) {
        const auto k = static_cast<std::size_t>(changes.done());
        const global_control limit(global_control::max_allowed_parallelism, limits[k % limits.size()]);
        std::optional<global_control> lower;
        if (k % 3 == 0)
            lower.emplace(global_control::max_allowed_parallelism, 1 + k % 4);
        const int seen = rounds;
        while (k % 16 == 0 && rounds == seen)  // loops that begin and end under it
            std::this_thread::yield();
    }
    stop = true;
    for (auto& t : others)
        t.join();
    std::cout << changes.done() << " changes, " << rounds << " rounds" << std::endl;
    if (wrong != 0)
        return fail_child("wrong answers");
    if (workers_started() > 7)
        return fail_child("too many workers");
    // They hold for what begins after them.
    for (const int threads : {1, 8, 2, 5}) {
        const global_control limit(global_control::max_allowed_parallelism,
                                   static_cast<std::size_t>(threads));
        // An application thread's own arena has no more slots than threads were allowed when it was made.
        if (!bough::task_arena(8).execute([&] { return is_pool_of(threads); }))
            return fail_child("the last limit does not hold");
    }
    return 0;
}

// ---- CPUs ----

cpu_set_t own_mask() {
    cpu_set_t mask;
    CPU_ZERO(&mask);
    sched_getaffinity(0, sizeof mask, &mask);
    return mask;
}

int child_one_cpu() {
    cpu_set_t mask = own_mask(), one;
    int first = 0;
    while (!CPU_ISSET(first, &mask))
        ++first;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return fail_child("cannot set the mask");
    if (!says(1) || bough_test::wrong_answers() != 0 || workers_started() != 0)
        return fail_child("one CPU, and more than one thread");
    std::atomic<int> outside{0};
    const global_control more(global_control::max_allowed_parallelism, 3);
    bough::task_arena(3).execute([&] {
        bough::parallel_for(0, 1000, [&](int) {
            const cpu_set_t here = own_mask();
            outside += CPU_EQUAL(&here, &one) ? 0 : 1;
        });
    });
    return outside == 0 ? 0 : fail_child("a worker left the mask");
}

// The program binds its main thread, as an observer may do, before it wants the first worker. The worker may run where
// the process could.
int child_bound_caller() {
    const cpu_set_t whole = own_mask();
    if (CPU_COUNT(&whole) < 2) {
        std::cout << "needs two CPUs" << std::endl;
        return 77;
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int i = 0; CPU_COUNT(&one) == 0; ++i)
        if (CPU_ISSET(i, &whole))
            CPU_SET(i, &one);
    bough::task_arena arena(2, 0);
    arena.initialize();  // the first use
    if (sched_setaffinity(0, sizeof one, &one) != 0)
        return fail_child("cannot set the mask");
    std::atomic<int> same{-1};
    arena.enqueue([&] {
        const cpu_set_t here = own_mask();
        same = CPU_EQUAL(&here, &whole);
    });
    bough_test::wait_for_at_least(same, 0);
    return same == 1 ? 0 : fail_child("the worker is bound as the thread that started it");
}

// A made-up quota in the place where the system's is: in a mount namespace of this process alone.
bool mount_quota(const char* membership, const char* file, const char* text) {
    const std::string own = bough_test::own_path() + ".cgroup." + std::to_string(getpid());
    std::ofstream(own) << membership << '\n';
    const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount(own.c_str(), "/proc/self/cgroup", nullptr, MS_BIND, nullptr) == 0 &&
                         mount("tmpfs", "/sys/fs/cgroup", "tmpfs", 0, nullptr) == 0;
    std::filesystem::remove(own);
    if (!mounted)
        return false;
    const std::filesystem::path path = std::string("/sys/fs/cgroup/") + file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text << '\n';
    if (path.filename() == "cpu.cfs_quota_us")
        std::ofstream(path.parent_path() / "cpu.cfs_period_us") << "100000\n";
    return true;
}

int child_quota() {
    const bool version_1 = child_argument() == "v1";
    const bool mounted = version_1 ? mount_quota("4:cpu,cpuacct:/job", "cpu/job/cpu.cfs_quota_us", "50000")
                                   : mount_quota("0::/job", "job/cpu.max", "50000 100000");
    if (!mounted) {
        std::cout << "no mount namespace: " << std::strerror(errno) << std::endl;
        return 77;
    }
    if (!says(1) || bough::this_task_arena::max_concurrency() != 1 || bough_test::wrong_answers() != 0)
        return fail_child("half a CPU, and more than one thread");
    return workers_started() == 0 ? 0 : fail_child("half a CPU, and a worker");
}

template <class Done>
void await(Done&& done) {
    while (!done())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// A worker sits over a suspended task in an arena that has no other thread any more, beyond the limit, which another
// worker's function uses up. What resumes its task lies in the same arena: only that worker can take it, and it cannot
// leave.
int child_abandoned() {
    constexpr auto allowed = global_control::max_allowed_parallelism;
    std::atomic<bool> blocked{false}, begun{false}, is_lower{false}, resumed{false}, ended{false},
        unblocked{false};
    bough::suspend_point suspended{};
    bough::task_arena elsewhere(3, 1);
    bough::task_group group;
    elsewhere.enqueue([&] {
        blocked = true;
        await([&] { return resumed.load(); });
        unblocked = true;
    });
    await([&] { return blocked.load(); });
    std::optional<global_control> two(std::in_place, allowed, 2);
    {
        bough::task_arena abandoned(2, 1);
        abandoned.execute([&] {
            group.run([&] {
                begun = true;
                await([&] { return is_lower.load(); });
                bough::suspend([&](bough::suspend_point p) { suspended = p; });
                ended = true;
            });
            group.run([&] {
                resumed = true;
                bough::resume(suspended);
            });
        });
    }
    two.reset();  // a worker comes
    await([&] { return begun.load(); });
    two.emplace(allowed, 2);
    is_lower = true;
    await([&] { return ended && unblocked; });
    group.wait();
    return 0;
}

int child_many_cpus() {
    const int threads = 256;
    if (!says(threads) || !is_pool_of(threads) || workers_started() != threads - 1)
        return fail_child("not 256");
    if (!bough::task_arena(threads).execute([&] { return is_pool_of(threads); }))
        return fail_child("not 256 in an arena");
    return bough_test::run_uses() == 0 && workers_started() == threads - 1 ? 0 : 1;
}

// ---- the table ----

TEST(limits, hold_under_a_mixture) {
    bough_test::expect_children_succeed({"mixture:1", "mixture:4"}, bough_test::usual_threads());
}

TEST(limits, environment_then_global_control_then_arena) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("all threads are in bodies at a time, and are counted");
    bough_test::expect_children_succeed({"order"}, {{{"BOUGH_NUM_THREADS", "4"}}});
}

TEST(limits, who_stands_in_is_no_second_thread) {
    BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(
        "the thread waits outside of bough until a worker runs what it has spawned");
    bough_test::expect_children_succeed({"stand_in"}, {{{"BOUGH_NUM_THREADS", "1"}}});
}

TEST(limits, keep_nobody_from_what_is_left_in_an_abandoned_arena) {
    bough_test::expect_children_succeed({"abandoned"}, {{{"BOUGH_NUM_THREADS", "3"}}});
}

TEST(limits, change_while_loops_run) {
    bough_test::expect_children_succeed({"changes"}, bough_test::usual_threads());
}

TEST(limits, one_cpu) {
    bough_test::expect_children_succeed({"one_cpu"}, {{}});
}

TEST(limits, quotas) {
    for (const char* child : {"quota:v1", "quota:v2"}) {
        const auto o = bough_test::run_child(child);
        if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == 77)
            GTEST_SKIP() << o.out;
        EXPECT_TRUE(o.succeeded()) << child << ": " << o.what();
    }
}

TEST(limits, a_worker_is_not_bound_as_who_starts_it) {
    const auto o = bough_test::run_child("bound_caller", {{"BOUGH_NUM_THREADS", "2"}});
    if (WIFEXITED(o.status) && WEXITSTATUS(o.status) == 77)
        GTEST_SKIP() << o.out;
    EXPECT_TRUE(o.succeeded()) << o.what();
}

TEST(limits, two_hundred_and_fifty_six_cpus) {
    BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK("all threads are in bodies at a time, and are counted");
    if (bough_test::sanitized)
        GTEST_SKIP() << "256 threads of a sanitizer want more memory than there may be";
    bough_test::expect_children_succeed(
        {"many_cpus"},
        {{{"BOUGH_NUM_THREADS", "256"}}, {{"BOUGH_FAKE_CPUS", "256"}, {"BOUGH_NUM_THREADS", "256"}}});
    bough_test::expect_children_succeed({"mixture:4"}, {{{"HWLOC_SYNTHETIC", "numa:2 l3:4 core:8 pu:4"}}});
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_watched_children_or_tests(argc, argv,
                                                     {{"mixture", child_mixture},
                                                      {"order", child_order},
                                                      {"stand_in", child_stand_in},
                                                      {"abandoned", child_abandoned},
                                                      {"changes", child_changes},
                                                      {"one_cpu", child_one_cpu},
                                                      {"bound_caller", child_bound_caller},
                                                      {"quota", child_quota},
                                                      {"many_cpus", child_many_cpus}});
}
