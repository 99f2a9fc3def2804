// The profile: defaults, file format, and every way in which a file is refused.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "machine/file.h"
#include "profile/profile.h"

namespace {

namespace fs = std::filesystem;

bough::profile_file sample() {
    bough::profile p{{400, 800.5, 1200}, 120, 9000, 300, 2, 12.5, "", true};
    return {p, bough::machine_identity(), "2026-01-02T03:04:05Z", "quick, 2000 calls"};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The message with which a text is refused; empty when it is accepted.
std::string refusal(const std::string& text) {
    try {
        bough::parse_profile(text);
        return "";
    } catch (const std::runtime_error& e) {
        return e.what();
    }
}

TEST(profile, defaults_grow_with_the_team_and_the_machine) {
    for (const unsigned cpus : {0U, 1U, 2U, 3U, 8U, 64U, 4096U, 1'000'000U}) {
        const bough::profile p = bough::default_profile(cpus);
        ASSERT_FALSE(p.timespan_ns.empty());
        EXPECT_EQ(p.timespan_ns.size(), std::clamp(cpus, 2U, 4096U) - 1);
        EXPECT_TRUE(std::is_sorted(p.timespan_ns.begin(), p.timespan_ns.end()));
        EXPECT_EQ(p.origin, "defaults");
        EXPECT_TRUE(p.counter_trusted);
        EXPECT_EQ(refusal(bough::to_json({p, "x", "y", "z"})), "");
    }
    EXPECT_GT(bough::default_profile(64).timespan_for(64), bough::default_profile(64).timespan_for(2));
}

TEST(profile, larger_teams_than_measured_use_the_largest_value) {
    const bough::profile p = sample().values;
    EXPECT_EQ(p.timespan_for(0), 0);
    EXPECT_EQ(p.timespan_for(1), 0);
    EXPECT_EQ(p.timespan_for(2), 400);
    EXPECT_EQ(p.timespan_for(4), 1200);
    EXPECT_EQ(p.timespan_for(1'000'000), 1200);
    EXPECT_EQ(bough::profile{}.timespan_for(4), 0);
}

TEST(profile, text_and_values_are_inverse) {
    bough::profile_file file = sample();
    for (const bool trusted : {true, false}) {
        file.values.counter_trusted = trusted;
        const bough::profile_file back = bough::parse_profile(bough::to_json(file));
        EXPECT_EQ(back.values.timespan_ns, file.values.timespan_ns);
        EXPECT_EQ(back.values.handoff_ns, file.values.handoff_ns);
        EXPECT_EQ(back.values.wakeup_ns, file.values.wakeup_ns);
        EXPECT_EQ(back.values.steal_ns, file.values.steal_ns);
        EXPECT_EQ(back.values.fan_out, file.values.fan_out);
        EXPECT_EQ(back.values.spin_us, file.values.spin_us);
        EXPECT_EQ(back.values.counter_trusted, trusted);
        EXPECT_EQ(back.cpu, file.cpu);
        EXPECT_EQ(back.date, file.date);
        EXPECT_EQ(back.how, file.how);
    }
}

TEST(profile, a_name_that_is_not_utf8_does_not_throw) {
    bough::profile_file file = sample();
    file.cpu = "\xff\xfe";
    EXPECT_EQ(refusal(bough::to_json(file)), "");
}

TEST(profile, every_truncation_is_refused) {
    const std::string text = bough::to_json(sample());
    for (std::size_t n = 0; n + 2 < text.size(); ++n)
        EXPECT_NE(refusal(text.substr(0, n)), "") << n;
}

TEST(profile, every_flipped_byte_is_refused_or_gives_sane_values) {
    const std::string good = bough::to_json(sample());
    for (std::size_t i = 0; i < good.size(); ++i) {
        for (const char c : {'\0', '9', '-', '"', '{', ']', '\xff'}) {
            std::string text = good;
            text[i] = c;
            try {
                const bough::profile p = bough::parse_profile(text).values;
                EXPECT_FALSE(p.timespan_ns.empty());
                EXPECT_GT(p.handoff_ns, 0);
                EXPECT_GE(p.fan_out, 2U);
                EXPECT_LE(p.spin_us, 1e6);
            } catch (const std::runtime_error&) {
            }
        }
    }
}

TEST(profile, insane_values_are_named_with_what_is_allowed) {
    const std::string good = bough::to_json(sample());
    EXPECT_NE(refusal(replaced(good, "120.0", "-5")).find("handoff is -5.0; allowed are 1.0 to"),
              std::string::npos);
    EXPECT_NE(refusal(replaced(good, "120.0", "0")), "");
    EXPECT_NE(refusal(replaced(good, "120.0", "1e300")), "");
    EXPECT_NE(refusal(replaced(good, "120.0", "1e999")), "");
    EXPECT_NE(refusal(replaced(good, "120.0", "null")), "");
    EXPECT_NE(refusal(replaced(good, "120.0", "\"120\"")), "");
    EXPECT_NE(refusal(replaced(good, "\"value\": 2", "\"value\": 2.5")).find("fan_out"), std::string::npos);
    EXPECT_NE(refusal(replaced(good, "\"value\": 2", "\"value\": 1")), "");
    EXPECT_NE(refusal(replaced(good, "800.5", "-1")).find("timespan"), std::string::npos);
    EXPECT_NE(refusal(replaced(good, "\"us\"", "\"ns\"")).find("spin has a unit other than us"),
              std::string::npos);
    EXPECT_NE(refusal(replaced(good, "\"clock\": \"counter\"", "\"clock\": \"sundial\"")).find("sundial"),
              std::string::npos);
    for (const char* version : {"2", "0", "1.5", "1e300", "true", "\"1\"", "18446744073709551617"})
        EXPECT_NE(
            refusal(replaced(good, "\"version\": 1", std::string("\"version\": ") + version)).find("version"),
            std::string::npos)
            << version;
    bough::profile_file empty = sample();
    empty.values.timespan_ns.clear();
    EXPECT_NE(refusal(bough::to_json(empty)), "");
}

// ---- how far it is to be trusted

TEST(profile, trust_and_spread_are_read_again_as_written) {
    bough::profile_file file = sample();
    for (const bough::trust trusted : {bough::trust::unsaid, bough::trust::no, bough::trust::yes}) {
        file.values.trusted = trusted;
        const bough::profile back = bough::parse_profile(bough::to_json(file)).values;
        EXPECT_EQ(back.trusted, trusted);
        EXPECT_EQ(back.spread, file.values.spread);
        file.values.spread = {{0.05, std::nullopt, 0.25}, 0.125, 3.5, std::nullopt};
    }
    EXPECT_EQ(file.values.spread.largest(), 3.5);
    EXPECT_EQ(bough::profile_spread{}.largest(), std::nullopt);
}

TEST(profile, older_files_do_not_say_how_far_they_are_to_be_trusted) {
    const std::string text = bough::to_json(sample());
    EXPECT_EQ(text.find("trusted"), std::string::npos);
    EXPECT_EQ(text.find("spread"), std::string::npos);
    const bough::profile old = bough::parse_profile(text).values;
    EXPECT_EQ(old.trusted, bough::trust::unsaid);
    EXPECT_EQ(old.spread.largest(), std::nullopt);
}

TEST(profile, damaged_trust_and_spread_are_refused) {
    bough::profile_file file = sample();
    file.values.trusted = bough::trust::yes;
    file.values.spread = {{0.0625, std::nullopt, 0.25}, 0.125, 3.5, 0.75};
    const std::string good = bough::to_json(file);
    ASSERT_EQ(refusal(good), "");
    for (const char* damaged : {"1", "\"true\"", "null", "[]"})
        EXPECT_EQ(refusal(replaced(good, "\"trusted\": true", std::string("\"trusted\": ") + damaged)),
                  "trusted is neither true nor false");
    for (const char* damaged : {"-0.125", "1e10", "\"0.125\"", "[]", "true"})
        EXPECT_NE(refusal(replaced(good, "0.125", damaged)).find("the spread of handoff is "),
                  std::string::npos)
            << damaged;
    for (const char* damaged : {"-1", "{}"})
        EXPECT_NE(refusal(replaced(good, "0.0625", damaged)).find("the spread of timespan is "),
                  std::string::npos)
            << damaged;
    EXPECT_EQ(refusal(replaced(good, "0.0625,", "")),
              "the spread of timespan is not a list as long as that of its values");
}

TEST(profile, other_texts_are_refused) {
    for (const char* text : {"", "{}", "[]", "null", "1", "\"x\"", "{\"format\": 3}", "not json"})
        EXPECT_NE(refusal(text), "") << text;
    const std::string good = bough::to_json(sample());
    for (const char* format : {"null", "3", "\"Bough profile\"", "[\"bough profile\"]"})
        EXPECT_EQ(refusal(replaced(good, "\"bough profile\"", format)), "not a profile of bough") << format;
    EXPECT_EQ(refusal(replaced(good, "\"parts\"", "null")), "fan_out has a unit other than parts");
    EXPECT_NE(refusal(std::string(100'000, '[')), "");
    std::string deep;
    for (int i = 0; i < 50'000; ++i)
        deep += "{\"a\":";
    EXPECT_NE(refusal(deep), "");
}

// ---- loading

class profile_file_on_disk : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "bough_profile_XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder_ = pattern;
        path_ = (folder_ / "profile.json").string();
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }

    // Loads, and keeps what was printed.
    bough::profile load(const std::string& path) {
        testing::internal::CaptureStderr();
        bough::profile p = bough::load_profile(path, 4);
        said_ = testing::internal::GetCapturedStderr();
        return p;
    }
    void expect_refused(const std::string& path, const std::string& reason) {
        EXPECT_EQ(load(path).origin, "defaults");
        EXPECT_NE(said_.find(path), std::string::npos) << said_;
        EXPECT_NE(said_.find(reason), std::string::npos) << said_;
        EXPECT_EQ(std::count(said_.begin(), said_.end(), '\n'), 1) << said_;
    }

    fs::path folder_;
    std::string path_;
    std::string said_;
};

TEST_F(profile_file_on_disk, of_this_machine_is_used) {
    write(bough::to_json(sample()));
    const bough::profile p = load(path_);
    EXPECT_EQ(p.origin, path_);
    EXPECT_EQ(p.handoff_ns, 120);
    EXPECT_EQ(said_, "");
}

TEST_F(profile_file_on_disk, missing_is_silent) {
    EXPECT_EQ(load(path_).origin, "defaults");
    EXPECT_EQ(said_, "");
    EXPECT_EQ(load("").origin, "defaults");
    EXPECT_EQ(said_, "");
}

TEST_F(profile_file_on_disk, of_another_machine_is_refused) {
    bough::profile_file file = sample();
    file.cpu = "Elsewhere 9000, 3 CPUs";
    write(bough::to_json(file));
    expect_refused(path_, "of another machine (Elsewhere 9000, 3 CPUs; this is ");
}

TEST_F(profile_file_on_disk, damaged_is_refused) {
    write("{\"format\": \"bough profile\"");
    expect_refused(path_, "not JSON");
}

TEST_F(profile_file_on_disk, over_one_megabyte_is_refused) {
    write(bough::to_json(sample()) + std::string(1'000'001, ' '));
    expect_refused(path_, "1 MB");
}

TEST_F(profile_file_on_disk, a_folder_is_refused) {
    expect_refused(folder_.string(), "not a regular file");
}

// Nobody writes into it: to open it as any file would wait for ever.
TEST_F(profile_file_on_disk, a_pipe_is_refused_at_once) {
    ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
    expect_refused(path_, "not a regular file");
    EXPECT_THROW(bough::machine::read_regular_file(path_, 10), std::runtime_error)
        << "also without a look before";
    EXPECT_THROW(bough::machine::read_regular_file("/dev/zero", 10), std::runtime_error);
}

TEST_F(profile_file_on_disk, unreadable_is_refused) {
    if (geteuid() == 0)
        GTEST_SKIP() << "root reads everything";
    write(bough::to_json(sample()));
    fs::permissions(path_, fs::perms::none);
    expect_refused(path_, "cannot be opened");
}

TEST_F(profile_file_on_disk, a_name_cannot_break_the_line) {
    bough::profile_file file = sample();
    file.cpu = "two\nlines";
    write(bough::to_json(file));
    expect_refused(path_, "of another machine");
}

// ---- place

class environment_value {
public:
    environment_value(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) {
            had_ = true;
            old_ = old;
        }
        value != nullptr ? setenv(name, value, 1) : unsetenv(name);
    }
    ~environment_value() { had_ ? setenv(name_, old_.c_str(), 1) : unsetenv(name_); }
    environment_value(const environment_value&) = delete;
    environment_value& operator=(const environment_value&) = delete;

private:
    const char* name_;
    bool had_ = false;
    std::string old_;
};

TEST(profile, default_place) {
    const environment_value home("HOME", "/home-of-test");
    const environment_value config("XDG_CONFIG_HOME", nullptr);
    const environment_value named("BOUGH_PROFILE", nullptr);
    EXPECT_EQ(bough::default_profile_path(), "/home-of-test/.config/bough/profile.json");
    {
        const environment_value other("XDG_CONFIG_HOME", "/config");
        EXPECT_EQ(bough::default_profile_path(), "/config/bough/profile.json");
        const environment_value file("BOUGH_PROFILE", "here.json");
        EXPECT_EQ(bough::default_profile_path(), "here.json");
    }
    const environment_value no_home("HOME", nullptr);
    EXPECT_EQ(bough::default_profile_path(), "");
}

}  // namespace
