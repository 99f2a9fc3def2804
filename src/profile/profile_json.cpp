// The profile file: JSON, one object per value with its unit and method. The only place that knows the format.

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "bough/detail/bounds.h"
#include "profile/profile.h"

namespace bough {
namespace {

using nlohmann::json;

constexpr const char* format_name = "bough profile";
constexpr int format_version = 1;
constexpr std::size_t most_teams = detail::most_threads - 1;  // of 2 threads and more

// One table for writing and checking: what is sane is what no working machine leaves.
struct value_rule {
    const char* name;
    const char* unit;
    double least;
    double most;
    const char* how;
};
constexpr value_rule timespan_rule{
    "timespan", "ns", 1, 1e9,
    "99th percentile of distribution time per team size from 2 up, at most 4 medians"};
constexpr value_rule handoff_rule{"handoff", "ns", 1, 1e7, "median round trip of one cache line"};
constexpr value_rule wakeup_rule{"wakeup", "ns", 1, 1e9, "median from futex wake until the sleeper runs"};
constexpr value_rule steal_rule{"steal", "ns", 1, 1e8,
                                "median to take half of a descriptor held by another core"};
constexpr value_rule fan_out_rule{"fan_out", "parts", 2, 64, "see calibrate/README.md"};
constexpr value_rule spin_rule{"spin", "us", 0, 1e6, "about the cost of a wake-up"};

// Beside each measured value, as a share of it. A round of a busy machine takes up to a second, a hand-off 50 ns.
constexpr double most_spread = 1e9;

std::string number(double x) {
    return json(x).dump();
}

[[noreturn]] void refuse(const value_rule& rule, const std::string& found) {
    throw std::runtime_error(std::string(rule.name) + " is " + found + "; allowed are " + number(rule.least) +
                             " to " + number(rule.most) + " " + rule.unit);
}

double checked(const value_rule& rule, const json& value) {
    if (!value.is_number())
        refuse(rule, "not a number");
    const double x = value.get<double>();
    if (!std::isfinite(x) || x < rule.least || x > rule.most)
        refuse(rule, std::isfinite(x) ? number(x) : "not finite");
    return x;
}

json entry(const value_rule& rule, const json& value) {
    return {{"value", value}, {"unit", rule.unit}, {"how", rule.how}};
}

json spread_to_json(const std::optional<double>& spread) {
    return spread ? json(*spread) : json();
}

json entry(const value_rule& rule, const json& value, const std::optional<double>& spread) {
    json result = entry(rule, value);
    if (spread)
        result["spread"] = *spread;
    return result;
}

json timespan_entry(const profile& p) {
    json result = entry(timespan_rule, p.timespan_ns);
    for (const std::optional<double>& spread : p.spread.timespan)
        result["spread"].push_back(spread_to_json(spread));
    return result;
}

// null: not measured.
std::optional<double> checked_spread(const value_rule& rule, const json& spread) {
    if (spread.is_null())
        return std::nullopt;
    const double x = spread.is_number() ? spread.get<double>() : -1;
    if (!(x >= 0 && x <= most_spread))
        throw std::runtime_error("the spread of " + std::string(rule.name) + " is " +
                                 (spread.is_number() ? number(x) : "not a number") + "; allowed are 0 to " +
                                 number(most_spread));
    return x;
}

// Files of older calibrations have none.
std::optional<double> spread_of(const json& values, const value_rule& rule) {
    const json& of = values[rule.name];
    return of.contains("spread") ? checked_spread(rule, of["spread"]) : std::nullopt;
}

profile_spread spreads_from(const json& values, std::size_t teams) {
    profile_spread s;
    if (const json& timespans = values[timespan_rule.name]; timespans.contains("spread")) {
        const json& list = timespans["spread"];
        if (!list.is_array() || list.size() != teams)
            throw std::runtime_error("the spread of timespan is not a list as long as that of its values");
        for (const json& spread : list)
            s.timespan.push_back(checked_spread(timespan_rule, spread));
    }
    s.handoff = spread_of(values, handoff_rule);
    s.wakeup = spread_of(values, wakeup_rule);
    s.steal = spread_of(values, steal_rule);
    return s;
}

// Files of older calibrations do not say.
trust trust_from(const json& root) {
    const auto found = root.find("trusted");
    if (found == root.end())
        return trust::unsaid;
    if (!found->is_boolean())
        throw std::runtime_error("trusted is neither true nor false");
    return found->get<bool>() ? trust::yes : trust::no;
}

// Not by value(): that throws where there is something other than a text.
bool is_text(const json& object, const char* name, const char* wanted) {
    const auto found = object.find(name);
    return found != object.end() && *found == wanted;
}

// The value of an entry, whose unit must be the one that is written: a file edited to other units is refused.
const json& value_of(const json& values, const value_rule& rule) {
    const auto found = values.find(rule.name);
    if (found == values.end() || !found->is_object() || !found->contains("value"))
        throw std::runtime_error(std::string(rule.name) + " is missing");
    if (!is_text(*found, "unit", rule.unit))
        throw std::runtime_error(std::string(rule.name) + " has a unit other than " + rule.unit);
    return (*found)["value"];
}

std::string text_of(const json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_string())
        throw std::runtime_error(std::string(name) + " is missing or not a text");
    return found->get<std::string>();
}

profile values_from(const json& values) {
    profile p{};
    const json& timespans = value_of(values, timespan_rule);
    if (!timespans.is_array() || timespans.empty() || timespans.size() > most_teams)
        throw std::runtime_error("timespan is not a list of 1 to 4095 numbers");
    for (const json& t : timespans)
        p.timespan_ns.push_back(checked(timespan_rule, t));
    p.handoff_ns = checked(handoff_rule, value_of(values, handoff_rule));
    p.wakeup_ns = checked(wakeup_rule, value_of(values, wakeup_rule));
    p.steal_ns = checked(steal_rule, value_of(values, steal_rule));
    const json& parts = value_of(values, fan_out_rule);
    if (!parts.is_number_integer())
        refuse(fan_out_rule, "not a whole number");
    p.fan_out = static_cast<unsigned>(checked(fan_out_rule, parts));
    p.spin_us = checked(spin_rule, value_of(values, spin_rule));
    p.spread = spreads_from(values, p.timespan_ns.size());
    return p;
}

profile_file file_from(const json& root) {
    if (!is_text(root, "format", format_name))
        throw std::runtime_error("not a profile of bough");
    // Not by value(): it would cut 1.5 to 1, and has no meaning for 1e300.
    const auto version = root.find("version");
    if (version == root.end() || !version->is_number_integer() || *version != format_version)
        throw std::runtime_error("of another version than " + std::to_string(format_version));
    if (!root.contains("values") || !root["values"].is_object())
        throw std::runtime_error("values are missing");
    profile_file file{values_from(root["values"]), text_of(root, "cpu"), text_of(root, "date"),
                      text_of(root, "how")};
    const std::string clock = text_of(root, "clock");
    if (clock != "counter" && clock != "steady")
        throw std::runtime_error("clock is " + clock + "; allowed are counter and steady");
    file.values.counter_trusted = clock == "counter";
    file.values.trusted = trust_from(root);
    return file;
}

}  // namespace

std::string to_json(const profile_file& file) {
    const profile& p = file.values;
    json root = {{"format", format_name},
                 {"version", format_version},
                 {"cpu", file.cpu},
                 {"date", file.date},
                 {"how", file.how},
                 {"clock", p.counter_trusted ? "counter" : "steady"},
                 {"values",
                  {{timespan_rule.name, timespan_entry(p)},
                   {handoff_rule.name, entry(handoff_rule, p.handoff_ns, p.spread.handoff)},
                   {wakeup_rule.name, entry(wakeup_rule, p.wakeup_ns, p.spread.wakeup)},
                   {steal_rule.name, entry(steal_rule, p.steal_ns, p.spread.steal)},
                   {fan_out_rule.name, entry(fan_out_rule, p.fan_out)},
                   {spin_rule.name, entry(spin_rule, p.spin_us)}}}};
    if (p.trusted != trust::unsaid)
        root["trusted"] = p.trusted == trust::yes;
    // A CPU name that is not UTF-8 must not make the tool fail: such bytes are replaced.
    return root.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

profile_file parse_profile(const std::string& text) {
    // Deep nesting would exhaust the stack on destruction; the format needs four levels.
    constexpr int deepest = 8;
    const auto shallow = [](int depth, json::parse_event_t, json&) {
        if (depth > deepest)
            throw std::runtime_error("nested deeper than any profile");
        return true;
    };
    try {
        return file_from(json::parse(text, shallow));
    } catch (const json::parse_error& e) {
        throw std::runtime_error("not JSON (byte " + std::to_string(e.byte) + ")");
    } catch (const json::exception& e) {
        throw std::runtime_error(std::string("a value of the wrong kind (") + e.what() + ")");
    }
}

}  // namespace bough
