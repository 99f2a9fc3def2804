// What rounds agree on, when a run is trusted, and what becomes of it: over made-up samples.

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "agreement.h"
#include "judge.h"
#include "made_up_results.h"
#include "results.h"
#include "settle.h"

namespace {

namespace fs = std::filesystem;
using namespace bough::calibrate;
using bough::trust;

// ---- what rounds agree on

TEST(agree, one_disturbed_round_changes_nothing) {
    EXPECT_EQ(agree({1000, 1010, 1020, 1050, 1e6}).value, 1010);
    EXPECT_NEAR(agree({1000, 1010, 1020, 1050, 1e6}).spread, 0.03, 0.001);
    EXPECT_EQ(agree({}).value, 0);
    EXPECT_EQ(agree({7}).value, 7);
    EXPECT_EQ(agree({7}).spread, 0);
}

TEST(agree, the_lowest_rounds_that_agree_decide) {
    EXPECT_EQ(agree({4000, 290, 3784, 300, 860}).value, 290);  // most are noisy, two are not
    EXPECT_GT(agree({4000, 290, 3784, 300, 860}).spread, agreement);
    EXPECT_EQ(agree({10, 500, 505, 510, 900}).value, 505) << "10 alone is no agreement";
    EXPECT_EQ(agree({1000, 1300, 1310, 1320, 5000}).value, 1310) << "1300 is more than a fifth above 1000";
    EXPECT_EQ(agree({10, 100, 1000, 10'000, 100'000}).value, 1000) << "none agree: the median";
    EXPECT_GT(agree({10, 100, 1000, 10'000, 100'000}).spread, agreement);
}

TEST(agree, the_limit_is_a_fifth_and_a_step_of_the_clock) {
    EXPECT_LE(agree({1000, 1000, 1100, 1209, 1209}).spread, agreement);
    EXPECT_GT(agree({1000, 1000, 1100, 1211, 1211}).spread, agreement);
    EXPECT_EQ(agree({40, 40, 50, 50, 50}).spread, 0) << "one step";
    EXPECT_GT(agree({40, 40, 60, 60, 60}).spread, agreement);
    EXPECT_EQ(agree({0, 0, 0}).spread, 0);
}

// A second of noise in one round must not write a huge time span.
TEST(agree, a_noisy_round_does_not_make_the_timespan_long) {
    results quiet, noisy;
    quiet.cpus = noisy.cpus = 2;
    quiet.tree.teams = {team_of(2, 300, 900)};
    noisy.tree.teams = {team_of(2, 50'000, 4e6)};
    summary wake, late;
    wake.count = late.count = 100;
    wake.p50 = 9000;
    late.p50 = 4e6;
    quiet.wakeup = wakeup_result{wake, wake};
    noisy.wakeup = wakeup_result{late, late};
    const results all = merge({noisy, quiet, quiet, quiet, quiet});
    ASSERT_EQ(all.tree.teams.size(), 1U);
    EXPECT_EQ(all.tree.teams[0].time.count, 5000U);
    EXPECT_EQ(all.tree.teams[0].time.max, 4e6) << "the report does not hide it";
    const bough::profile p = choose(all).values;
    EXPECT_EQ(p.timespan_ns[0], 900);
    EXPECT_EQ(p.wakeup_ns, 9000);
    EXPECT_EQ(p.spin_us, 9);
    EXPECT_TRUE(doubts(all, {}).empty());
    EXPECT_FALSE(doubts(merge({quiet, noisy, noisy, quiet, quiet}), {}).empty());
}

TEST(agree, rounds_without_samples_do_not_count) {
    summary some, none;
    some.count = 10;
    some.min = some.p50 = some.p90 = some.p99 = some.p999 = some.max = 5;
    EXPECT_EQ(merge({none, some, some}).p50, 5);
    EXPECT_EQ(merge({none, some, some}).min, 5);
    EXPECT_EQ(merge({none, some, some}).spread, 0);
    EXPECT_EQ(merge(std::vector<summary>{none}).count, 0U);
}

TEST(agree, the_interval_of_the_median_leaves_out_as_much_as_chance_allows) {
    std::vector<double> samples;
    for (int i = 1; i <= 21; ++i)
        samples.push_back(i);
    EXPECT_EQ(median_interval(samples).median, 11);
    EXPECT_EQ(median_interval(samples).low, 6);  // fewer than 6 of 21 fair coins: 1.3 %, fewer than 7: 3.9 %
    EXPECT_EQ(median_interval(samples).high, 16);
    samples.resize(9);
    EXPECT_EQ(median_interval(samples).low, 2);
    EXPECT_EQ(median_interval(samples).high, 8);
    samples.resize(2);
    EXPECT_EQ(median_interval(samples).low, 1);
    EXPECT_EQ(median_interval(samples).high, 2);
    EXPECT_EQ(median_interval({}).median, 0);
}

// ---- whether the run is to be trusted

results quiet_results() {
    results r;
    r.cpus = 2;
    r.tree.teams = {team_of(2, 300, 900)};
    summary s;
    s.count = 100;
    s.p50 = 100;
    s.spread = agreement;  // the most that is tolerated
    r.handoff = {{1, 0, 1, s}};
    r.wakeup = wakeup_result{s, s};
    r.steal = s;
    return r;
}

std::string first_doubt(const results& r, const disturbance& d = {}) {
    const std::vector<std::string> lines = doubts(r, d);
    return lines.empty() ? "" : lines[0];
}

TEST(judge, a_quiet_run_is_trusted) {
    EXPECT_EQ(first_doubt(quiet_results()), "");
    EXPECT_EQ(first_doubt(quiet_results(), {2, 0.1, 0.05, 1000}), "");
    EXPECT_EQ(first_doubt(results{}, {1, 0, 0, 40'000}), "") << "the measures themselves switch on one CPU";
    EXPECT_EQ(first_doubt(results{}, {1, std::nullopt, 0, 0}), "")
        << "one CPU, and a system that tells nothing";
}

TEST(judge, a_load_of_others_is_named) {
    EXPECT_NE(first_doubt(quiet_results(), {2, 1.5, 0, 0}).find("kept 1.50 of 2 CPU(s) busy (up to 0.10"),
              std::string::npos);
    EXPECT_NE(first_doubt(quiet_results(), {2, 0.11, 0, 0}), "");
    EXPECT_NE(first_doubt(quiet_results(), {2, 0.3, 0.25, 0}).find("0.25 of them the hypervisor"),
              std::string::npos);
    EXPECT_NE(first_doubt(quiet_results(), {2, 0, 0, 1001}).find("lost their CPU 1001 times in a second"),
              std::string::npos);
}

TEST(judge, what_is_tolerated_grows_with_the_cpus_but_one_busy_program_is_always_noticed) {
    EXPECT_EQ(first_doubt(quiet_results(), {8, 0.4, 0, 0}), "");
    EXPECT_NE(first_doubt(quiet_results(), {8, 0.41, 0, 0}), "");
    for (const unsigned cpus : {1U, 2U, 16U, 4096U})
        EXPECT_NE(first_doubt(quiet_results(), {cpus, 1.0, 0, 0}), "") << cpus;
}

TEST(judge, each_value_whose_rounds_disagree_is_named) {
    const auto doubt_of = [](auto&& disturb) {
        results r = quiet_results();
        disturb(r);
        return first_doubt(r);
    };
    const auto names = [](const std::string& line, const char* what) {
        return line.find(what) != std::string::npos && line.find("30 %") != std::string::npos;
    };
    EXPECT_TRUE(names(doubt_of([](results& r) { r.handoff[0].round_trip.spread = 0.3; }), "hand-off"));
    EXPECT_TRUE(names(doubt_of([](results& r) { r.wakeup->until_awake.spread = 0.3; }), "wake-up"));
    EXPECT_TRUE(names(doubt_of([](results& r) { r.steal->spread = 0.3; }), "steal"));
    EXPECT_TRUE(names(doubt_of([](results& r) { r.tree.teams[0].time.spread = 0.3; }), "of 2 threads"));
}

TEST(judge, what_was_not_measured_is_not_trusted) {
    results r = quiet_results();
    r.tree.teams[0].time.count = least_calls - 1;
    EXPECT_NE(first_doubt(r).find("only 99 loops of 2 threads"), std::string::npos);
    r = quiet_results();
    r.stealing.problem = "was ended by signal 9";
    EXPECT_NE(first_doubt(r).find("was ended by signal 9"), std::string::npos);
}

TEST(judge, what_fewer_cpus_measure_does_not_replace_what_more_did) {
    bough::profile all = bough::default_profile(4), some = all;
    all.spread.timespan = {0.1, 0.1, 0.1};
    some.spread.timespan = {0.1, std::nullopt, std::nullopt};
    ASSERT_EQ(losses(all, some).size(), 1U);
    EXPECT_EQ(losses(all, some)[0], "the profile that is there measured 3 team sizes, this run 1");
    EXPECT_TRUE(losses(some, all).empty());
    EXPECT_TRUE(losses(all, all).empty());
    EXPECT_TRUE(losses(bough::default_profile(4), some).empty()) << "an older one does not say";
}

TEST(judge, a_profile_that_surely_harms_is_not_trusted) {
    EXPECT_TRUE(harms({{"short loops", 100, 130, {1.3, 1.19, 1.4}}}).empty()) << "it may be chance";
    const auto lines = harms({{"a", 100, 90, {0.9, 0.8, 1}}, {"short loops", 100, 130, {1.3, 1.21, 1.4}}});
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_NE(lines[0].find("short loops take 1.30 times as long"), std::string::npos);
}

// ---- cases

TEST(cases, ratios_are_of_pairs_side_by_side) {
    // The machine becomes slower from pair to pair; each pair says that the new profile saves a tenth in the first
    // case.
    std::vector<case_pair> pairs;
    for (int i = 1; i <= 9; ++i)
        pairs.push_back({{100.0 * i, 10.0 * i, 10}, {90.0 * i, 10.0 * i, 20}});
    const std::vector<compared_case> cases = compare_cases(pairs);
    ASSERT_EQ(cases.size(), 3U);
    EXPECT_EQ(cases[0].ratio.low, 0.9);
    EXPECT_EQ(cases[0].ratio.high, 0.9);
    EXPECT_EQ(cases[0].default_ns, 500);
    EXPECT_EQ(cases[0].new_ns, 450);
    EXPECT_EQ(cases[1].ratio.median, 1);
    EXPECT_EQ(harms(cases).size(), 1U) << "the third takes twice as long";
    EXPECT_TRUE(compare_cases({}).empty());
    EXPECT_NE(cases_text(cases).find("0.90 (0.90 to 0.90): faster"), std::string::npos);
    EXPECT_NE(cases_text(cases).find("1.00 (1.00 to 1.00): the same within 5 %"), std::string::npos);
    EXPECT_NE(cases_text({{"a", 100, 90, {0.9, 0.8, 1.1}}}).find("0.90 (0.80 to 1.10): no clear difference"),
              std::string::npos);
    EXPECT_NE(cases_text(cases).find("2.00 (2.00 to 2.00): slower, beyond the 20 % that are tolerated\n"),
              std::string::npos);
    EXPECT_NE(cases_text({{"a", 100, 113, {1.13, 1.09, 1.18}}})
                  .find("1.13 (1.09 to 1.18): slower, within the 20 % that are tolerated\n"),
              std::string::npos);
}

TEST(cases, a_slower_profile_that_was_written_says_how_to_go_back) {
    outcome found{
        {},
        {{"short loops", 100, 100, {1, 1, 1}}, {"loops after a pause", 100, 113, {1.13, 1.09, 1.18}}},
        {},
        true};
    EXPECT_EQ(advice_text(found, "p.json"),
              "If what is slower matters to you, delete p.json: then the built-in values hold again.\n");
    found.written = false;
    EXPECT_EQ(advice_text(found, "p.json"), "");
    found.written = true;
    found.cases.pop_back();
    EXPECT_EQ(advice_text(found, "p.json"), "");
}

// ---- what becomes of the run

class a_run : public testing::Test {
protected:
    void SetUp() override {
        std::string folder = (fs::temp_directory_path() / "bough_settle_XXXXXX").string();
        ASSERT_NE(mkdtemp(folder.data()), nullptr);
        folder_ = folder;
        path_ = folder + "/profile.json";
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& text) const { std::ofstream(path_) << text; }
    std::string written() const {
        std::ostringstream text;
        text << std::ifstream(path_).rdbuf();
        return text.str();
    }
    static outcome of(const std::vector<std::string>& doubts) {
        return {{bough::default_profile(2), "cpu", "date", "how"}, {}, doubts, false};
    }

    fs::path folder_;
    std::string path_;
};

TEST_F(a_run, that_is_noisy_keeps_the_old_profile) {
    write("the old one");
    outcome found = of({"it was loud", "it was louder"});
    EXPECT_EQ(settle(found, path_, false),
              path_ + " stays as it was: this run is not to be trusted: it was loud, and 1 more (--verbose). "
                      "--force takes it all the same.");
    EXPECT_EQ(written(), "the old one");
    EXPECT_EQ(exit_status({}, found), 3);
}

TEST_F(a_run, that_is_noisy_writes_none) {
    outcome found = of({"it was loud"});
    EXPECT_NE(settle(found, path_, false).find(" is not written: "), std::string::npos);
    EXPECT_FALSE(fs::exists(path_));
    EXPECT_EQ(exit_status({}, found), kept_status);
}

TEST_F(a_run, that_is_noisy_is_taken_by_force_and_says_so) {
    write("the old one");
    outcome found = of({"it was loud"});
    EXPECT_NE(
        settle(found, path_, true).find("by --force, though this run is not to be trusted: it was loud."),
        std::string::npos);
    EXPECT_EQ(bough::parse_profile(written()).values.trusted, trust::no);
    EXPECT_EQ(exit_status({}, found), 0);
}

TEST_F(a_run, that_is_quiet_is_written_and_trusted) {
    outcome found = of({});
    found.chosen.values.spread.steal = 0.07;
    EXPECT_EQ(settle(found, path_, false),
              "Written to " + path_ + ": trusted, the repeated parts agree within 7 %.");
    EXPECT_EQ(bough::parse_profile(written()).values.trusted, trust::yes);
    EXPECT_EQ(exit_status({}, found), 0);
    results broken;
    broken.stealing.problem = "was ended by signal 9";
    EXPECT_EQ(exit_status(broken, found), 1);
}

}  // namespace
