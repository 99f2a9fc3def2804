// Any environment: each value gives a setting within its bounds, which is the same again when it is written as a value;
// or one line that names it, and then the default holds. The input is as /proc/self/environ: NAME=value, zero bytes
// between.

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>

#include "fuzz_support.h"
#include "machine/interrupt.h"
#include "profile/settings.h"

namespace {

using bough_fuzz::check;

constexpr std::array names{"BOUGH_NUM_THREADS", "TBB_NUM_THREADS", "BOUGH_DISTRIBUTE", "BOUGH_GATE",
                           "BOUGH_SPIN_US",     "BOUGH_WAIT",      "BOUGH_PIN",        "BOUGH_STATS",
                           "BOUGH_PRINT",       "BOUGH_SIGNAL",    "BOUGH_CLOCK",      "BOUGH_WATCHDOG"};

using variables = std::map<std::string, std::string>;

struct parsed {
    bough::settings values;
    std::vector<std::string> complaints;
};

parsed parse(const variables& environment) {
    parsed result;
    result.values = bough::parse_settings(
        [&](const char* name) {
            const auto found = environment.find(name);
            return found == environment.end() ? nullptr : found->second.c_str();
        },
        result.complaints);
    return result;
}

bool is_same(const bough::settings& a, const bough::settings& b) {
    return a.threads == b.threads && a.distribute == b.distribute && a.gate == b.gate &&
           a.gate_ns == b.gate_ns && a.gate_mails == b.gate_mails && a.spin_us == b.spin_us &&
           a.waits_for_descendants == b.waits_for_descendants && a.signal == b.signal && a.pin == b.pin &&
           a.stats == b.stats && a.print == b.print && a.watchdog_s == b.watchdog_s &&
           a.watchdog_on_quit == b.watchdog_on_quit;
}

// README.md, "Settings by environment", and what the lines say that refuse.
void check_bounds(const bough::settings& s) {
    check(s.threads <= 4096, "up to 4096 threads", std::to_string(s.threads));
    check(s.threads == 0 ? s.threads_name.empty() : s.threads_name.ends_with("_NUM_THREADS"),
          "where the number of threads is from", s.threads_name);
    check(static_cast<unsigned>(s.distribute) <= 4 && !bough::name_of(s.distribute).empty(),
          "a distribution");
    check(s.gate == bough::gate_mode::fixed ? s.gate_ns >= 1 && s.gate_ns <= 1e9 : s.gate_ns == 0,
          "a gate from 1 ns to 1 s", std::to_string(s.gate_ns));
    check(s.gate == bough::gate_mode::count ? s.gate_mails >= 1 && s.gate_mails <= 1000 : s.gate_mails == 0,
          "a gate of 1 to 1000 hand-offs", std::to_string(s.gate_mails));
    check(s.spin_us == -1 || (s.spin_us >= 0 && s.spin_us <= 1e9) || std::isinf(s.spin_us),
          "a spin of 0 to 1e9 us, or forever", std::to_string(s.spin_us));
    check(s.signal >= bough::machine::first_interrupt() && s.signal <= bough::machine::last_interrupt(),
          "a real-time signal", std::to_string(s.signal));
    check(s.watchdog_s <= 86'400, "a watchdog that waits up to a day", std::to_string(s.watchdog_s));
}

std::string shortest(double x) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string gate_of(const bough::settings& s) {
    switch (s.gate) {
    case bough::gate_mode::timespan:
        return "timespan";
    case bough::gate_mode::off:
        return "off";
    case bough::gate_mode::fixed:
        return shortest(s.gate_ns) + "ns";
    case bough::gate_mode::count:
        return "count:" + std::to_string(s.gate_mails);
    }
    return "";
}

// The values that say what the settings are.
variables written(const bough::settings& s) {
    variables result{{"BOUGH_DISTRIBUTE", std::string(bough::name_of(s.distribute))},
                     {"BOUGH_GATE", gate_of(s)},
                     {"BOUGH_WAIT", s.waits_for_descendants ? "descendants" : "any"},
                     {"BOUGH_PIN", s.pin ? "1" : "0"},
                     {"BOUGH_STATS", s.stats ? "1" : "0"},
                     {"BOUGH_PRINT", s.print ? "1" : "0"},
                     {"BOUGH_SIGNAL", std::to_string(s.signal)}};
    if (s.threads != 0)
        result[s.threads_name] = std::to_string(s.threads);
    if (s.watchdog_s != 0 || s.watchdog_on_quit)
        result["BOUGH_WATCHDOG"] =
            s.watchdog_s == 0 ? "quit" : std::to_string(s.watchdog_s) + (s.watchdog_on_quit ? ",quit" : "");
    if (s.spin_us >= 0)
        result["BOUGH_SPIN_US"] = std::isinf(s.spin_us) ? "forever" : shortest(s.spin_us);
    return result;
}

// Of one variable alone: a setting and silence, or the default and one line.
void check_alone(const std::string& name, const std::string& value) {
    static const bough::settings usual = parse({}).values;
    const parsed alone = parse({{name, value}});
    check_bounds(alone.values);
    check(alone.complaints.size() <= 1, "one line at the most", std::to_string(alone.complaints.size()));
    if (alone.complaints.empty())
        return;
    const std::string& line = alone.complaints.front();
    check(bough_fuzz::is_one_line(line, 300), "one line, not a page", line);
    const bool is_printable = bough_fuzz::is_one_line(value, 80);
    check(line.starts_with(name + "=" + (is_printable ? value + ": " : "")), "it names what was given", line);
    check(line.find(": allowed: ") != std::string::npos && line.ends_with(" is used"),
          "it names what is allowed and what is used", line);
    check(is_same(alone.values, usual), "the default holds", line);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    variables given;
    for (const std::string& piece : bough_fuzz::pieces(bough_fuzz::text_of(data, size), '\0')) {
        const std::size_t equals = piece.find('=');
        if (equals == std::string::npos)
            continue;
        const std::string name = piece.substr(0, equals);
        if (std::find(names.begin(), names.end(), name) != names.end())
            given[name] = piece.substr(equals + 1);
    }
    const bool ours_is_set = given.count("BOUGH_NUM_THREADS") != 0 && !given["BOUGH_NUM_THREADS"].empty();
    std::size_t lines = 0;
    for (const auto& [name, value] : given) {
        check_alone(name, value);
        // TBB's name is not read where ours is set.
        const bool is_read = name != "TBB_NUM_THREADS" || !ours_is_set;
        lines += is_read ? parse({{name, value}}).complaints.size() : 0;
    }
    const parsed all = parse(given);
    check_bounds(all.values);
    check(all.complaints.size() == lines, "each bad value has its own line",
          std::to_string(all.complaints.size()));
    const parsed again = parse(written(all.values));
    check(again.complaints.empty(), "nothing is said about what was written",
          again.complaints.empty() ? "" : again.complaints.front());
    check(is_same(again.values, all.values), "the same settings again");
    return 0;
}
