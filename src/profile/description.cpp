#include "profile/description.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "bough/exports/environment.h"
#include "bough/exports/version.h"
#include "machine/clock.h"
#include "machine/one_line.h"

namespace bough {
namespace {

// The shortest text that reads as the same number.
std::string text_of(double x) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

std::string gate_of(const settings& s) {
    switch (s.gate) {
    case gate_mode::off:
        return "off";
    case gate_mode::fixed:
        return text_of(s.gate_ns);
    case gate_mode::count:
        return "count:" + std::to_string(s.gate_mails);
    case gate_mode::timespan:
        break;
    }
    return "timespan";
}

std::string watchdog_of(const settings& s) {
    if (s.watchdog_s == 0)
        return s.watchdog_on_quit ? "quit" : "none";
    return std::to_string(s.watchdog_s) + (s.watchdog_on_quit ? ",quit" : "");
}

std::string trust_of(const profile& p) {
    const std::optional<double> spread = p.spread.largest();
    const std::string apart =
        spread ? ", its repeated parts up to " + std::to_string(std::lround(*spread * 100)) + " % apart" : "";
    switch (p.trusted) {
    case trust::yes:
        return "trusted" + apart;
    case trust::no:
        return "not to be trusted, taken by --force" + apart;
    case trust::unsaid:
        break;
    }
    return "it does not say whether it is to be trusted; a new calibration does";
}

std::string state_of(const profile& p) {
    if (p.is_loaded)
        return "loaded, measured " + one_line(p.date) + ": " + trust_of(p);
    return p.refused.empty() ? "no such file, so the defaults hold: bough-calibrate makes one"
                             : "refused, so the defaults hold: " + p.refused;
}

// What is said of a setting that this library does not read: which variants do.
std::string only_on(std::string_view begin_of_names, std::string_view variants) {
    if (std::string_view(variant()).starts_with(begin_of_names))
        return "";
    return "no effect here: only on " + std::string(variants);
}

// Tasks with a tag are not mailed, and where waits take descendants only, all tasks have one.
std::string note_on_mail(const settings& s) {
    return s.waits_for_descendants && s.mail != mailing::off ? "no effect: wait is descendants" : "";
}

class table {
public:
    table(const settings& s, const profile& p) : settings_(s), profile_(p) {}

    void add_threads(unsigned threads) {
        const bool is_given = settings_.threads != 0;
        values_.push_back({"threads", "BOUGH_NUM_THREADS", std::to_string(threads), "",
                           is_given ? "environment" : "default",
                           is_given ? "by " + settings_.threads_name : "the usable CPUs"});
    }
    // A setting that holds unless its variable says otherwise.
    void add(std::string_view name, std::string_view variable, std::string value, std::string note = "",
             std::string_view unit = "") {
        values_.push_back({name, variable, std::move(value), unit,
                           given(variable) ? "environment" : "default", std::move(note)});
    }
    // A value of the profile, or of its variable if that is set.
    void add_measured(std::string_view name, double value, std::string_view unit,
                      std::string_view variable = "", std::string note = "") {
        values_.push_back({name, variable, std::isinf(value) ? "forever" : text_of(value),
                           std::isinf(value) ? "" : unit, given(variable) ? "environment" : of_profile(),
                           std::move(note)});
    }
    void add_clock(const machine::clock_info& clock) {
        const bool is_steady = clock.source == machine::clock_source::steady;
        const std::string_view why = given("BOUGH_CLOCK")       ? "environment"
                                     : !is_steady               ? "default"
                                     : profile_.counter_trusted ? "machine"
                                                                : "profile";
        values_.push_back({"clock", "BOUGH_CLOCK", is_steady ? "steady" : "counter", "", why, clock.note});
    }
    // What no variable sets, as it lies in the library.
    void add_built_in(std::string_view name, std::string value) {
        values_.push_back({name, "", std::move(value), "", "library", ""});
    }
    std::vector<described_value> values() && { return std::move(values_); }

private:
    bool given(std::string_view variable) const {
        const auto& all = settings_.from_environment;
        return std::find(all.begin(), all.end(), variable) != all.end();
    }
    std::string_view of_profile() const { return profile_.is_loaded ? "profile" : "default"; }

    const settings& settings_;
    const profile& profile_;
    std::vector<described_value> values_;
};

std::string padded(std::string_view text, std::size_t width) {
    std::string result(text);
    result.resize(std::max(width, text.size() + 1), ' ');
    return result;
}

// A number that is too long for its column: four digits, or three decimals below 1.
std::string rounded(const std::string& number) {
    double x;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), x);
    if (error != std::errc() || end != number.data() + number.size() || x < 0 || x > 1e9)
        return number;
    const int decimals = x < 10 ? 3 : x < 100 ? 2 : x < 1000 ? 1 : 0;
    char text[32];
    std::string result(text,
                       std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, decimals).ptr);
    if (decimals != 0)
        result.erase(result.find_last_not_of('0') + 1);
    return result.back() == '.' ? result.substr(0, result.size() - 1) : result;
}

std::string with_unit(const described_value& v) {
    return v.unit.empty() ? v.value : v.value + " " + std::string(v.unit);
}

}  // namespace

std::vector<described_value> describe(const settings& s, const profile& p, const tuning& t) {
    table all(s, p);
    all.add_threads(t.threads);
    all.add("profile", "BOUGH_PROFILE", s.profile_path.empty() ? "none" : one_line(s.profile_path, 4096),
            state_of(p));
    all.add_measured("spin", s.spin_us >= 0 ? s.spin_us : p.spin_us, "us", "BOUGH_SPIN_US");
    all.add("pin", "BOUGH_PIN", s.pin ? "1" : "0");
    all.add("distribute", "BOUGH_DISTRIBUTE", std::string(name_of(s.distribute)));
    all.add("gate", "BOUGH_GATE", gate_of(s), "", s.gate == gate_mode::fixed ? "ns" : "");
    all.add("mail", "BOUGH_MAIL", std::string(name_of(s.mail)), note_on_mail(s));
    all.add("thieves", "BOUGH_THIEVES", std::string(name_of(s.thieves)));
    all.add("steals", "BOUGH_STEAL", std::string(name_of(s.steals)),
            only_on("channels", "the variant channels"));
    all.add("victims", "BOUGH_VICTIMS", std::string(name_of(s.victims)));
    all.add("grain", "BOUGH_GRAIN", s.grain == 0 ? "adaptive" : std::to_string(s.grain));
    all.add("predict", "BOUGH_PREDICT", s.predicts ? "1" : "0");
    all.add("wait", "BOUGH_WAIT", s.waits_for_descendants ? "descendants" : "any");
    all.add("signal", "BOUGH_SIGNAL", std::to_string(s.signal),
            only_on("split-signal", "the variants split-signal..."));
    all.add_clock(machine::clock());
    all.add("statistics", "BOUGH_STATS", s.stats ? "1" : "0");
    all.add("print", "BOUGH_PRINT", s.print ? "1" : "0");
    all.add("watchdog", "BOUGH_WATCHDOG", watchdog_of(s));
    all.add("warn-twins", "BOUGH_WARN_TWINS", s.warns_of_twins ? "1" : "0");
    all.add_built_in("queue", variant());
    all.add_measured("timespan", p.timespan_for(t.threads), "ns", "",
                     "for " + std::to_string(t.threads) + " threads");
    all.add_measured("hand-off", p.handoff_ns, "ns");
    all.add_measured("wake-up", p.wakeup_ns, "ns");
    all.add_measured("steal", p.steal_ns, "ns");
    all.add_measured("fan-out", p.fan_out, "");
    return std::move(all).values();
}

std::string lines_of(const std::vector<described_value>& values, std::string_view begin) {
    constexpr std::size_t name_width = 12, value_width = 14, why_width = 13, variable_width = 19;
    std::string text;
    for (const described_value& v : values) {
        described_value shown = v;
        if (!v.unit.empty() && with_unit(v).size() >= value_width)
            shown.value = rounded(v.value);
        const std::string value = with_unit(shown);
        const bool fits = value.size() < value_width;
        std::string line = padded(v.name, name_width) + padded(fits ? value : "", value_width) +
                           padded(v.why, why_width) + padded(v.variable, variable_width);
        if (!fits)
            line += v.note.empty() ? value : value + ": ";
        line += v.note;
        line.erase(line.find_last_not_of(' ') + 1);
        text.append(begin).append(line) += '\n';
    }
    return text;
}

}  // namespace bough
