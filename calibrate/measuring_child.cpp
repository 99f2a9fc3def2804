#include "measuring_child.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "machine/environment_names.h"

namespace bough::calibrate {
namespace {

constexpr std::chrono::seconds longest_silence{60};  // lines come ten times a second

std::string own_program() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

}  // namespace

temporary_profile::temporary_profile(const profile& values)
    : path_((std::filesystem::temp_directory_path() / "bough-calibrate-XXXXXX").string()) {
    const int fd = mkstemp(path_.data());
    if (fd < 0)
        throw std::runtime_error("no temporary file can be made in " +
                                 std::filesystem::temp_directory_path().string());
    close(fd);
    std::ofstream(path_) << to_json(
        {values, machine_identity(), "now", "made by bough-calibrate for itself"});
}

temporary_profile::~temporary_profile() {
    unlink(path_.c_str());
}

child measuring_child(const std::vector<std::string>& arguments, const child_settings& settings,
                      const profile& values, const temporary_profile& file) {
    child c{{own_program()},
            {{"BOUGH_NUM_THREADS", std::to_string(settings.threads)},
             {"BOUGH_DISTRIBUTE", settings.distribute},
             {"BOUGH_GATE", settings.gate},
             {"BOUGH_PROFILE", file.path()},
             {"BOUGH_CLOCK", values.counter_trusted ? std::optional<std::string>() : "steady"}},
            longest_silence};
    // All others are the caller's, misspelt names too: the parent has said what is wrong with them.
    for (const std::string& name : machine::environment_names("BOUGH_"))
        if (std::none_of(c.environment.begin(), c.environment.end(),
                         [&](const auto& ours) { return ours.first == name; }))
            c.environment.push_back({name, {}});
    c.command.insert(c.command.end(), arguments.begin(), arguments.end());
    return c;
}

}  // namespace bough::calibrate
