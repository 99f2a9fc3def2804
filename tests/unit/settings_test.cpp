// Environment values: what each may be, and the line that names what it may not.

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "profile/settings.h"
#include "profile/variables.h"

namespace {

struct outcome {
    bough::settings values;
    std::vector<std::string> complaints;
};

outcome parse(const std::map<std::string, std::string>& variables) {
    outcome result;
    result.values = bough::parse_settings(
        [&](const char* name) {
            const auto found = variables.find(name);
            return found == variables.end() ? nullptr : found->second.c_str();
        },
        result.complaints);
    return result;
}

// The one complaint, which must name the variable, the value as given and what is allowed.
void expect_refused(const std::string& name, const std::string& value, const std::string& allowed) {
    const outcome o = parse({{name, value}});
    ASSERT_EQ(o.complaints.size(), 1U) << name << "=" << value;
    EXPECT_NE(o.complaints[0].find(name + "=" + value), std::string::npos) << o.complaints[0];
    EXPECT_NE(o.complaints[0].find(allowed), std::string::npos) << o.complaints[0];
    EXPECT_EQ(o.complaints[0].find('\n'), std::string::npos);
}

TEST(settings, nothing_set) {
    for (const char* empty : {"unset", ""}) {
        std::map<std::string, std::string> variables;
        if (*empty == '\0')
            for (const char* name : {"BOUGH_NUM_THREADS", "BOUGH_DISTRIBUTE", "BOUGH_GATE", "BOUGH_SPIN_US",
                                     "BOUGH_MAIL", "BOUGH_THIEVES", "BOUGH_PIN", "BOUGH_PRINT", "BOUGH_WAIT"})
                variables[name] = "";
        const outcome o = parse(variables);
        EXPECT_TRUE(o.complaints.empty());
        EXPECT_EQ(o.values.threads, 0U);
        EXPECT_EQ(o.values.distribute, bough::distribution::tree);
        EXPECT_EQ(o.values.gate, bough::gate_mode::timespan);
        EXPECT_EQ(o.values.mail, bough::mailing::start);
        EXPECT_LT(o.values.spin_us, 0);
        EXPECT_FALSE(o.values.waits_for_descendants);
        EXPECT_FALSE(o.values.pin);
        EXPECT_FALSE(o.values.print);
    }
}

TEST(settings, threads) {
    EXPECT_EQ(parse({{"BOUGH_NUM_THREADS", "1"}}).values.threads, 1U);
    EXPECT_EQ(parse({{"BOUGH_NUM_THREADS", "4096"}}).values.threads, 4096U);
    EXPECT_EQ(parse({{"TBB_NUM_THREADS", "3"}}).values.threads, 3U);
    EXPECT_EQ(parse({{"TBB_NUM_THREADS", "3"}}).values.threads_name, "TBB_NUM_THREADS");
    EXPECT_EQ(parse({{"BOUGH_NUM_THREADS", "5"}, {"TBB_NUM_THREADS", "3"}}).values.threads, 5U);
    EXPECT_TRUE(parse({{"BOUGH_NUM_THREADS", "5"}, {"TBB_NUM_THREADS", "bad"}}).complaints.empty());
    for (const char* bad :
         {"0", "1000000", "4097", "-1", "+2", "2x", " 2", "2.5", "99999999999999999999", "two"})
        expect_refused("BOUGH_NUM_THREADS", bad, "1 to 4096");
    expect_refused("TBB_NUM_THREADS", "0", "1 to 4096");
    const outcome o = parse({{"BOUGH_NUM_THREADS", "0"}, {"TBB_NUM_THREADS", "3"}});
    EXPECT_EQ(o.values.threads, 0U);
    EXPECT_EQ(o.complaints.size(), 1U);
}

TEST(settings, choices) {
    EXPECT_EQ(parse({{"BOUGH_DISTRIBUTE", "steal"}}).values.distribute, bough::distribution::steal);
    EXPECT_EQ(parse({{"BOUGH_DISTRIBUTE", "tree"}}).values.distribute, bough::distribution::tree);
    EXPECT_TRUE(parse({{"BOUGH_WAIT", "descendants"}}).values.waits_for_descendants);
    EXPECT_FALSE(parse({{"BOUGH_WAIT", "any"}}).values.waits_for_descendants);
    expect_refused("BOUGH_WAIT", "nothing", "any, descendants");
    EXPECT_TRUE(parse({{"BOUGH_PIN", "1"}, {"BOUGH_PRINT", "1"}}).values.pin);
    EXPECT_TRUE(parse({{"BOUGH_PRINT", "1"}}).values.print);
    EXPECT_FALSE(parse({{"BOUGH_PRINT", "0"}}).values.print);
    EXPECT_TRUE(parse({{"BOUGH_CLOCK", "steady"}}).complaints.empty());
    EXPECT_EQ(parse({{"BOUGH_DISTRIBUTE", "even"}}).values.distribute, bough::distribution::even);
    EXPECT_EQ(parse({{"BOUGH_DISTRIBUTE", "even-9-16"}}).values.distribute, bough::distribution::even_9_16);
    EXPECT_EQ(parse({{"BOUGH_DISTRIBUTE", "uneven"}}).values.distribute, bough::distribution::uneven);
    EXPECT_TRUE(parse({{"BOUGH_STATS", "1"}}).values.stats);
    EXPECT_FALSE(parse({{"BOUGH_STATS", "0"}}).values.stats);
    expect_refused("BOUGH_STATS", "all", "0, 1");
    EXPECT_EQ(parse({}).values.watchdog_s, 0U);
    EXPECT_EQ(parse({{"BOUGH_WATCHDOG", "86400"}}).values.watchdog_s, 86400U);
    EXPECT_FALSE(parse({{"BOUGH_WATCHDOG", "1"}}).values.watchdog_on_quit);
    EXPECT_TRUE(parse({{"BOUGH_WATCHDOG", "5,quit"}}).values.watchdog_on_quit);
    EXPECT_EQ(parse({{"BOUGH_WATCHDOG", "5,quit"}}).values.watchdog_s, 5U);
    EXPECT_TRUE(parse({{"BOUGH_WATCHDOG", "quit"}}).values.watchdog_on_quit);
    EXPECT_EQ(parse({{"BOUGH_WATCHDOG", "quit"}}).values.watchdog_s, 0U);
    expect_refused("BOUGH_WATCHDOG", "0", "1 to 86400 (seconds), quit, or both such as 5,quit; none is used");
    expect_refused("BOUGH_WATCHDOG", "86401", "none is used");
    expect_refused("BOUGH_WATCHDOG", ",quit", "none is used");
    expect_refused("BOUGH_DISTRIBUTE", "Tree", "tree, even, even-9-16, uneven, steal; tree is used");
    expect_refused("BOUGH_SIGNAL", "9", "real-time signals");
    expect_refused("BOUGH_SIGNAL", "65", "real-time signals");
    expect_refused("BOUGH_PIN", "yes", "0, 1");
    expect_refused("BOUGH_PRINT", "2", "0, 1");
    expect_refused("BOUGH_CLOCK", "tsc", "counter, steady");
}

TEST(settings, mail) {
    EXPECT_EQ(parse({{"BOUGH_MAIL", "off"}}).values.mail, bough::mailing::off);
    EXPECT_EQ(parse({{"BOUGH_MAIL", "start"}}).values.mail, bough::mailing::start);
    EXPECT_EQ(parse({{"BOUGH_MAIL", "letters"}}).values.mail, bough::mailing::letters);
    EXPECT_EQ(parse({{"BOUGH_MAIL", "always"}}).values.mail, bough::mailing::always);
    expect_refused("BOUGH_MAIL", "on", "start, off, letters, always");
    EXPECT_EQ(parse({}).values.thieves, bough::thieving::watcher);
    EXPECT_EQ(parse({{"BOUGH_THIEVES", "all"}}).values.thieves, bough::thieving::all);
    expect_refused("BOUGH_THIEVES", "one", "watcher, all");
    EXPECT_EQ(parse({}).values.victims, bough::victim_choice::last_nearest);
    EXPECT_EQ(parse({{"BOUGH_VICTIMS", "random"}}).values.victims, bough::victim_choice::random);
    expect_refused("BOUGH_VICTIMS", "first", "last-nearest, last, nearest, random");
    EXPECT_TRUE(parse({}).values.predicts);
    EXPECT_FALSE(parse({{"BOUGH_PREDICT", "0"}}).values.predicts);
    expect_refused("BOUGH_PREDICT", "off", "1, 0");
}

TEST(settings, grain) {
    EXPECT_EQ(parse({}).values.grain, 0U);
    EXPECT_EQ(parse({{"BOUGH_GRAIN", "adaptive"}}).values.grain, 0U);
    EXPECT_EQ(parse({{"BOUGH_GRAIN", "1"}}).values.grain, 1U);
    EXPECT_EQ(parse({{"BOUGH_GRAIN", "1000000"}}).values.grain, 1'000'000U);
    for (const char* bad : {"0", "1000001", "-1", "3.5", "auto", "99999999999"})
        expect_refused("BOUGH_GRAIN", bad, "adaptive, or 1 to 1000000 (units)");
}

TEST(settings, gate) {
    EXPECT_EQ(parse({{"BOUGH_GATE", "timespan"}}).values.gate, bough::gate_mode::timespan);
    EXPECT_EQ(parse({{"BOUGH_GATE", "off"}}).values.gate, bough::gate_mode::off);
    const std::map<std::string, double> times = {{"5us", 5000},   {"800ns", 800},  {"0.1ms", 1e5},
                                                 {"1e3ns", 1000}, {"1000ms", 1e9}, {"1ns", 1}};
    for (const auto& [text, ns] : times) {
        const outcome o = parse({{"BOUGH_GATE", text}});
        EXPECT_TRUE(o.complaints.empty()) << text;
        EXPECT_EQ(o.values.gate, bough::gate_mode::fixed);
        EXPECT_DOUBLE_EQ(o.values.gate_ns, ns);
    }
    for (const char* bad : {"5", "us", "5 us", "5s", "0us", "-1us", "nanns", "infus", "1001ms", "0.9ns", "1s",
                            "count:0", "count:1001", "count:", "count:2x", "on"})
        expect_refused("BOUGH_GATE", bad,
                       "timespan, off, count:1 to count:1000, or a time from 1ns to 1000ms, in ns, us or ms");
    EXPECT_EQ(parse({{"BOUGH_GATE", "count:8"}}).values.gate, bough::gate_mode::count);
    EXPECT_EQ(parse({{"BOUGH_GATE", "count:8"}}).values.gate_mails, 8U);
    EXPECT_EQ(parse({{"BOUGH_GATE", "5"}}).values.gate, bough::gate_mode::timespan);
}

TEST(settings, spin) {
    EXPECT_EQ(parse({{"BOUGH_SPIN_US", "0"}}).values.spin_us, 0);
    EXPECT_DOUBLE_EQ(parse({{"BOUGH_SPIN_US", "2.5"}}).values.spin_us, 2.5);
    EXPECT_TRUE(std::isinf(parse({{"BOUGH_SPIN_US", "forever"}}).values.spin_us));
    for (const char* bad : {"-1", "-0", "nan", "inf", "1e10", "5us", "never"})
        expect_refused("BOUGH_SPIN_US", bad, "forever");
    EXPECT_LT(parse({{"BOUGH_SPIN_US", "x"}}).values.spin_us, 0);
}

TEST(settings, a_complaint_is_one_line_whatever_the_value) {
    const outcome o = parse({{"BOUGH_GATE", "a\nb\x01" + std::string(10'000, 'x')}});
    ASSERT_EQ(o.complaints.size(), 1U);
    EXPECT_EQ(o.complaints[0].find('\n'), std::string::npos);
    EXPECT_LT(o.complaints[0].size(), 300U);
}

TEST(settings, every_bad_value_has_its_own_line) {
    EXPECT_EQ(parse({{"BOUGH_NUM_THREADS", "0"}, {"BOUGH_GATE", "x"}, {"BOUGH_PIN", "x"}}).complaints.size(),
              3U);
}

// ---- names

TEST(settings, a_misspelt_name_is_answered_with_the_nearest) {
    const std::map<std::string, std::string> meant = {{"BOUGH_NUM_THREAD", "BOUGH_NUM_THREADS"},
                                                      {"BOUGH_THREADS", "BOUGH_NUM_THREADS"},
                                                      {"BOUGH_NTHREADS", "BOUGH_NUM_THREADS"},
                                                      {"BOUGH_SPIN", "BOUGH_SPIN_US"},
                                                      {"BOUGH_PROFILE_PATH", "BOUGH_PROFILE"},
                                                      {"BOUGH_DISTRIBUTION", "BOUGH_DISTRIBUTE"},
                                                      {"BOUGH_PINN", "BOUGH_PIN"},
                                                      {"BOUGH_GTAE", ""},
                                                      {"BOUGH_GATES", "BOUGH_GATE"},
                                                      {"BOUGH_CPUS", ""},
                                                      {"BOUGH_WAITS", "BOUGH_WAIT"},
                                                      {"BOUGH_TINT", ""},
                                                      {"BOUGH_", ""},
                                                      {"BOUGH_" + std::string(100'000, 'x'), ""}};
    for (const auto& [name, setting] : meant) {
        const auto lines = bough::unknown_variables({name});
        ASSERT_EQ(lines.size(), 1U) << name;
        EXPECT_LT(lines[0].size(), 200U);
        if (setting.empty())
            EXPECT_NE(lines[0].find(" is no setting; `bough info`"), std::string::npos) << lines[0];
        else
            EXPECT_EQ(lines[0], name + " is no setting; the nearest is " + setting);
    }
    EXPECT_EQ(bough::unknown_variables({"BOUGH_a\nb\x1b"})[0].find_first_of("\n\x1b"), std::string::npos);
}

TEST(settings, who_sets_a_queue_hears_how_to_get_one) {
    for (const std::string name : {"BOUGH_QUEUE", "BOUGH_VARIANT"}) {
        const auto lines = bough::unknown_variables({name});
        ASSERT_EQ(lines.size(), 1U);
        EXPECT_EQ(lines[0].find(name + " is no setting; bough-run --variant NAME PROGRAM "), 0U) << lines[0];
        EXPECT_NE(lines[0].find("mutex, abp, split, split-signal, "), std::string::npos) << lines[0];
    }
}

TEST(settings, nothing_is_said_about_known_names) {
    std::vector<std::string> names(bough::setting_variables().begin(), bough::setting_variables().end());
    for (const char* other : {"BOUGH_TEST_SEED", "BOUGH_JOBS", "BOUGH_WERROR", "BOUGH_FAKE_CPUS",
                              "BOUGH_ROOT", "TBB_NUM_THREAD", "BOUGHT", "PATH"})
        names.push_back(other);
    EXPECT_TRUE(bough::unknown_variables(names).empty());
}

TEST(settings, every_name_that_is_read_is_known) {
    std::vector<std::string> complaints, read;
    bough::parse_settings(
        [&](const char* name) {
            read.push_back(name);
            return nullptr;
        },
        complaints);
    EXPECT_GE(read.size(), 12U);
    EXPECT_TRUE(bough::unknown_variables(read).empty());
}

}  // namespace
