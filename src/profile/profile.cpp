// Defaults, place and loading of the profile; see profile.h. The file format is in profile_json.cpp.

#include "profile/profile.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <new>
#include <stdexcept>

#include "bough/detail/bounds.h"
#include "bough/exports/environment.h"
#include "machine/file.h"
#include "machine/identity.h"
#include "machine/one_line.h"

namespace bough {
namespace {

// Origin of the numbers: calibrate/README.md, "Defaults".
constexpr double default_handoff_ns = 250;
constexpr double default_wakeup_ns = 20'000;
constexpr double default_steal_ns = 500;
constexpr unsigned default_fan_out = 3;
constexpr double gate_handoffs_per_level = 4;

constexpr std::size_t most_bytes = 1'000'000;  // 4096 team sizes take 200 kB

unsigned levels(unsigned team) {
    unsigned depth = 0;
    while (depth < 31 && (1U << depth) < team)
        ++depth;
    return depth;
}

std::string not_empty(const char* name) {
    const char* value = detail::environment_value(name);
    return value == nullptr ? "" : value;
}

profile load_or_throw(const std::string& path) {
    profile_file file = parse_profile(machine::read_regular_file(path, most_bytes));
    const std::string here = machine_identity();
    if (file.cpu != here)
        throw std::runtime_error("it is of another machine (" + file.cpu + "; this is " + here + ")");
    file.values.origin = path;
    file.values.date = file.date;
    file.values.is_loaded = true;
    return file.values;
}

}  // namespace

double profile::timespan_for(unsigned team) const noexcept {
    if (team < 2 || timespan_ns.empty())
        return 0;
    return timespan_ns[std::min<std::size_t>(team - 2, timespan_ns.size() - 1)];
}

std::optional<double> profile_spread::largest() const {
    std::optional<double> most;
    const auto look = [&most](const std::optional<double>& s) {
        if (s && (!most || *s > *most))
            most = s;
    };
    std::for_each(timespan.begin(), timespan.end(), look);
    look(handoff);
    look(wakeup);
    look(steal);
    return most;
}

profile default_profile(unsigned cpus) {
    profile p{};
    const unsigned largest = std::clamp(cpus, 2U, detail::most_threads);
    for (unsigned team = 2; team <= largest; ++team)
        p.timespan_ns.push_back(gate_handoffs_per_level * default_handoff_ns * levels(team));
    p.handoff_ns = default_handoff_ns;
    p.wakeup_ns = default_wakeup_ns;
    p.steal_ns = default_steal_ns;
    p.fan_out = default_fan_out;
    p.spin_us = default_wakeup_ns / 1000;
    p.origin = "defaults";
    return p;
}

std::string default_profile_path() {
    if (std::string file = not_empty("BOUGH_PROFILE"); !file.empty())
        return file;
    if (const std::string config = not_empty("XDG_CONFIG_HOME"); !config.empty())
        return config + "/bough/profile.json";
    const std::string home = not_empty("HOME");
    return home.empty() ? "" : home + "/.config/bough/profile.json";
}

std::string machine_identity() {
    // Online CPUs, not usable ones: a process under taskset or a quota still runs on the machine that was measured.
    return machine::cpu_model() + ", " + std::to_string(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))) +
           " CPUs";
}

profile load_profile(const std::string& path, unsigned cpus) {
    std::error_code error;
    const auto state = std::filesystem::status(path, error).type();
    const bool asked_for = !path.empty() && path == not_empty("BOUGH_PROFILE");
    // Where nothing is, or nobody lets us look, nothing was meant for us; unless somebody has named it.
    const bool is_there =
        state != std::filesystem::file_type::not_found && state != std::filesystem::file_type::none;
    if (path.empty() || (!is_there && !asked_for))
        return default_profile(cpus);
    profile defaults = default_profile(cpus);
    try {
        return load_or_throw(path);
    } catch (const std::bad_alloc&) {
        throw;  // it says nothing about the profile
    } catch (const std::exception& e) {
        defaults.refused = one_line(e.what(), 400);
        std::fprintf(stderr, "bough: profile %s: %s; defaults are used\n", one_line(path, 4096).c_str(),
                     defaults.refused.c_str());
    }
    return defaults;
}

}  // namespace bough
