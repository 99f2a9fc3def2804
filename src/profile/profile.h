#pragma once
// The table of values that the scheduler is tuned by: measured by bough-calibrate, loaded at start, or defaults. What
// depends on the machine and is not here stands where it is used, with its origin. Times are in ns unless named.
// Method of each value: calibrate/README.md.

#include <optional>
#include <string>
#include <vector>

namespace bough {

// How far the repeated parts of the calibration lay apart, for each value that was measured: 0.1 is 10 %.
struct profile_spread {
    std::vector<std::optional<double>>
        timespan;  // as profile::timespan_ns; empty where the file says nothing
    std::optional<double> handoff;
    std::optional<double> wakeup;
    std::optional<double> steal;

    std::optional<double> largest() const;
    bool operator==(const profile_spread&) const = default;
};

// Whether the calibration found its own measurement quiet enough to be kept. Files of older calibrations do not say.
enum class trust : unsigned char { unsaid, no, yes };

struct profile {
    // timespan[k] is for a team of k + 2 threads: the 99th percentile of distribution time, at most four medians.
    std::vector<double> timespan_ns;
    double handoff_ns;   // store into a spinning thread's line until it has answered
    double wakeup_ns;    // futex wake until the sleeper runs
    double steal_ns;     // take half of a loop's pieces from another slot
    unsigned fan_out;    // parts a member of a team cuts its range into before it keeps one (2: halves)
    double spin_us;      // how long an idle thread spins before it parks
    std::string origin;  // "defaults", or the file it came from
    // False: calibration saw the cores' counters disagree. The runtime then calls machine::use_steady_clock() at
    // start, before its first thread.
    bool counter_trusted = true;
    trust trusted = trust::unsaid;  // no: taken by --force; it is used all the same
    profile_spread spread{};
    bool is_loaded = false;  // from the file `origin`
    std::string date{};      // of the calibration, as that file has it
    std::string refused{};   // why the defaults hold though there is a file; else empty

    // The timespan for a team of this size; larger teams than measured use the largest measured value.
    double timespan_for(unsigned team) const noexcept;
};

// Documented defaults, scaled by the number of usable CPUs. Origin of the numbers: calibrate/README.md.
profile default_profile(unsigned cpus);

// Where bough-calibrate writes and the runtime looks: $BOUGH_PROFILE, else $XDG_CONFIG_HOME/bough/profile.json,
// else ~/.config/bough/profile.json; empty when there is no home.
std::string default_profile_path();

// What bough-calibrate writes. `cpu` is the machine's identity (model name and CPU count).
struct profile_file {
    profile values;
    std::string cpu;
    std::string date;
    std::string how;
};

std::string machine_identity();

// Text of a profile file (JSON). to_json and parse_profile are inverse on the values.
std::string to_json(const profile_file& file);

// Throws std::runtime_error with a message that names what is wrong and what is allowed.
profile_file parse_profile(const std::string& text);

// The profile for this run. No file: defaults, silently unless BOUGH_PROFILE names it. Damaged, unreadable or of
// another machine: one line on stderr naming file and reason, then defaults. Throws std::bad_alloc alone.
profile load_profile(const std::string& path, unsigned cpus);

}  // namespace bough
