// The pure parts of bough-calibrate, its files and its child processes. The measures are run by ctest as a user
// would.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "child.h"
#include "made_up_results.h"
#include "measuring_child.h"
#include "options.h"
#include "output_file.h"
#include "results.h"

namespace {

namespace fs = std::filesystem;
using namespace bough::calibrate;

TEST(stats, percentiles_are_samples) {
    std::vector<double> samples;
    for (int i = 1000; i >= 1; --i)
        samples.push_back(i);
    const summary s = summarize(samples);
    EXPECT_EQ(s.count, 1000U);
    EXPECT_EQ(s.min, 1);
    EXPECT_EQ(s.p50, 500);
    EXPECT_EQ(s.p90, 900);
    EXPECT_EQ(s.p99, 990);
    EXPECT_EQ(s.p999, 999);
    EXPECT_EQ(s.max, 1000);
    std::vector<double> one{7}, none;
    EXPECT_EQ(summarize(one).p999, 7);
    EXPECT_EQ(summarize(none).count, 0U);
}

TEST(stats, histogram_keeps_every_sample_in_its_bin) {
    histogram h;
    for (const double ns : {0.0, 1.0, 100.0, 1e6, 1e30})
        h.add(ns);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < histogram::bins; ++i)
        total += h[i];
    EXPECT_EQ(total, 5U);
    EXPECT_EQ(h[0], 2U);
    EXPECT_EQ(h[histogram::bins - 1], 1U);
    const auto bin = static_cast<std::size_t>(4 * std::log2(100.0));
    EXPECT_EQ(h[bin], 1U);
    EXPECT_LE(histogram::lower_ns(bin), 100);
    EXPECT_GT(histogram::lower_ns(bin + 1), 100);
}

TEST(choose, timespan_is_the_99th_percentile_up_to_four_medians) {
    results r;
    r.cpus = 5;
    r.tree.teams = {team_of(2, 100, 300), team_of(3, 100, 90'000), team_of(4, 200, 300, 99)};
    const bough::profile p = choose(r).values;
    const bough::profile otherwise = bough::default_profile(5);
    ASSERT_EQ(p.timespan_ns.size(), 4U);
    EXPECT_EQ(p.timespan_ns[0], 300);
    EXPECT_EQ(p.timespan_ns[1], 400);
    EXPECT_EQ(p.timespan_ns[2], otherwise.timespan_ns[2]);  // too few calls
    EXPECT_EQ(p.timespan_ns[3], otherwise.timespan_ns[3]);  // not measured
}

TEST(choose, what_was_not_measured_keeps_its_default) {
    results r;
    r.cpus = 1;
    const choice c = choose(r);
    const bough::profile otherwise = bough::default_profile(1);
    EXPECT_EQ(c.values.timespan_ns, otherwise.timespan_ns);
    EXPECT_EQ(c.values.handoff_ns, otherwise.handoff_ns);
    EXPECT_EQ(c.values.wakeup_ns, otherwise.wakeup_ns);
    EXPECT_EQ(c.values.steal_ns, otherwise.steal_ns);
    EXPECT_TRUE(c.values.counter_trusted);
    for (const std::string& reason : c.reasons)
        EXPECT_FALSE(reason.empty());
    EXPECT_NO_THROW(bough::parse_profile(bough::to_json({c.values, "cpu", "date", "how"})));
}

TEST(choose, spin_is_a_wake_up_and_handoff_stays_on_the_node) {
    results r;
    r.cpus = 8;
    summary wake, same, other;
    wake.p50 = 12'000;
    same.p50 = 90;
    other.p50 = 700;
    wake.count = same.count = other.count = 1;
    r.wakeup = wakeup_result{wake, wake};
    r.handoff = {{1, 0, 1, same}, {3, 0, 7, other}};
    const bough::profile p = choose(r).values;
    EXPECT_EQ(p.spin_us, 12);
    EXPECT_EQ(p.handoff_ns, 90);
    r.handoff = {{3, 0, 7, other}};
    EXPECT_EQ(choose(r).values.handoff_ns, 700);
}

TEST(choose, a_larger_fan_out_must_save_five_percent) {
    results r;
    r.cpus = 4;
    r.fan_outs = {{2, 1000}, {3, 960}, {4, 970}};
    EXPECT_EQ(choose(r).values.fan_out, 2U);
    r.fan_outs = {{2, 1000}, {3, 900}, {4, 880}};
    EXPECT_EQ(choose(r).values.fan_out, 3U);
    r.fan_outs = {{2, 1000}, {3, 990}, {4, 500}};
    EXPECT_EQ(choose(r).values.fan_out, 4U);
}

TEST(choose, counters_that_disagree_are_not_trusted) {
    results r;
    r.synchrony = {false, 3, 40, 0};
    EXPECT_FALSE(choose(r).values.counter_trusted);
}

TEST(choose, disagreement_starts_above_twenty_percent) {
    const bough::profile a = bough::default_profile(4);
    bough::profile b = a;
    b.handoff_ns *= 1.19;
    EXPECT_TRUE(disagreements(a, b).empty());
    b.handoff_ns = a.handoff_ns * 1.3;
    b.timespan_ns[1] *= 0.5;
    const auto lines = disagreements(a, b);
    ASSERT_EQ(lines.size(), 2U);
    EXPECT_NE(lines[0].find("timespan, 3 threads"), std::string::npos);
    EXPECT_NE(lines[1].find("hand-off"), std::string::npos);
}

TEST(choose, a_difference_has_a_reason) {
    bough::profile a = bough::default_profile(4), b = a;
    a.trusted = b.trusted = bough::trust::yes;
    b.timespan_ns[0] *= 3;
    EXPECT_NE(why_they_differ(a, b).find("nothing tells why"), std::string::npos);
    b.handoff_ns *= 3;
    EXPECT_NE(why_they_differ(a, b).find("takes longer from core to core"), std::string::npos);
    EXPECT_NE(why_they_differ(b, a).find("takes less time from core to core"), std::string::npos);
    a.trusted = bough::trust::no;
    EXPECT_NE(why_they_differ(a, b).find("taken by --force"), std::string::npos);
    EXPECT_EQ(why_they_differ(b, a), "This run is not to be trusted.");
}

TEST(report, default_and_measured_stand_side_by_side) {
    bough::profile measured = bough::default_profile(3);
    measured.spread.timespan = {0.25, std::nullopt};
    measured.timespan_ns[0] = 640;
    const std::string text = values_text(measured, bough::default_profile(3));
    EXPECT_NE(text.find("timespan, 2 threads      1.00 us    640 ns     25 %"), std::string::npos) << text;
    EXPECT_NE(text.find("timespan, 3 threads      2.00 us         -        -"), std::string::npos) << text;
}

TEST(report, histograms_are_for_the_curious) {
    results r;
    r.tree.teams = {team_of(2, 100, 300)};
    EXPECT_EQ(report(r, false).find("Distribution time"), std::string::npos);
    EXPECT_NE(report(r, true).find("Distribution time"), std::string::npos);
}

TEST(report, times_have_units) {
    EXPECT_EQ(time_text(7.25), "7.2 ns");
    EXPECT_EQ(time_text(812), "812 ns");
    EXPECT_EQ(time_text(1240), "1.24 us");
    EXPECT_EQ(time_text(3.1e6), "3.10 ms");
}

TEST(report, is_made_of_nothing_too) {
    results r;
    r.tree.problem = "was ended by signal 9";
    r.tree.teams = {team_of(2, 100, 300)};
    EXPECT_NE(report(r, true).find("was ended by signal 9"), std::string::npos);
    EXPECT_FALSE(report(results{}, true).empty());
}

// ---- options

refusal read(std::vector<const char*> arguments, options& o) {
    arguments.insert(arguments.begin(), "bough-calibrate");
    return read_options(static_cast<int>(arguments.size()), arguments.data(), o);
}

TEST(options, are_read) {
    options o;
    EXPECT_EQ(read({"--quick", "--force", "--verbose", "--threads", "4", "--calls=1000", "--output", "p",
                    "--plot=x"},
                   o)
                  .text,
              "");
    EXPECT_TRUE(o.quick && o.force && o.verbose && !o.json);
    EXPECT_EQ(o.threads, 4U);
    EXPECT_EQ(o.calls, 1000U);
    EXPECT_EQ(o.output, "p");
    EXPECT_EQ(o.plot, "x");
    const refusal help = read({"--help"}, o);
    EXPECT_EQ(help.status, 0);
    EXPECT_NE(help.text.find("--force"), std::string::npos);
}

TEST(options, wrong_values_are_one_line_and_status_2) {
    const std::vector<std::pair<std::vector<const char*>, const char*>> wrong = {
        {{"--threads", "x"}, "--threads: 'x' is not allowed; allowed are whole numbers from 2 to 4096"},
        {{"--threads", "1"}, "from 2 to 4096"},
        {{"--threads", "4097"}, "'4097'"},
        {{"--threads", "2.5"}, "'2.5'"},
        {{"--threads", ""}, "''"},
        {{"--threads"}, "--threads: takes one value, once"},
        {{"--threads", "2", "--threads", "3"}, "--threads: takes one value, once"},
        {{"--calls", "1e5"}, "--calls: '1e5' is not allowed; allowed are whole numbers from 100 to 10000000"},
        {{"--calls=-1"}, "'-1'"},
        {{"--calls", "99999999999999999999"}, "from 100 to"},
        {{"--output", ""}, "--output: the name is empty"},
        {{"--output"}, "--output: takes one value, once"},
        {{"--plot", ""}, "--plot: the name is empty"},
        {{"--quick=3"}, "--quick: takes no value"},
        {{"--force=maybe"}, "--force: takes no value"},
        {{"--bogus\nline"}, "--bogus line"},
        {{"extra"}, "extra"}};
    for (const auto& [arguments, named] : wrong) {
        options o;
        const refusal said = read(arguments, o);
        EXPECT_EQ(said.status, 2) << arguments[0];
        EXPECT_NE(said.text.find(named), std::string::npos) << said.text;
        EXPECT_EQ(std::count(said.text.begin(), said.text.end(), '\n'), 1) << said.text;
    }
}

// ---- files

TEST(output_file, is_whole_or_untouched) {
    std::string folder = (fs::temp_directory_path() / "bough_output_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string path = folder + "/a/b/profile.json";
    check_writable(path);
    EXPECT_FALSE(fs::exists(folder + "/a"));
    write_whole(path, "one");
    check_writable(path);
    write_whole(path, "two");
    std::string text;
    std::getline(std::ifstream(path), text);
    EXPECT_EQ(text, "two");
    EXPECT_EQ(std::distance(fs::directory_iterator(folder + "/a/b"), fs::directory_iterator()), 1);
    EXPECT_THROW(check_writable(folder), std::runtime_error);
    EXPECT_THROW(check_writable(path + "/below-a-file"), std::runtime_error);
    EXPECT_THROW(write_whole(path + "/below-a-file", "x"), std::runtime_error);
    fs::create_directory(folder + "/empty");
    check_writable(folder + "/empty/file");
    EXPECT_TRUE(fs::exists(folder + "/empty"));
    fs::remove_all(folder);
}

TEST(output_file, replaces_files_only_and_keeps_links) {
    std::string folder = (fs::temp_directory_path() / "bough_output_XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    const std::string pipe = folder + "/pipe", link = folder + "/link", first = folder + "/first",
                      loop = folder + "/loop";
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    EXPECT_THROW(check_writable(pipe), std::runtime_error);
    EXPECT_THROW(write_whole(pipe, "x"), std::runtime_error);
    EXPECT_TRUE(fs::is_fifo(pipe));
    EXPECT_THROW(check_writable("/dev/null"), std::runtime_error);
    fs::create_symlink("loop", loop);
    EXPECT_THROW(check_writable(loop), std::runtime_error);
    fs::create_symlink("file", link);
    fs::create_symlink("link", first);
    for (const char* written : {"one", "two"}) {  // the file is not there, and is
        check_writable(first);
        write_whole(first, written);
        EXPECT_TRUE(fs::is_symlink(first));
        EXPECT_TRUE(fs::is_symlink(link));
        std::string text;
        std::getline(std::ifstream(folder + "/file"), text);
        EXPECT_EQ(text, written);
    }
    fs::remove_all(folder);
}

// ---- children

std::string output_of(const child& c, std::string& problem) {
    std::string all;
    problem = run_child(c, [&](const std::string& line) { all += line + "|"; });
    return all;
}

TEST(child, lines_and_environment_arrive) {
    std::string problem;
    setenv("BOUGH_TEST_GONE", "x", 1);
    const child c{{"sh", "-c", "echo $BOUGH_TEST_SET; echo ${BOUGH_TEST_GONE-gone}; printf unfinished"},
                  {{"BOUGH_TEST_SET", "set"}, {"BOUGH_TEST_GONE", {}}},
                  std::chrono::seconds(20)};
    EXPECT_EQ(output_of(c, problem), "set|gone|");
    EXPECT_EQ(problem, "");
}

TEST(child, every_bad_end_has_a_name) {
    std::string problem;
    output_of({{"sh", "-c", "exit 3"}, {}, std::chrono::seconds(20)}, problem);
    EXPECT_EQ(problem, "ended with status 3");
    output_of({{"sh", "-c", "kill -9 $$"}, {}, std::chrono::seconds(20)}, problem);
    EXPECT_EQ(problem, "was ended by signal 9");
    output_of({{"/nonexistent/program"}, {}, std::chrono::seconds(20)}, problem);
    EXPECT_NE(problem.find("cannot be started"), std::string::npos);
    output_of({{"sh", "-c", "echo a; exec sleep 30"}, {}, std::chrono::seconds(3)}, problem);
    EXPECT_EQ(problem, "said nothing for 3 s");
}

TEST(child, a_measuring_one_gets_no_setting_of_the_caller) {
    const std::array callers{"BOUGH_GTAE", "BOUGH_GATE", "BOUGH_WAIT", "BOUGH_WATCHDOG", "BOUGH_PRINT"};
    for (const char* name : callers)
        setenv(name, "1", 1);
    const bough::profile values = bough::default_profile(2);
    const temporary_profile file(values);
    child c = measuring_child({}, {2, "tree", "timespan"}, values, file);
    c.command = {"sh", "-c", "env | grep ^BOUGH_ | LC_ALL=C sort"};
    std::string problem;
    const std::string all = output_of(c, problem);
    for (const char* name : callers)
        unsetenv(name);
    EXPECT_EQ(problem, "");
    EXPECT_EQ(all, "BOUGH_DISTRIBUTE=tree|BOUGH_GATE=timespan|BOUGH_NUM_THREADS=2|BOUGH_PROFILE=" +
                       file.path() + "|");
}

}  // namespace
