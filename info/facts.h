#pragma once
// What `bough info` tells, gathered once; report_text.cpp and report_json.cpp print it.

#include <optional>
#include <string>
#include <vector>

#include "library.h"
#include "machine/topology.h"
#include "profile/description.h"

namespace bough::info {

struct limits {
    unsigned online;                 // CPUs of the machine
    std::vector<unsigned> affinity;  // the kernel's numbers of those that the affinity mask allows
    unsigned quota;                  // CPUs that the cgroup's quota grants; 0: no quota
    unsigned usable;                 // the least of these
};

struct profile_state {
    std::string file;                 // empty: no place for one is known
    std::string_view state;           // "loaded", "missing" or "refused"
    std::string date;                 // of the calibration, if it is loaded
    std::optional<double> age_s;      // if the date can be read
    std::string reason;               // if it is refused
    std::optional<bool> trusted;      // whether the calibration trusted itself, if the file says so
    std::vector<double> timespan_ns;  // what holds, loaded or default: for 2 threads, 3, and so on
};

struct facts {
    std::string version;
    libraries onetbb;
    std::string cpu_model;
    const machine::topology* topology;
    limits limit;
    profile_state profile;
    std::vector<described_value> settings;
};

// Some ms. Starts no thread.
facts gather();

// Of a date as bough-calibrate writes it, "2026-01-02T03:04:05Z"; none: it is another text. `now` in s since 1970.
std::optional<double> age_of(const std::string& date, double now);

std::string text_of(const facts& f);
std::string json_of(const facts& f);

}  // namespace bough::info
