// The table behind BOUGH_PRINT=1 and `bough info`: it has every setting, with its value and where that comes from.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "profile/description.h"
#include "profile/variables.h"

namespace {

std::vector<bough::described_value> described(const std::map<std::string, std::string>& variables,
                                              const bough::profile& p = bough::default_profile(2)) {
    std::vector<std::string> complaints;
    const bough::settings s = bough::parse_settings(
        [&](const char* name) {
            const auto found = variables.find(name);
            return found == variables.end() ? nullptr : found->second.c_str();
        },
        complaints);
    bough::tuning t{};
    t.threads = s.threads != 0 ? s.threads : 2;
    return bough::describe(s, p, t);
}

// "5 us environment"
std::string said_of(std::string_view name, const std::vector<bough::described_value>& values) {
    for (const bough::described_value& v : values)
        if (v.name == name)
            return v.value + std::string(v.unit.empty() ? "" : " ").append(v.unit) +
                   std::string(" ").append(v.why);
    return "nothing";
}

TEST(description, each_setting_has_one_line_in_order) {
    std::vector<std::string_view> variables;
    const auto values = described({});
    for (const bough::described_value& v : values) {
        if (!v.variable.empty())
            variables.push_back(v.variable);
        EXPECT_EQ(
            std::count_if(values.begin(), values.end(), [&](const auto& w) { return w.name == v.name; }), 1)
            << v.name;
    }
    EXPECT_TRUE(std::ranges::equal(variables, bough::setting_variables()));
    const std::string text = bough::lines_of(values, "bough: ");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::ssize(values));
}

TEST(description, a_long_value_leaves_the_columns_as_they_are) {
    const auto line = [](const char* value, const char* note) {
        return bough::lines_of({{"profile", "BOUGH_PROFILE", value, "", "default", note}}, "");
    };
    EXPECT_EQ(line("none", "no file"), "profile     none          default      BOUGH_PROFILE      no file\n");
    EXPECT_EQ(line("/home/a/profile.json", "no file"),
              "profile                   default      BOUGH_PROFILE      /home/a/profile.json: no file\n");
    EXPECT_EQ(line("/home/a/profile.json", ""),
              "profile                   default      BOUGH_PROFILE      /home/a/profile.json\n");
}

// Each value that differs from the default, as the variable takes it.
TEST(description, what_a_variable_says_is_from_the_environment) {
    const std::map<std::string, std::string> others = {
        {"NUM_THREADS", "5"}, {"SPIN_US", "forever"},  {"PIN", "1"},        {"DISTRIBUTE", "even-9-16"},
        {"GATE", "5000ns"},   {"WAIT", "descendants"}, {"MAIL", "letters"}, {"SIGNAL", "50"},
        {"STEAL", "half"},    {"STATS", "1"},          {"PRINT", "1"},      {"WATCHDOG", "5,quit"},
        {"WARN_TWINS", "0"},  {"VICTIMS", "nearest"}};
    const auto usual = described({});
    for (const auto& [rest, value] : others) {
        const std::string variable = "BOUGH_" + rest;
        const auto values = described({{variable, value}});
        for (std::size_t i = 0; i < values.size(); ++i) {
            const bool is_meant = values[i].variable == variable;
            EXPECT_EQ(values[i].value == usual[i].value, !is_meant) << variable << ": " << values[i].name;
            EXPECT_EQ(values[i].why == "environment", is_meant) << variable << ": " << values[i].name;
            if (is_meant) {
                EXPECT_EQ(values[i].value + std::string(values[i].unit), value);
            }
        }
    }
}

TEST(description, a_time_has_its_unit_beside_it) {
    EXPECT_EQ(said_of("gate", described({{"BOUGH_GATE", "5us"}})), "5000 ns environment");
    EXPECT_EQ(said_of("gate", described({{"BOUGH_GATE", "count:3"}})), "count:3 environment");
    EXPECT_EQ(said_of("gate", described({})), "timespan default");
}

TEST(description, a_setting_of_other_variants_says_so) {
    for (const bough::described_value& v : described({})) {
        const bool is_of_others = v.name == "steals" || v.name == "signal";
        EXPECT_EQ(v.note.starts_with("no effect here: only on "), is_of_others) << v.name << ": " << v.note;
    }
}

TEST(description, mail_without_effect_says_so) {
    const auto note_on_mail = [](const std::map<std::string, std::string>& variables) {
        for (const bough::described_value& v : described(variables))
            if (v.name == "mail")
                return v.note;
        return std::string("nothing");
    };
    EXPECT_EQ(note_on_mail({}), "");
    EXPECT_EQ(note_on_mail({{"BOUGH_MAIL", "always"}}), "");
    EXPECT_EQ(note_on_mail({{"BOUGH_WAIT", "descendants"}}), "no effect: wait is descendants");
    EXPECT_EQ(note_on_mail({{"BOUGH_MAIL", "always"}, {"BOUGH_WAIT", "descendants"}}),
              "no effect: wait is descendants");
    EXPECT_EQ(note_on_mail({{"BOUGH_MAIL", "off"}, {"BOUGH_WAIT", "descendants"}}), "");
}

TEST(description, what_is_refused_is_not_from_the_environment) {
    EXPECT_EQ(said_of("pin", described({{"BOUGH_PIN", "yes"}})), "0 default");
    EXPECT_EQ(said_of("threads", described({{"BOUGH_NUM_THREADS", "0"}, {"TBB_NUM_THREADS", "3"}})),
              "2 default");
    EXPECT_EQ(said_of("threads", described({{"TBB_NUM_THREADS", "3"}})), "3 environment");
}

TEST(description, a_profile_says_what_it_measured) {
    bough::profile p = bough::default_profile(2);
    p.spin_us = 7;
    EXPECT_EQ(said_of("spin", described({}, p)), "7 us default");
    p.is_loaded = true;
    EXPECT_EQ(said_of("spin", described({}, p)), "7 us profile");
    EXPECT_EQ(said_of("spin", described({{"BOUGH_SPIN_US", "0"}}, p)), "0 us environment");
    EXPECT_EQ(said_of("timespan", described({}, p)), "1000 ns profile");
    EXPECT_EQ(said_of("fan-out", described({}, p)), "3 profile");
    EXPECT_EQ(said_of("queue", described({}, p)), "chase-lev library");
}

TEST(description, a_profile_says_how_far_it_is_to_be_trusted) {
    const auto said = [](const bough::profile& p) {
        for (const bough::described_value& v : described({}, p))
            if (v.variable == "BOUGH_PROFILE")
                return v.note;
        return std::string("nothing");
    };
    bough::profile p = bough::default_profile(2);
    p.is_loaded = true;
    EXPECT_NE(said(p).find("it does not say whether it is to be trusted"), std::string::npos) << said(p);
    p.trusted = bough::trust::yes;
    p.spread.handoff = 0.071;
    p.spread.steal = 0.03;
    EXPECT_NE(said(p).find(": trusted, its repeated parts up to 7 % apart"), std::string::npos) << said(p);
    p.trusted = bough::trust::no;
    EXPECT_NE(said(p).find("not to be trusted, taken by --force"), std::string::npos) << said(p);
}

TEST(description, a_number_too_long_for_its_column_has_four_digits) {
    const auto shown = [](const char* value) {
        const std::string line = bough::lines_of({{"spin", "BOUGH_SPIN_US", value, "us", "profile", ""}}, "");
        return line.substr(12, line.find(" us") - 12);
    };
    EXPECT_EQ(shown("20.889003641881636"), "20.89");
    EXPECT_EQ(shown("118.03406616084978"), "118");
    EXPECT_EQ(shown("123456.78900000"), "123457");
    EXPECT_EQ(shown("100000.30000000"), "100000");
    EXPECT_EQ(shown("0.0401234567890"), "0.04");
    EXPECT_EQ(shown("20"), "20");
    EXPECT_EQ(shown("1.2345678"), "1.2345678");
}

}  // namespace
