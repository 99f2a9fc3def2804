// The first call of bough in a process while memory fails: settings, the profile and the pool are made then. Each
// refusal has a child of its own. It may throw std::bad_alloc, and then the next call makes what is missing.

#include <sys/wait.h>
#include <unistd.h>

#include <bough/statistics.h>

#include "faults/memory_support.h"

namespace {

using failing_memory::how_many;
using failing_memory::whose;

struct first_call {
    const char* name;
    void (*run)();
};
void PrintTo(const first_call& c, std::ostream* out) {
    *out << c.name;
}

void visit(std::size_t) {}

const first_call first_calls[] = {
    {"parallel_for", [] { bough::parallel_for(std::size_t{0}, std::size_t{1000}, visit); }},
    {"parallel_for, static",
     [] { bough::parallel_for(std::size_t{0}, std::size_t{1000}, visit, bough::static_partitioner()); }},
    {"parallel_for, affinity",
     [] {
         bough::affinity_partitioner partitioner;
         bough::parallel_for(std::size_t{0}, std::size_t{1000}, visit, partitioner);
     }},
    {"parallel_deterministic_reduce",
     [] {
         bough::parallel_deterministic_reduce(
             bough::blocked_range<int>(0, 1000), 0, [](const auto&, int s) { return s; }, std::plus<>(),
             bough::static_partitioner());
     }},
    {"parallel_scan",
     [] {
         bough::parallel_scan(
             bough::blocked_range<int>(0, 1000), 0, [](const auto&, int s, bool) { return s; },
             std::plus<>());
     }},
    {"parallel_invoke", [] { bough::parallel_invoke([] {}, [] {}); }},
    {"task_group",
     [] {
         bough::task_group group;
         group.run([] {});
         group.wait();
     }},
    {"task_group of many tasks",
     [] {
         bough::task_group group;
         for (int i = 0; i < 3000; ++i)
             group.run([] {});
         group.wait();
     }},
    {"task_arena", [] { bough::task_arena(3).execute([] { bough::parallel_for(0, 10, [](int) {}); }); }},
    {"task_arena::max_concurrency", [] { bough::task_arena().max_concurrency(); }},
    {"this_task_arena::max_concurrency", [] { bough::this_task_arena::max_concurrency(); }},
    {"isolate", [] { bough::this_task_arena::isolate([] {}); }},
    {"global_control",
     [] { const bough::global_control two(bough::global_control::max_allowed_parallelism, 2); }},
    {"global_control::active_value",
     [] { bough::global_control::active_value(bough::global_control::max_allowed_parallelism); }},
    {"parallel_pipeline",
     [] {
         bough::parallel_pipeline(2,
                                  bough::make_filter<void, void>(bough::filter_mode::serial_in_order,
                                                                 [](bough::flow_control& c) { c.stop(); }));
     }},
    {"observer",
     [] {
         bough::observer here;
         here.observe(true);
     }},
    {"suspend", [] { bough::suspend([](bough::suspend_point p) { bough::resume(p); }); }},
    {"default_concurrency", [] { bough::default_concurrency(); }},
    {"statistics", [] { bough::statistics_now(); }},
    {"default_morsel_bytes", [] { bough::default_morsel_bytes(); }},
    {"numa_nodes", [] { bough::numa_nodes(); }},
};

enum : int { went_well, was_refused, other_exception, threw_without_reason, limit_was_left, does_not_work };

// Into one loop. Threads that could not be started are tried again after a while.
bool all_threads_come() {
    bough_test::census seen;
    const int all = bough_test::allowed_threads();
    bough::parallel_for(
        0, 2 * all,
        [&](int) {
            const bough_test::census::inside here(seen);
            for (int yields = 0; yields < 300 && seen.distinct_threads() < all; ++yields)
                std::this_thread::yield();
        },
        bough::simple_partitioner());
    return seen.distinct_threads() == all;
}

// In a child.
int call(const first_call& first, whose w, how_many h, long n) {
    // What hwloc does without memory (it asserts that it has some) is not asked here.
    setenv("BOUGH_FAKE_CPUS", "3", 1);
    setenv("BOUGH_NUM_THREADS", "3", 1);
    alarm(60);  // a child that hangs ends by SIGALRM, and is named
    bool threw = false;
    failing_memory::arm(w, h, n);
    try {
        first.run();
    } catch (const std::bad_alloc&) {
        threw = true;
    } catch (...) {
        return other_exception;
    }
    const long refused = failing_memory::disarm();
    if (threw && refused == 0)
        return threw_without_reason;
    first.run();
    if (bough::global_control::active_value(bough::global_control::max_allowed_parallelism) != 3)
        return limit_was_left;
    if (!bough_test::works() || !bough_test::comes_true([] { return all_threads_come(); }))
        return does_not_work;
    return refused == 0 ? went_well : was_refused;
}

long children = 0;

// The status of the child as waitpid tells.
int in_a_child(const first_call& first, whose w, how_many h, long n) {
    ++children;
    const pid_t child = fork();
    if (child == 0)
        _exit(call(first, w, h, n));
    int status = -1;
    waitpid(child, &status, 0);
    return status;
}

void refuse_each(const first_call& first, whose w, how_many h) {
    constexpr long most = 100000;
    // Where all that follow fail too, the next one differs little.
    const long step = h == how_many::one || bough_test::long_run() ? 1 : 5;
    for (long n = 1; n <= most; n += step) {
        const int status = in_a_child(first, w, h, n);
        ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) <= was_refused)
            << first.name << ", allocation " << n << (h == how_many::one ? "" : " and all that follow")
            << (w == whose::callers ? "" : ", of all threads") << ": "
            << (WIFEXITED(status) ? "exit status " : "signal ")
            << (WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
        if (WEXITSTATUS(status) == went_well)
            return;
    }
    FAIL() << first.name << " allocates without end";
}

class memory_fails_at_first : public ::testing::TestWithParam<first_call> {};

TEST_P(memory_fails_at_first, use) {
    for (const how_many h : {how_many::one, how_many::all_from_there})
        refuse_each(GetParam(), whose::everybodys, h);
    std::cout << "children so far: " << children << std::endl;
}

INSTANTIATE_TEST_SUITE_P(calls, memory_fails_at_first, ::testing::ValuesIn(first_calls),
                         [](const auto& call) {
                             std::string name = call.param.name;
                             std::replace_if(
                                 name.begin(), name.end(),
                                 [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
                             return name;
                         });

}  // namespace
