#include "profile/tuning.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "bough/version.h"
#include "machine/limits.h"
#include "machine/once.h"
#include "machine/topology.h"
#include "profile/description.h"
#include "profile/profile.h"

namespace bough {
namespace {

constexpr double forever_us = 1e12;
constexpr machine::ticks never = ~machine::ticks{0};

// Constants that no machine changes, with their reasons.
constexpr double least_batch_ns = 2000;  // a claim with its clock read costs 20 ns: 1 % of a batch
// A worker leaves after that. The members of a team come back one after the other, so it costs more than a wake-up: on
// the virtual machine 50 us are too short for 48 cores, and 400 no better than 200. oneTBB's stay for a millisecond.
constexpr double stay_us = 200;
constexpr double quiet_us = 10'000;            // the watcher parks after that: 500 times what waking it costs
constexpr double longest_awake_us = 2'000;     // then a wake-up, some 50 us, is a fortieth of the pause
constexpr machine::ticks looks_in_a_turn = 8;  // a change of arenas costs some us
constexpr double longest_look_ns = 16'000;     // a look costs the owner one line transfer (100 ns): under 1 %

unsigned process_cpus() {
    static constinit machine::made_once<unsigned> cpus;
    return cpus.get(machine::process_usable_cpus);
}

std::vector<machine::ticks> gates(const settings& s, const profile& p) {
    std::vector<machine::ticks> result;
    for (unsigned team = 2; team < 2 + std::max<std::size_t>(1, p.timespan_ns.size()); ++team) {
        const double ns = s.gate == gate_mode::off     ? 0
                          : s.gate == gate_mode::fixed ? s.gate_ns
                                                       : p.timespan_for(team);
        result.push_back(machine::from_ns(ns));
    }
    return result;
}

cut_rule cut_of(const settings& s, const profile& p) {
    switch (s.distribute) {
    case distribution::even:
        return {.fan_out = 2, .sixteenths = 8};
    case distribution::even_9_16:
        return {.fan_out = 2, .sixteenths = 7};
    case distribution::uneven:
        return {.fan_out = cut_rule::one_producer};
    case distribution::tree:
    case distribution::steal:
        break;
    }
    return {.fan_out = std::clamp(p.fan_out, 2u, 8u)};
}

tuning make_tuning() {
    const settings& s = process_settings();
    const profile& p = process_profile();
    machine::clock();
    if (!p.counter_trusted)
        machine::use_steady_clock("the profile says that the cores' counters disagree");
    tuning t{};
    t.cpus = std::max(1u, std::min(static_cast<unsigned>(machine::cpu_count()), process_cpus()));
    t.threads = s.threads ? s.threads : t.cpus;
    t.distribute = s.distribute;
    t.mail = s.mail;
    t.thieves = s.thieves;
    t.steals = s.steals;
    t.victims = s.victims;
    t.grain = s.grain;
    t.predicts = s.predicts;
    t.pin = s.pin;
    t.cut = cut_of(s, p);
    t.gate_mails = s.gate_mails;
    t.handoff = machine::from_ns(p.handoff_ns);
    t.gate = gates(s, p);
    t.longest_gate = *std::max_element(t.gate.begin(), t.gate.end());
    t.batch = std::max(machine::from_ns(least_batch_ns), t.gate_for(t.threads));
    const double spin_us = s.spin_us >= 0 ? s.spin_us : p.spin_us;
    t.spin = spin_us >= forever_us ? never : machine::from_ns(spin_us * 1e3);
    // Linux's slices are 3 ms and more; its own work on a CPU takes less. Who wants to spin for ever does so.
    constexpr double least_slice_ns = 1e6;
    t.least_slice = t.spin == never ? never : machine::from_ns(least_slice_ns);
    const auto at_least = [&](double us) -> machine::ticks {
        return spin_us == 0 ? 0 : t.spin == never ? never : machine::from_ns(std::max(spin_us, us) * 1e3);
    };
    t.stay = at_least(stay_us);
    t.wakeup = machine::from_ns(p.wakeup_ns);
    t.watch = at_least(quiet_us);
    t.longest_awake = machine::from_ns(longest_awake_us * 1e3);
    t.watch_least = std::max<machine::ticks>(t.gate_for(t.threads), t.handoff);
    t.watch_most = std::max(machine::from_ns(longest_look_ns), t.watch_least);
    t.turn = looks_in_a_turn * t.watch_most;
    return t;
}

// For BOUGH_PRINT=1.
std::string printed(const tuning& t) {
    return "bough: version " + std::string(version()) + "\n" +
           lines_of(describe(process_settings(), process_profile(), t), "bough: ");
}

}  // namespace

const tuning* made_tuning = nullptr;

const profile& process_profile() {
    static constinit machine::made_once<profile> one;
    return one.get([] { return load_profile(process_settings().profile_path, process_cpus()); });
}

const tuning& process_tuning() {
    static constinit machine::made_once<const tuning*> one;
    return *one.get([] {
        const auto* const t = new tuning(make_tuning());
        if (process_settings().print)
            std::fputs(printed(*t).c_str(), stderr);
        return made_tuning = t;
    });
}

}  // namespace bough
