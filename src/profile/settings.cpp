// Environment values; see settings.h. One table row per choice, one parser per kind of value.

#include "profile/settings.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "bough/detail/bounds.h"
#include "bough/exports/environment.h"
#include "machine/environment_names.h"
#include "machine/interrupt.h"
#include "machine/once.h"
#include "machine/one_line.h"
#include "profile/profile.h"
#include "profile/variables.h"

namespace bough {
namespace {

using detail::most_threads;
constexpr double shortest_gate_ns = 1, longest_gate_ns = 1e9;
constexpr double longest_spin_us = 1e9;
constexpr std::uint32_t most_grain = 1'000'000;
constexpr unsigned longest_watch_s = 86'400;  // a day

template <typename T>
std::optional<T> parse_number(std::string_view text) {
    T value{};
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
        return std::nullopt;
    return value;
}

// "5us", "800ns", "0.1ms": ns.
std::optional<double> parse_time_ns(std::string_view text) {
    struct unit {
        std::string_view name;
        double ns;
    };
    for (const unit& u : {unit{"ns", 1}, unit{"us", 1e3}, unit{"ms", 1e6}}) {
        if (!text.ends_with(u.name))
            continue;
        const auto value = parse_number<double>(text.substr(0, text.size() - u.name.size()));
        if (value && *value * u.ns >= shortest_gate_ns && *value * u.ns <= longest_gate_ns)
            return *value * u.ns;
    }
    return std::nullopt;
}

// Of distribution.
constexpr std::array<std::string_view, 5> distribution_names{"tree", "even", "even-9-16", "uneven", "steal"};

// Of mailing.
constexpr std::array<std::string_view, 4> mailing_names{"start", "off", "letters", "always"};

// Of thieving.
constexpr std::array<std::string_view, 2> thieving_names{"watcher", "all"};

// Of stealing.
constexpr std::array<std::string_view, 3> stealing_names{"adaptive", "one", "half"};
constexpr std::array<std::string_view, 4> victim_names{"last-nearest", "last", "nearest", "random"};

// "count:3": 3.
std::optional<unsigned> parse_count(std::string_view text) {
    constexpr std::string_view prefix = "count:";
    constexpr unsigned most = 1000;
    if (!text.starts_with(prefix))
        return std::nullopt;
    const auto count = parse_number<unsigned>(text.substr(prefix.size()));
    return count && *count >= 1 && *count <= most ? count : std::nullopt;
}

class reader {
public:
    // Into `used` come the names of the variables that are set to what is allowed.
    reader(const environment& env, std::vector<std::string>& complaints, std::vector<std::string>& used)
        : env_(env), complaints_(complaints), used_(used) {}

    // Null: not set.
    const char* value(const char* name) {
        const char* text = env_(name);
        if (text == nullptr || *text == '\0')
            return nullptr;
        used_.emplace_back(name);
        return text;
    }

    void complain(const char* name, const char* given, const std::string& allowed, const std::string& used) {
        complaints_.push_back(std::string(name) + "=" + one_line(given) + ": allowed: " + allowed + "; " +
                              used + " is used");
        std::erase(used_, name);
    }

    // A value of `choices`, of which the first is the default; its index.
    std::size_t choice(const char* name, std::initializer_list<std::string_view> choices) {
        return choice(name, std::span(choices.begin(), choices.size()));
    }
    std::size_t choice(const char* name, std::span<const std::string_view> choices) {
        const char* given = value(name);
        if (given == nullptr)
            return 0;
        std::string allowed;
        std::size_t i = 0;
        for (const std::string_view c : choices) {
            if (c == given)
                return i;
            allowed += (i++ == 0 ? "" : ", ") + std::string(c);
        }
        complain(name, given, allowed, std::string(*choices.begin()));
        return 0;
    }

private:
    const environment& env_;
    std::vector<std::string>& complaints_;
    std::vector<std::string>& used_;
};

// BOUGH_NUM_THREADS wins, even when it is unusable: who set it did not mean TBB's.
void read_threads(reader& env, settings& s) {
    for (const char* name : {"BOUGH_NUM_THREADS", "TBB_NUM_THREADS"}) {
        const char* given = env.value(name);
        if (given == nullptr)
            continue;
        const auto count = parse_number<unsigned>(given);
        if (count && *count >= 1 && *count <= most_threads) {
            s.threads = *count;
            s.threads_name = name;
        } else {
            env.complain(name, given, "1 to " + std::to_string(most_threads), "the number of usable CPUs");
        }
        return;
    }
}

void read_gate(reader& env, settings& s) {
    s.gate = gate_mode::timespan;
    s.gate_ns = 0;
    const char* given = env.value("BOUGH_GATE");
    if (given == nullptr || std::string_view(given) == "timespan")
        return;
    if (std::string_view(given) == "off") {
        s.gate = gate_mode::off;
    } else if (const auto mails = parse_count(given)) {
        s.gate = gate_mode::count;
        s.gate_mails = *mails;
    } else if (const auto ns = parse_time_ns(given)) {
        s.gate = gate_mode::fixed;
        s.gate_ns = *ns;
    } else {
        env.complain("BOUGH_GATE", given,
                     "timespan, off, count:1 to count:1000, or a time from 1ns to 1000ms, in ns, us or ms, "
                     "such as 0.5us",
                     "timespan");
    }
}

std::uint32_t read_grain(reader& env) {
    const char* given = env.value("BOUGH_GRAIN");
    if (given == nullptr || std::string_view(given) == "adaptive")
        return 0;
    const auto units = parse_number<std::uint32_t>(given);
    if (units && *units >= 1 && *units <= most_grain)
        return *units;
    env.complain("BOUGH_GRAIN", given, "adaptive, or 1 to " + std::to_string(most_grain) + " (units)",
                 "adaptive");
    return 0;
}

double read_spin(reader& env) {
    const char* given = env.value("BOUGH_SPIN_US");
    if (given == nullptr)
        return -1;
    if (std::string_view(given) == "forever")
        return std::numeric_limits<double>::infinity();
    const auto us = parse_number<double>(given);
    if (us && std::isfinite(*us) && !std::signbit(*us) && *us <= longest_spin_us)
        return *us;
    env.complain("BOUGH_SPIN_US", given, "0 to 1e9 (microseconds), or forever",
                 "the profile's value, or 20,");
    return -1;
}

// Counted from the end: the first ones are what programs take, and libraries.
int read_signal(reader& env) {
    const int first = machine::first_interrupt(), last = machine::last_interrupt();
    const int usual = last - 6;
    const char* given = env.value("BOUGH_SIGNAL");
    if (given == nullptr)
        return usual;
    const auto number = parse_number<int>(given);
    if (number && *number >= first && *number <= last)
        return *number;
    env.complain("BOUGH_SIGNAL", given,
                 std::to_string(first) + " to " + std::to_string(last) + " (real-time signals)",
                 std::to_string(usual));
    return usual;
}

// "5", "quit", "5,quit".
void read_watchdog(reader& env, settings& s) {
    constexpr std::string_view on_quit = "quit", both = ",quit";
    s.watchdog_s = 0;
    s.watchdog_on_quit = false;
    const char* given = env.value("BOUGH_WATCHDOG");
    if (given == nullptr)
        return;
    const std::string_view text = given;
    const bool has_both = text.ends_with(both);
    const auto seconds = parse_number<unsigned>(text.substr(0, text.size() - (has_both ? both.size() : 0)));
    if (text == on_quit) {
        s.watchdog_on_quit = true;
    } else if (seconds && *seconds >= 1 && *seconds <= longest_watch_s) {
        s.watchdog_s = *seconds;
        s.watchdog_on_quit = has_both;
    } else {
        env.complain("BOUGH_WATCHDOG", given,
                     "1 to " + std::to_string(longest_watch_s) + " (seconds), quit, or both such as 5,quit",
                     "none");
    }
}

}  // namespace

std::string_view name_of(distribution d) {
    return distribution_names[static_cast<std::size_t>(d)];
}

std::string_view name_of(mailing m) {
    return mailing_names[static_cast<std::size_t>(m)];
}

std::string_view name_of(thieving t) {
    return thieving_names[static_cast<std::size_t>(t)];
}

std::string_view name_of(stealing s) {
    return stealing_names[static_cast<std::size_t>(s)];
}

std::string_view name_of(victim_choice v) {
    return victim_names[static_cast<std::size_t>(v)];
}

settings parse_settings(const environment& environment_of, std::vector<std::string>& complaints) {
    settings s{};
    reader env(environment_of, complaints, s.from_environment);
    read_threads(env, s);
    s.distribute = static_cast<distribution>(env.choice("BOUGH_DISTRIBUTE", distribution_names));
    read_gate(env, s);
    s.mail = static_cast<mailing>(env.choice("BOUGH_MAIL", mailing_names));
    s.thieves = static_cast<thieving>(env.choice("BOUGH_THIEVES", thieving_names));
    s.steals = static_cast<stealing>(env.choice("BOUGH_STEAL", stealing_names));
    s.victims = static_cast<victim_choice>(env.choice("BOUGH_VICTIMS", victim_names));
    s.grain = read_grain(env);
    s.predicts = env.choice("BOUGH_PREDICT", {"1", "0"}) == 0;
    s.spin_us = read_spin(env);
    s.waits_for_descendants = env.choice("BOUGH_WAIT", {"any", "descendants"}) == 1;
    s.pin = env.choice("BOUGH_PIN", {"0", "1"}) == 1;
    s.stats = env.choice("BOUGH_STATS", {"0", "1"}) == 1;
    s.print = env.choice("BOUGH_PRINT", {"0", "1"}) == 1;
    s.signal = read_signal(env);
    read_watchdog(env, s);
    env.choice("BOUGH_CLOCK", {"counter", "steady"});
    env.value("BOUGH_PROFILE");
    const char* twins = env.value("BOUGH_WARN_TWINS");
    s.warns_of_twins = twins == nullptr || std::string_view(twins) != "0";
    return s;
}

settings read_settings() {
    std::vector<std::string> complaints;
    settings s = parse_settings(detail::environment_value, complaints);
    s.profile_path = default_profile_path();
    for (std::string& line : unknown_variables(machine::environment_names("BOUGH_")))
        complaints.push_back(std::move(line));
    for (const std::string& line : complaints)
        std::fprintf(stderr, "bough: %s\n", line.c_str());
    return s;
}

const settings& process_settings() {
    static constinit machine::made_once<settings> one;
    return one.get(read_settings);
}

}  // namespace bough
