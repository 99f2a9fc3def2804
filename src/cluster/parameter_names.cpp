#include "cluster/parameter_names.h"

#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>

namespace bough::cluster {
namespace {

using member =
    std::variant<time_ns parameters::*, double parameters::*, std::uint32_t parameters::*, int parameters::*>;

struct named_parameter {
    std::string_view name;
    member of;
    double least, most;
};

constexpr double hour_us = 3.6e9, some = 1e6, many = 1e9;

constexpr named_parameter named[] = {
    {"tasks_per_steal", &parameters::tasks_per_steal, 1, some},
    {"steals_on_the_way", &parameters::steals_on_the_way, 1, UINT32_MAX},
    {"back_off_first_us", &parameters::back_off_first, 1, hour_us},
    {"back_off_cap_us", &parameters::back_off_cap, 1, hour_us},
    {"smoothing", &parameters::smoothing, 0, 1},
    {"log_offset", &parameters::log_offset, 1, some},
    {"initial_rate", &parameters::initial_rate, 0, many},
    {"least_rate", &parameters::least_rate, 0, many},
    {"refresh_first_us", &parameters::refresh_first, 1, hour_us},
    {"refresh_longer_us", &parameters::refresh_longer, 0, hour_us},
    {"refresh_cap_us", &parameters::refresh_cap, 1, hour_us},
    {"refresh_shorter_us", &parameters::refresh_shorter, 0, hour_us},
    {"refresh_floor_us", &parameters::refresh_floor, 1, hour_us},
    {"refresh_asks", &parameters::refresh_asks, 1, some},
    {"probe_pause_first_us", &parameters::probe_pause_first, 0, hour_us},
    {"probe_pause_cap_us", &parameters::probe_pause_cap, 0, hour_us},
    {"flat_broadcast", &parameters::flat_broadcast, 0, some},
    {"alive_every_us", &parameters::alive_every, 1'000, hour_us},
    {"lost_after_us", &parameters::lost_after, 0, hour_us},
};

[[noreturn]] void refuse_name(std::string_view assignment) {
    std::string allowed;
    for (const named_parameter& p : named) {
        allowed += allowed.empty() ? "" : ", ";
        allowed += p.name;
    }
    throw std::invalid_argument("'" + std::string(assignment) +
                                "' is not NAME=VALUE with one of these names: " + allowed);
}

template <class Value>
[[noreturn]] void refuse_value(const named_parameter& p, const Value& value) {
    std::ostringstream said;
    said.precision(12);
    said << p.name << ": '" << value << "' is no "
         << (std::holds_alternative<double parameters::*>(p.of) ? "" : "whole ") << "number from " << p.least
         << " to " << p.most;
    throw std::invalid_argument(said.str());
}

bool is_in_range(const named_parameter& p, double value) {
    return value >= p.least && value <= p.most;  // what is no number is not
}

template <class Number>
Number number(const named_parameter& p, std::string_view value) {
    Number n{};
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
    if (error != std::errc() || end != value.data() + value.size() || !is_in_range(p, static_cast<double>(n)))
        refuse_value(p, value);
    return n;
}

// In its unit.
double value_of(const named_parameter& p, const parameters& all) {
    return std::visit(
        [&all](auto which) {
            const auto value = static_cast<double>(all.*which);
            return std::is_same_v<decltype(which), time_ns parameters::*> ? value / 1e3 : value;
        },
        p.of);
}

std::string us(time_ns time) {
    return std::to_string(time / 1_us);
}

void check_order(std::string_view low, time_ns at_most, std::string_view high, time_ns at_least) {
    if (at_most > at_least)
        throw std::invalid_argument(std::string(low) + ": " + us(at_most) + " is more than " +
                                    std::string(high) + ", " + us(at_least));
}

}  // namespace

void set_parameter(parameters& in, std::string_view assignment) {
    const std::size_t equals = assignment.find('=');
    for (const named_parameter& p : named) {
        if (equals == std::string_view::npos || assignment.substr(0, equals) != p.name)
            continue;
        const std::string_view value = assignment.substr(equals + 1);
        if (const auto* const time = std::get_if<time_ns parameters::*>(&p.of))
            in.** time = 1_us * number<time_ns>(p, value);
        else if (const auto* const real = std::get_if<double parameters::*>(&p.of))
            in.** real = number<double>(p, value);
        else if (const auto* const count = std::get_if<std::uint32_t parameters::*>(&p.of))
            in.** count = number<std::uint32_t>(p, value);
        else
            in.*std::get<int parameters::*>(p.of) = number<int>(p, value);
        return;
    }
    refuse_name(assignment);
}

// Ranges first: a program may have set members by itself, and twice a time that is too long would overflow below.
void check_parameters(const parameters& all) {
    for (const named_parameter& p : named)
        if (const double value = value_of(p, all); !is_in_range(p, value))
            refuse_value(p, value);
    check_order("back_off_first_us", all.back_off_first, "back_off_cap_us", all.back_off_cap);
    check_order("refresh_floor_us", all.refresh_floor, "refresh_cap_us", all.refresh_cap);
    check_order("probe_pause_first_us", all.probe_pause_first, "probe_pause_cap_us", all.probe_pause_cap);
    if (all.lost_after != 0 && all.lost_after < 2 * all.alive_every)
        throw std::invalid_argument("lost_after_us: " + us(all.lost_after) +
                                    " is neither 0 nor at least twice alive_every_us, " +
                                    us(all.alive_every));
}

}  // namespace bough::cluster
