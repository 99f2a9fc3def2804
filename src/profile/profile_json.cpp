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

// The value of an entry, whose unit must be the one that is written: a file edited to other units is refused.
const json& value_of(const json& values, const value_rule& rule) {
    const auto found = values.find(rule.name);
    if (found == values.end() || !found->is_object() || !found->contains("value"))
        throw std::runtime_error(std::string(rule.name) + " is missing");
    if (found->value("unit", "") != rule.unit)
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
    return p;
}

profile_file file_from(const json& root) {
    if (!root.is_object() || root.value("format", "") != format_name)
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
    return file;
}

}  // namespace

std::string to_json(const profile_file& file) {
    const profile& p = file.values;
    const json root = {{"format", format_name},
                       {"version", format_version},
                       {"cpu", file.cpu},
                       {"date", file.date},
                       {"how", file.how},
                       {"clock", p.counter_trusted ? "counter" : "steady"},
                       {"values",
                        {{timespan_rule.name, entry(timespan_rule, p.timespan_ns)},
                         {handoff_rule.name, entry(handoff_rule, p.handoff_ns)},
                         {wakeup_rule.name, entry(wakeup_rule, p.wakeup_ns)},
                         {steal_rule.name, entry(steal_rule, p.steal_ns)},
                         {fan_out_rule.name, entry(fan_out_rule, p.fan_out)},
                         {spin_rule.name, entry(spin_rule, p.spin_us)}}}};
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
