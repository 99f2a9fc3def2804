#pragma once
// Weakens the memory orders of a program's accesses, and leaves out its stores, one after the other, and wants each to be
// noticed.

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "model/explorer.h"

namespace bough::model {

inline std::vector<std::memory_order> weaker(kind what, std::memory_order o) {
    using order = std::memory_order;
    if (o == order::relaxed)
        return {};
    if (what == kind::fence)
        return {order::acq_rel};
    std::vector<order> all;
    if (o == order::seq_cst)
        all.push_back(what == kind::load    ? order::acquire
                      : what == kind::store ? order::release
                                            : order::acq_rel);
    if (o == order::acq_rel || (o == order::seq_cst && what != kind::load && what != kind::store)) {
        all.push_back(order::acquire);
        all.push_back(order::release);
    }
    all.push_back(order::relaxed);
    return all;
}

// What no program of ours can notice: the access and the order, and why.
using tolerated = std::map<std::string, std::string>;

// Each of the mutants that were caught needed no more; three cost ten times as much.
constexpr unsigned most_preemptions = 2;

// The programs hold, and with any access weakened or any store left out one of them does not, but for what is tolerated.
inline void each_access_matters(const std::vector<program>& programs, const tolerated& known) {
    std::map<std::string, result::access> accesses;
    for (const program& p : programs) {
        const result whole = explore(p, {.preemptions = most_preemptions});
        ASSERT_EQ(whole.failure, "") << testing::PrintToString(whole.trace);
        EXPECT_TRUE(whole.is_complete);
        for (const auto& a : whole.accesses)
            accesses.emplace(a.where, a);
    }
    const auto is_noticed = [&](const mutant& m) {
        for (unsigned preemptions = 1; preemptions <= most_preemptions; ++preemptions)
            for (const program& p : programs)
                if (!explore(p, {.preemptions = preemptions, .changed = m}).failure.empty())
                    return true;
        return false;
    };
    tolerated not_seen = known;
    const auto try_out = [&](const std::string& name, const mutant& m) {
        if (not_seen.erase(name) == 0) {
            EXPECT_TRUE(is_noticed(m)) << name << " at " << m.where;
        }
    };
    for (const auto& [where, a] : accesses) {
        for (const std::memory_order o : weaker(a.what, a.order))
            try_out(a.name + " to " + name_of(o), {where, o});
        if (a.what == kind::store)
            try_out(a.name + " left out", {where, a.order, true});
    }
    EXPECT_TRUE(not_seen.empty()) << testing::PrintToString(not_seen);
}

}  // namespace bough::model
