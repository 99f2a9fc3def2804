// Settings that make sense do what they say: thread counts, variants, one CPU.

#include "process_support.h"

#include <sched.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <filesystem>

namespace {

int child_concurrency() {
    std::cout << bough::this_task_arena::max_concurrency() << " "
              << bough::global_control::active_value(bough::global_control::max_allowed_parallelism) << " "
              << (bough_test::pool_is_usable() ? "usable" : "broken") << std::endl;
    return 0;
}

int child_answers() {
    for (int round = 0; round < 3; ++round) {
        if (const int wrong = bough_test::wrong_answers())
            return wrong;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return bough_test::pool_is_usable() ? 0 : 100;
}

// As under `taskset -c`: the mask is ours before the runtime looks at it.
void keep_one_cpu() {
    cpu_set_t mask;
    sched_getaffinity(0, sizeof mask, &mask);
    int first = 0;
    while (!CPU_ISSET(first, &mask))
        ++first;
    CPU_ZERO(&mask);
    CPU_SET(first, &mask);
    sched_setaffinity(0, sizeof mask, &mask);
}

int child_concurrency_on_one_cpu() {
    keep_one_cpu();
    return child_concurrency();
}

int child_answers_on_one_cpu() {
    keep_one_cpu();
    return child_answers();
}

std::string concurrency(const std::string& child, const bough_test::settings& s) {
    const auto outcome = bough_test::run_child(child, s);
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    return outcome.out;
}

TEST(settings, thread_counts) {
    for (const char* n : {"1", "2", "3", "8", "16", "64"}) {
        const std::string expected = std::string(n) + " " + n + " usable\n";
        EXPECT_EQ(concurrency("concurrency", {{"BOUGH_NUM_THREADS", n}}), expected);
        EXPECT_EQ(concurrency("concurrency", {{"TBB_NUM_THREADS", n}}), expected);
    }
    EXPECT_EQ(concurrency("concurrency", {{"BOUGH_NUM_THREADS", "3"}, {"TBB_NUM_THREADS", "5"}}),
              "3 3 usable\n")
        << "our own name goes first";
}

TEST(settings, one_cpu_means_one_thread) {
    EXPECT_EQ(concurrency("concurrency_on_one_cpu", {}), "1 1 usable\n");
    EXPECT_EQ(concurrency("concurrency_on_one_cpu", {{"BOUGH_NUM_THREADS", "5"}}), "5 5 usable\n");
}

TEST(settings, every_variant_gives_right_answers) {
    for (const char* threads : {"1", "2", "4", "9"}) {
        for (const bough_test::settings& variant :
             {bough_test::settings{},
              {{"BOUGH_DISTRIBUTE", "tree"}},
              {{"BOUGH_DISTRIBUTE", "steal"}},
              {{"BOUGH_GATE", "off"}},
              {{"BOUGH_GATE", "5us"}},
              {{"BOUGH_GATE", "timespan"}},
              {{"BOUGH_GATE", "50ms"}},
              {{"BOUGH_GATE", "count:2"}},
              {{"BOUGH_MAIL", "off"}},
              {{"BOUGH_MAIL", "letters"}},
              {{"BOUGH_THIEVES", "all"}, {"BOUGH_GATE", "off"}, {"BOUGH_DISTRIBUTE", "steal"}},
              {{"BOUGH_MAIL", "always"}, {"BOUGH_SPIN_US", "0"}},
              {{"BOUGH_DISTRIBUTE", "even"}},
              {{"BOUGH_DISTRIBUTE", "even-9-16"}},
              {{"BOUGH_DISTRIBUTE", "uneven"}},
              {{"BOUGH_DISTRIBUTE", "steal"}, {"BOUGH_GATE", "off"}},
              {{"BOUGH_DISTRIBUTE", "steal"}, {"BOUGH_GATE", "5us"}, {"BOUGH_SPIN_US", "0"}},
              {{"BOUGH_GRAIN", "5"}},
              {{"BOUGH_GRAIN", "1"}, {"BOUGH_PREDICT", "0"}},
              {{"BOUGH_WAIT", "descendants"}},
              {{"BOUGH_SPIN_US", "0"}},
              {{"BOUGH_SPIN_US", "forever"}}}) {
            auto all = variant;
            all["BOUGH_NUM_THREADS"] = threads;
            for (const char* child : {"answers", "answers_on_one_cpu"}) {
                if (all.count("BOUGH_SPIN_US") && all["BOUGH_SPIN_US"] == "forever" &&
                    std::string(threads) == "9")
                    continue;
                const auto outcome = bough_test::run_child(child, all);
                std::string names;
                for (const auto& [name, value] : all)
                    names += name + "=" + value + " ";
                EXPECT_TRUE(outcome.succeeded()) << names << child << ": " << outcome.what();
                EXPECT_EQ(outcome.err, "") << names;
            }
        }
    }
}

TEST(settings, print_shows_each_with_its_origin) {
    const auto outcome = bough_test::run_child("threads", {{"BOUGH_PRINT", "1"}, {"BOUGH_GATE", "off"}});
    ASSERT_TRUE(outcome.succeeded()) << outcome.what();
    const auto lines = outcome.error_lines();
    EXPECT_GE(lines.size(), 15U);
    for (const std::string& line : lines)
        EXPECT_EQ(line.find("bough: "), 0U) << line;
    EXPECT_NE(outcome.err.find("\nbough: gate        off           environment"), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("\nbough: queue       chase-lev     library"), std::string::npos)
        << outcome.err;
}

// ---- a program with more rights than whoever starts it ----

int child_threads() {
    std::cout << bough::global_control::active_value(bough::global_control::max_allowed_parallelism) << '\n';
    return 0;
}

int child_steered() {
    std::cout << (getauxval(AT_SECURE) != 0 ? "more rights\n" : "no more rights\n");
    child_threads();
    std::cout << bough::numa_nodes().size() << '\n';
    return 0;
}

// Starts the program at this path as a user who owns nothing.
int child_start_as_nobody() {
    constexpr uid_t nobody = 65534;
    const std::string program = std::getenv("TEST_PROGRAM");
    if (setgid(nobody) == 0 && setuid(nobody) == 0)
        execl(program.c_str(), program.c_str(), "child", "steered", nullptr);
    std::cout << "cannot be started as another user: " << std::strerror(errno) << std::endl;
    return 1;
}

// A copy of this program that belongs to root and has its rights.
class setuid_copy {
public:
    setuid_copy() {
        std::string pattern = "/tmp/bough-setuid-XXXXXX";
        folder_ = mkdtemp(pattern.data());
        path_ = folder_ / "program";
        std::filesystem::copy_file(bough_test::own_path(), path_);
        chmod(folder_.c_str(), 0755);
        chmod(path_.c_str(), 04755);
    }
    ~setuid_copy() { std::filesystem::remove_all(folder_); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path folder_, path_;
};

TEST(settings, a_setuid_program_hears_nothing_from_the_environment) {
    if (geteuid() != 0 || bough_test::is_emulated() || bough_test::sanitized)
        GTEST_SKIP() << "wants root, who can give such rights; no emulator nor sanitizer";
    const setuid_copy program;
    const bough_test::settings steering = {{"TEST_PROGRAM", program.path()},
                                           {"BOUGH_NUM_THREADS", "4000"},
                                           {"BOUGH_PROFILE", "/nonexistent/profile.json"},
                                           {"BOUGH_PRINT", "1"},
                                           {"BOUGH_FAKE_CPUS", "x"},
                                           {"BOUGH_NUM_THREAD", "2"},
                                           {"HWLOC_SYNTHETIC", "numa:2 core:1 pu:1"}};
    const auto outcome = bough_test::run_child("start_as_nobody", steering);
    ASSERT_TRUE(outcome.succeeded()) << outcome.what();
    if (outcome.out.find("no more rights") == 0)
        GTEST_SKIP() << "/tmp gives no rights";
    const std::string expected = "more rights\n" + bough_test::run_child("threads").out;
    EXPECT_EQ(outcome.out, expected + "1\n");
    EXPECT_EQ(outcome.err, "");
}

TEST(settings, every_pair_of_values_gives_right_answers) {
    if ((bough_test::is_emulated() || bough_test::thread_sanitized) && !bough_test::long_run())
        GTEST_SKIP() << "200 children take minutes under an emulator and the thread sanitizer: ./dev test "
                        "--long with their presets";
    const std::vector<std::pair<std::string, std::vector<std::string>>> options = {
        {"BOUGH_DISTRIBUTE", {"tree", "even", "even-9-16", "uneven", "steal"}},
        {"BOUGH_GATE", {"timespan", "off", "5us", "count:2"}},
        {"BOUGH_MAIL", {"off", "start", "letters", "always"}},
        {"BOUGH_THIEVES", {"watcher", "all"}},
        {"BOUGH_STEAL", {"adaptive", "one", "half"}},
        {"BOUGH_VICTIMS", {"last-nearest", "last", "nearest", "random"}},
        {"BOUGH_GRAIN", {"adaptive", "3"}},
        {"BOUGH_PREDICT", {"0", "1"}},
        {"BOUGH_WAIT", {"any", "descendants"}},
        {"BOUGH_SPIN_US", {"0", "100"}},
        {"BOUGH_STATS", {"0", "1"}},
        {"BOUGH_PIN", {"0", "1"}}};
    for (std::size_t i = 0; i < options.size(); ++i) {
        for (std::size_t j = i + 1; j < options.size(); ++j) {
            for (const std::string& one : options[i].second) {
                for (const std::string& other : options[j].second) {
                    const auto outcome = bough_test::run_child(
                        "answers",
                        {{options[i].first, one}, {options[j].first, other}, {"BOUGH_NUM_THREADS", "3"}});
                    EXPECT_TRUE(outcome.succeeded())
                        << options[i].first << '=' << one << ' ' << options[j].first << '=' << other << ": "
                        << outcome.what();
                }
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv,
                                             {{"concurrency", child_concurrency},
                                              {"answers", child_answers},
                                              {"threads", child_threads},
                                              {"steered", child_steered},
                                              {"start_as_nobody", child_start_as_nobody},
                                              {"concurrency_on_one_cpu", child_concurrency_on_one_cpu},
                                              {"answers_on_one_cpu", child_answers_on_one_cpu}});
}
