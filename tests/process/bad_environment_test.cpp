// Environment values that make no sense: one line on stderr that names the variable and what is allowed; the default is
// used and every answer stays right.

#include "process_support.h"

namespace {

int child_answers() {
    const int wrong = bough_test::wrong_answers();
    std::cout << bough::this_task_arena::max_concurrency() << " " << wrong << std::endl;
    return wrong == 0 && bough_test::pool_is_usable() ? 0 : 1;
}

struct report {
    bough_test::outcome outcome;
    std::string line;
    int concurrency = 0;
};

// Runs the child and expects right answers and one line that mentions all of `words`.
report expect_one_line(const std::string& variable, const std::string& value,
                       const std::vector<std::string>& words) {
    SCOPED_TRACE(variable + "=" + value);
    report r;
    r.outcome = bough_test::run_child("answers", {{variable, value}});
    EXPECT_TRUE(r.outcome.succeeded()) << r.outcome.what();
    const auto lines = r.outcome.error_lines();
    EXPECT_EQ(lines.size(), 1u) << r.outcome.what();
    r.line = lines.empty() ? "" : lines.front();
    for (const auto& word : words)
        EXPECT_NE(r.line.find(word), std::string::npos) << "no '" << word << "' in: " << r.line;
    EXPECT_LE(r.line.size(), 400u) << "a line, not a page";
    std::istringstream(r.outcome.out) >> r.concurrency;
    return r;
}

int default_concurrency() {
    int threads = 0;
    std::istringstream(bough_test::run_child("answers").out) >> threads;
    return threads;
}

TEST(bad_environment, nothing_is_said_about_good_values) {
    for (const bough_test::settings& good : {bough_test::settings{},
                                             {{"BOUGH_NUM_THREADS", "3"}},
                                             {{"BOUGH_DISTRIBUTE", "tree"}},
                                             {{"BOUGH_GATE", "off"}},
                                             {{"BOUGH_GATE", "5us"}},
                                             {{"BOUGH_GATE", "timespan"}},
                                             {{"BOUGH_GATE", "count:2"}},
                                             {{"BOUGH_MAIL", "off"}},
                                             {{"BOUGH_THIEVES", "all"}},
                                             {{"BOUGH_SPIN_US", "0"}},
                                             {{"BOUGH_SPIN_US", "100"}},
                                             {{"BOUGH_DISTRIBUTE", "steal"}}}) {
        const auto outcome = bough_test::run_child("answers", good);
        EXPECT_TRUE(outcome.succeeded()) << outcome.what();
        EXPECT_EQ(outcome.err, "") << (good.empty() ? "without settings" : good.begin()->first);
    }
}

TEST(bad_environment, thread_counts) {
    const int usual = default_concurrency();
    ASSERT_GE(usual, 1);
    for (const char* value : {"0", "abc", "-1", "2x", "1.5", "99999999999999999999"}) {
        const auto r = expect_one_line("BOUGH_NUM_THREADS", value, {"BOUGH_NUM_THREADS", value});
        EXPECT_EQ(r.concurrency, usual) << value << ": the default is used";
        std::string rest = r.line;
        if (const auto at = rest.find(value); at != std::string::npos)
            rest.erase(at, std::strlen(value));
        EXPECT_NE(rest.find_first_of("0123456789"), std::string::npos) << "no bounds in: " << r.line;
    }
}

TEST(bad_environment, a_million_threads) {
    const auto r = expect_one_line("BOUGH_NUM_THREADS", "1000000", {"BOUGH_NUM_THREADS", "1000000"});
    EXPECT_GE(r.concurrency, 1);
    EXPECT_LE(r.concurrency, 4096);
}

TEST(bad_environment, distributions) {
    for (const char* value : {"xyz", "TREE!", "tree,steal"})
        expect_one_line("BOUGH_DISTRIBUTE", value, {"BOUGH_DISTRIBUTE", value, "tree", "steal"});
}

TEST(bad_environment, gates) {
    for (const char* value : {"xyz", "-5us", "5 parsecs", "us", "5", "1s", "0.5ns"}) {
        SCOPED_TRACE(value);
        expect_one_line("BOUGH_GATE", value, {"BOUGH_GATE", value, "timespan", "off", "in ns, us or ms"});
    }
}

TEST(bad_environment, spin_times) {
    for (const char* value : {"abc", "-1", "12monkeys"})
        expect_one_line("BOUGH_SPIN_US", value, {"BOUGH_SPIN_US", value});
}

TEST(bad_environment, profiles_that_are_not_there) {
    const std::string path = "/nonexistent/profile.json";
    expect_one_line("BOUGH_PROFILE", path, {path});
}

TEST(bad_environment, damaged_profiles) {
    const std::string path =
        ::testing::TempDir() + "bough_damaged_profile_" + std::to_string(getpid()) + ".json";
    const std::string damaged[] = {"",
                                   "{",
                                   "[]",
                                   "null",
                                   "{}",
                                   "42",
                                   "not a profile at all\nwith two lines\n",
                                   "{\"timespan\": \"soon\"}",
                                   std::string(5000, '{'),
                                   std::string("\0\xff\xfe{}", 6)};
    for (const std::string& text : damaged) {
        SCOPED_TRACE("profile: " + text.substr(0, 40));
        std::ofstream(path, std::ios::binary) << text;
        expect_one_line("BOUGH_PROFILE", path, {path});
    }
    std::remove(path.c_str());
    expect_one_line("BOUGH_PROFILE", ::testing::TempDir(), {::testing::TempDir()});  // a folder
}

TEST(bad_environment, two_bad_values_are_two_lines) {
    const auto outcome =
        bough_test::run_child("answers", {{"BOUGH_NUM_THREADS", "zero"}, {"BOUGH_DISTRIBUTE", "nowhere"}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    EXPECT_EQ(outcome.error_lines().size(), 2u) << outcome.err;
}

TEST(bad_environment, a_name_that_is_no_setting_is_said_once) {
    const auto r = expect_one_line(
        "BOUGH_NUM_THREAD", "1", {"bough: BOUGH_NUM_THREAD is no setting; the nearest is BOUGH_NUM_THREADS"});
    EXPECT_EQ(r.concurrency, default_concurrency());
    for (const bough_test::settings& silent : {bough_test::settings{{"BOUGH_NUM_THREAD", ""}},
                                               {{"BOUGH_TEST_OF_ANY_KIND", "1"}},
                                               {{"BOUGH_JOBS", "2"}}})
        EXPECT_EQ(bough_test::run_child("answers", silent).err, "");
}

TEST(bad_environment, values_are_not_printed_raw) {
    const auto outcome = bough_test::run_child("answers", {{"BOUGH_DISTRIBUTE", "a\nb\x1b[31mc"}});
    EXPECT_TRUE(outcome.succeeded()) << outcome.what();
    EXPECT_EQ(outcome.error_lines().size(), 1u) << "a line break in the value became one in the message";
    EXPECT_EQ(outcome.err.find('\x1b'), std::string::npos) << "a terminal escape came through";
}

}  // namespace

int main(int argc, char** argv) {
    return bough_test::run_children_or_tests(argc, argv, {{"answers", child_answers}});
}
