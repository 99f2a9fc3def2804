// CPU quotas of cgroups, versions 1 and 2, in made-up trees: a table of what stands where, and how many CPUs that
// grants.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "machine/limits.h"

namespace {

namespace fs = std::filesystem;

struct file {
    const char* path;
    const char* text;
};

struct scenario {
    const char* name;
    std::string membership;
    std::vector<file> files;
    unsigned cpus;  // 0: no limit
};

const char* const v1_period = "cpu/g/cpu.cfs_period_us";
const char* const v1_quota = "cpu/g/cpu.cfs_quota_us";

std::vector<scenario> version_1() {
    return {
        {"whole", "3:cpu:/g", {{v1_quota, "300000\n"}, {v1_period, "100000\n"}}, 3},
        {"a part of one CPU", "3:cpu:/g", {{v1_quota, "1000\n"}, {v1_period, "1000000\n"}}, 1},
        {"one and a bit", "3:cpu:/g", {{v1_quota, "100001"}, {v1_period, "100000"}}, 2},
        {"none", "3:cpu:/g", {{v1_quota, "-1\n"}, {v1_period, "100000\n"}}, 0},
        {"period 0", "3:cpu:/g", {{v1_quota, "100000\n"}, {v1_period, "0\n"}}, 0},
        {"quota 0", "3:cpu:/g", {{v1_quota, "0\n"}, {v1_period, "100000\n"}}, 0},
        {"no period", "3:cpu:/g", {{v1_quota, "100000\n"}}, 0},
        {"no quota", "3:cpu:/g", {{v1_period, "100000\n"}}, 0},
        {"garbage", "3:cpu:/g", {{v1_quota, "a lot\n"}, {v1_period, "100000\n"}}, 0},
        {"empty files", "3:cpu:/g", {{v1_quota, ""}, {v1_period, ""}}, 0},
        {"beyond 64 bits", "3:cpu:/g", {{v1_quota, "9223372036854775808"}, {v1_period, "1"}}, 0},
        {"the largest number", "3:cpu:/g", {{v1_quota, "9223372036854775807"}, {v1_period, "1"}}, 0},
        {"a lower group", "3:cpu:/g/h", {{v1_quota, "200000"}, {v1_period, "100000"}}, 2},
        {"another's controller", "3:cpuset:/g", {{v1_quota, "200000"}, {v1_period, "100000"}}, 0},
        {"a name like it", "3:cpux,xcpu:/g", {{v1_quota, "200000"}, {v1_period, "100000"}}, 0},
        {"the last of several", "3:memory,pids,cpu:/g", {{v1_quota, "200000"}, {v1_period, "100000"}}, 2},
    };
}

std::vector<scenario> version_2() {
    return {
        {"whole", "0::/g", {{"g/cpu.max", "400000 100000\n"}}, 4},
        {"a part of one CPU", "0::/g", {{"g/cpu.max", "1000 1000000\n"}}, 1},
        {"one and a bit", "0::/g", {{"g/cpu.max", "100001 100000"}}, 2},
        {"max", "0::/g", {{"g/cpu.max", "max 100000\n"}}, 0},
        {"max alone", "0::/g", {{"g/cpu.max", "max\n"}}, 0},
        {"period 0", "0::/g", {{"g/cpu.max", "100000 0\n"}}, 0},
        {"negative", "0::/g", {{"g/cpu.max", "100000 -100000\n"}}, 0},
        {"no period", "0::/g", {{"g/cpu.max", "100000\n"}}, 0},
        {"empty", "0::/g", {{"g/cpu.max", ""}}, 0},
        {"only a line's end", "0::/g", {{"g/cpu.max", "\n"}}, 0},
        {"hexadecimal", "0::/g", {{"g/cpu.max", "0x30000 100000"}}, 0},
        {"a fraction", "0::/g", {{"g/cpu.max", "1.5 1"}}, 0},
        {"bytes", "0::/g", {{"g/cpu.max", "\xff\xfe 100000"}}, 0},
        {"missing", "0::/g", {}, 0},
        {"the root's", "0::/", {{"cpu.max", "200000 100000"}}, 2},
        {"the least of three",
         "0::/a/b/c",
         {{"a/cpu.max", "800000 100000"}, {"a/b/cpu.max", "max 100000"}, {"a/b/c/cpu.max", "300000 100000"}},
         3},
        {"a parent's", "0::/a/b/c", {{"a/cpu.max", "100000 100000"}, {"a/b/c/cpu.max", "900000 100000"}}, 1},
        {"a brother's", "0::/a/b", {{"a/c/cpu.max", "100000 100000"}}, 0},
        {"damage in between",
         "0::/a/b",
         {{"cpu.max", "500000 100000"}, {"a/cpu.max", "oops"}, {"a/b/cpu.max", "700000 100000"}},
         5},
        {"a name with a colon and a space", "0::/a:b c", {{"a:b c/cpu.max", "200000 100000"}}, 2},
        {"slashes", "0:://a//b/", {{"a/b/cpu.max", "200000 100000"}}, 2},
        {"above the root", "0::/../x", {{"cpu.max", "200000 100000"}}, 2},
    };
}

std::vector<scenario> lists_of_groups() {
    return {
        {"empty", "", {{"cpu.max", "100000 100000"}}, 0},
        {"not lines of groups", "one\ntwo:three\n:\n", {{"cpu.max", "100000 100000"}}, 0},
        {"both versions, the second less",
         "1:cpu:/g\n0::/g",
         {{v1_quota, "700000"}, {v1_period, "100000"}, {"unified/g/cpu.max", "500000 100000"}},
         5},
        {"both versions, the first less",
         "1:cpu:/g\n0::/g",
         {{v1_quota, "300000"}, {v1_period, "100000"}, {"unified/g/cpu.max", "500000 100000"}},
         3},
        {"no line's end", "5:memory:/x\n0::/g", {{"g/cpu.max", "200000 100000"}}, 2},
        {"a thousand levels",
         "0::" +
             [] {
                 std::string path;
                 for (int k = 0; k < 1000; ++k)
                     path += "/d";
                 return path;
             }(),
         {{"d/d/cpu.max", "200000 100000"}},
         2},
    };
}

class cgroup_table : public testing::TestWithParam<scenario> {};

TEST_P(cgroup_table, grants) {
    const scenario& s = GetParam();
    std::string pattern = (fs::temp_directory_path() / "bough_cgroups_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    const fs::path root = pattern;
    std::ofstream(root / "self") << s.membership;
    for (const file& f : s.files) {
        const fs::path path = root / "fs" / f.path;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << f.text;
    }
    EXPECT_EQ(bough::machine::cgroup_cpus((root / "self").string(), (root / "fs").string()), s.cpus)
        << s.name;
    fs::remove_all(root);
}

std::string name_of(const testing::TestParamInfo<scenario>& parameter) {
    std::string name = parameter.param.name;
    for (char& c : name)
        c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    return name;
}

INSTANTIATE_TEST_SUITE_P(version_1, cgroup_table, testing::ValuesIn(version_1()), name_of);
INSTANTIATE_TEST_SUITE_P(version_2, cgroup_table, testing::ValuesIn(version_2()), name_of);
INSTANTIATE_TEST_SUITE_P(lists, cgroup_table, testing::ValuesIn(lists_of_groups()), name_of);

}  // namespace
