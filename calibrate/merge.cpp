// From the rounds of a calibration to one set of results. Pure.

#include <algorithm>

#include "agreement.h"
#include "results.h"

namespace bough::calibrate {
namespace {

void merge_costs(const std::vector<results>& rounds, results& all) {
    for (std::size_t i = 0; i < all.handoff.size(); ++i) {
        std::vector<summary> times;
        for (const results& r : rounds)
            if (i < r.handoff.size())
                times.push_back(r.handoff[i].round_trip);
        all.handoff[i].round_trip = merge(times);
    }
    std::vector<summary> awake, waker, steals;
    for (const results& r : rounds) {
        if (r.wakeup) {
            awake.push_back(r.wakeup->until_awake);
            waker.push_back(r.wakeup->waker);
        }
        if (r.steal)
            steals.push_back(*r.steal);
    }
    if (all.wakeup)
        all.wakeup = wakeup_result{merge(awake), merge(waker)};
    if (all.steal)
        all.steal = merge(steals);
}

// One team size over all rounds. The first note stays: it says why a round made fewer calls.
team_result merge_team(unsigned team, const std::vector<const team_result*>& rounds) {
    team_result all;
    all.team = team;
    std::vector<summary> times;
    for (const team_result* t : rounds) {
        times.push_back(t->time);
        for (std::size_t bin = 0; bin < histogram::bins; ++bin)
            all.bins.add_to_bin(bin, t->bins[bin]);
        if (all.note.empty())
            all.note = t->note;
    }
    all.time = merge(times);
    return all;
}

distribution_result merge_distribution(const std::vector<results>& rounds,
                                       distribution_result results::* which) {
    std::vector<unsigned> sizes;
    distribution_result all;
    for (const results& r : rounds) {
        for (const team_result& t : (r.*which).teams)
            sizes.push_back(t.team);
        if (all.problem.empty())
            all.problem = (r.*which).problem;
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    for (const unsigned size : sizes) {
        std::vector<const team_result*> team;
        for (const results& r : rounds)
            for (const team_result& t : (r.*which).teams)
                if (t.team == size)
                    team.push_back(&t);
        all.teams.push_back(merge_team(size, team));
    }
    return all;
}

std::vector<fan_out_trial> merge_fan_outs(const std::vector<results>& rounds) {
    std::vector<fan_out_trial> all;
    for (const unsigned fan_out : tried_fan_outs) {
        std::vector<double> medians;
        for (const results& r : rounds)
            for (const fan_out_trial& t : r.fan_outs)
                if (t.fan_out == fan_out)
                    medians.push_back(t.median_ns);
        if (!medians.empty())
            all.push_back({fan_out, agree(medians).value});
    }
    return all;
}

}  // namespace

results merge(const std::vector<results>& rounds) {
    if (rounds.empty())
        return {};
    results all = rounds.front();
    merge_costs(rounds, all);
    all.fan_outs = merge_fan_outs(rounds);
    all.tree = merge_distribution(rounds, &results::tree);
    all.stealing = merge_distribution(rounds, &results::stealing);
    return all;
}

}  // namespace bough::calibrate
