// An idle process uses no CPU: after a loop with all workers there come 5 s without a tick and without a wake-up.

#include "process_support.h"

#include <dirent.h>

namespace {

struct usage {
    unsigned long ticks = 0;
    // Voluntary: a thread that polls with sleeps shows here long before it costs a tick.
    unsigned long switches = 0;
    int threads = 0;

    bool operator==(const usage&) const = default;
};

// Not of the thread that measures: reading all this costs it switches, and the tick that the kernel samples.
usage usage_of_other_threads() {
    usage sum;
    DIR* tasks = opendir("/proc/self/task");
    while (const dirent* entry = readdir(tasks)) {
        if (entry->d_name[0] == '.' || entry->d_name == std::to_string(gettid()))
            continue;
        const std::string folder = std::string("/proc/self/task/") + entry->d_name;
        std::ifstream stat(folder + "/stat");
        std::string line;
        if (!std::getline(stat, line))
            continue;  // it has ended
        std::istringstream fields(line.substr(line.rfind(')') + 2));
        std::string skipped;
        unsigned long user = 0, system = 0;
        for (int k = 0; k < 11; ++k)
            fields >> skipped;
        fields >> user >> system;
        sum.ticks += user + system;
        std::ifstream status(folder + "/status");
        while (std::getline(status, line))
            if (line.rfind("voluntary_ctxt_switches:", 0) == 0)
                sum.switches += std::stoul(line.substr(line.find(':') + 1));
        ++sum.threads;
    }
    closedir(tasks);
    return sum;
}

// Of 5 s, one after the other, until one is quiet: on a crowded machine a thread that is to go to sleep has to get the
// CPU first. Whoever wakes up again and again, if only every 5 s, is in each.
void expect_idle() {
    constexpr int most_windows = 12;
    for (int window = 0; window < most_windows; ++window) {
        const usage before = usage_of_other_threads();
        std::this_thread::sleep_for(std::chrono::seconds(5));
        const usage after = usage_of_other_threads();
        std::cout << after.threads << " other threads, " << after.ticks - before.ticks << " ticks, "
                  << after.switches - before.switches << " switches in 5 s\n";
        if (after == before)
            return;
    }
    ADD_FAILURE() << "somebody wakes up again and again";
}

int child_after_loop() {
    if (!bough_test::pool_is_usable())
        return 1;
    expect_idle();
    return ::testing::Test::HasFailure() ? 1 : 0;
}

// Arenas, groups and short loops leave other things behind than one big loop.
int child_after_mixture() {
    bough_test::wrong_answers();
    for (int k = 0; k < 20; ++k) {
        bough::task_arena arena(2);
        arena.execute([] { bough::parallel_for(0, 100, [](int) {}); });
    }
    std::thread([] { bough::parallel_for(0, 100, [](int) { bough_test::work_a_little(); }); }).join();
    for (int k = 0; k < 1000; ++k)
        bough::parallel_for(0, 4, [](int) {});
    expect_idle();
    return ::testing::Test::HasFailure() ? 1 : 0;
}

int child_never_used() {
    expect_idle();
    return ::testing::Test::HasFailure() ? 1 : 0;
}

// All scenarios sleep, so they run side by side.
TEST(idle_cpu, no_ticks_in_5_seconds) {
    if (bough_test::sanitized)
        GTEST_SKIP() << "sanitizers keep threads of their own";
    const std::vector<std::pair<std::string, bough_test::settings>> scenarios = {
        {"after_loop", {}},
        {"after_loop", {{"BOUGH_NUM_THREADS", "8"}}},
        {"after_loop", {{"BOUGH_NUM_THREADS", "16"}, {"BOUGH_DISTRIBUTE", "steal"}}},
        {"after_loop", {{"BOUGH_SPIN_US", "0"}}},
        {"after_mixture", {{"BOUGH_NUM_THREADS", "4"}}},
        {"never_used", {}},
    };
    std::vector<bough_test::outcome> outcomes(scenarios.size());
    std::vector<std::thread> runners;
    for (std::size_t k = 0; k < scenarios.size(); ++k)
        runners.emplace_back(
            [&, k] { outcomes[k] = bough_test::run_child(scenarios[k].first, scenarios[k].second); });
    for (auto& r : runners)
        r.join();
    for (std::size_t k = 0; k < scenarios.size(); ++k)
        EXPECT_TRUE(outcomes[k].succeeded())
            << "scenario " << k << " (" << scenarios[k].first << "): " << outcomes[k].what();
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv,
                                             {{"after_loop", child_after_loop},
                                              {"after_mixture", child_after_mixture},
                                              {"never_used", child_never_used}});
}
