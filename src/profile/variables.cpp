#include "profile/variables.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "machine/one_line.h"

namespace bough {
namespace {

constexpr std::string_view prefix = "BOUGH_";

constexpr std::array<std::string_view, 19> settings_by_environment{
    "BOUGH_NUM_THREADS", "BOUGH_PROFILE", "BOUGH_SPIN_US",  "BOUGH_PIN",       "BOUGH_DISTRIBUTE",
    "BOUGH_GATE",        "BOUGH_MAIL",    "BOUGH_THIEVES",  "BOUGH_STEAL",     "BOUGH_VICTIMS",
    "BOUGH_GRAIN",       "BOUGH_PREDICT", "BOUGH_WAIT",     "BOUGH_SIGNAL",    "BOUGH_CLOCK",
    "BOUGH_STATS",       "BOUGH_PRINT",   "BOUGH_WATCHDOG", "BOUGH_WARN_TWINS"};

// No settings, as each queue is a library of its own. The first was one.
constexpr std::array<std::string_view, 2> names_for_queue{"BOUGH_QUEUE", "BOUGH_VARIANT"};
constexpr std::string_view instead_of_queue = "bough-run --variant NAME PROGRAM starts a program with "
                                              "another queue; NAME is mutex, abp, split, split-signal, "
                                              "split-signal-conservative, split-signal-half or channels";

// Read by others than the runtime: its tests, ./dev and .ci/run, and CMake's find_package(). All BOUGH_TEST_... too.
constexpr std::array<std::string_view, 6> read_by_others{"BOUGH_FAKE_CPUS", "BOUGH_JOBS", "BOUGH_WERROR",
                                                         "BOUGH_TBB_ROOT",  "BOUGH_ROOT", "BOUGH_DIR"};

template <class Names>
bool holds(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_known(std::string_view name) {
    return holds(settings_by_environment, name) || holds(read_by_others, name) ||
           name.starts_with("BOUGH_TEST_");
}

// THREADS stands in NUM_THREADS, and SPIN in SPIN_US.
bool stands_in(std::string_view words, std::string_view text) {
    const auto bounded = [](std::string_view s) { return std::string("_").append(s).append("_"); };
    return bounded(text).find(bounded(words)) != std::string::npos;
}

// Levenshtein's: characters to insert, to remove or to replace.
std::size_t edits(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < from.size(); ++i) {
        std::size_t diagonal = row[0]++;
        for (std::size_t j = 0; j < to.size(); ++j)
            diagonal = std::exchange(
                row[j + 1], std::min({row[j + 1] + 1, row[j] + 1, diagonal + (from[i] == to[j] ? 0 : 1)}));
    }
    return row.back();
}

// Empty: none is near. BOUGH_SPIN means BOUGH_SPIN_US, though BOUGH_PIN is one edit away: whole words go first. Most of
// the longer name must be the same: three edits make PRINT out of VARIANT, and nobody means that.
std::string_view nearest(std::string_view name) {
    constexpr std::size_t longest = 40, most_edits = 3, letters_per_edit = 3;
    const std::string_view given = name.substr(prefix.size());
    std::string_view best;
    if (given.empty() || given.size() > longest)
        return best;
    std::size_t least = most_edits + 1;
    for (const std::string_view setting : settings_by_environment) {
        const std::string_view known = setting.substr(prefix.size());
        const std::size_t distance =
            stands_in(given, known) || stands_in(known, given) ? 0 : edits(given, known);
        const std::size_t allowed = std::max(given.size(), known.size()) / letters_per_edit;
        if (distance < least && distance <= allowed) {
            least = distance;
            best = setting;
        }
    }
    return best;
}

}  // namespace

std::span<const std::string_view> setting_variables() {
    return settings_by_environment;
}

std::vector<std::string> unknown_variables(const std::vector<std::string>& names) {
    std::vector<std::string> lines;
    for (const std::string& name : names) {
        if (!name.starts_with(prefix) || is_known(name))
            continue;
        if (holds(names_for_queue, name)) {
            lines.push_back(name + " is no setting; " + std::string(instead_of_queue));
            continue;
        }
        const std::string_view near = nearest(name);
        lines.push_back(one_line(name) + " is no setting; " +
                        (near.empty() ? "`bough info` lists those that there are"
                                      : "the nearest is " + std::string(near)));
    }
    return lines;
}

}  // namespace bough
