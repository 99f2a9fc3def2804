#pragma once
// Weakens the memory orders of a program's accesses, and leaves out its stores, one after the other, and wants each to
// be noticed.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "model/explorer.h"
#include "model/sites.h"

namespace bough::model {

inline std::vector<std::memory_order> weaker(kind what, std::memory_order o) {
    using order = std::memory_order;
    if (o == order::relaxed)
        return {};
    if (what == kind::fence)
        return {order::acq_rel};
    if (what == kind::light_fence || what == kind::heavy_fence)
        return {};
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

// But for those of the test itself.
inline std::vector<std::string>
functions_with_heavy_fences(const std::map<std::string, result::access>& accesses) {
    std::vector<std::string> all;
    for (const auto& [where, a] : accesses)
        if (a.what == kind::heavy_fence && where.find("_test.cpp:") == std::string::npos)
            all.push_back(a.name.substr(0, a.name.find(' ')));
    return all;
}

// The programs hold, and with any access weakened or any store or fence left out one of them does not, but for what is
// tolerated. `files`: only accesses that stand in one of these; none: all. `heavy`: the functions that have the heavy
// fence of a pair. They are named because a pair is as right the other way round, and costs the frequent side 500 ns.
inline void each_access_matters(const std::vector<program>& programs, const tolerated& known,
                                const std::vector<std::string>& files = {},
                                const std::vector<std::string>& heavy = {}) {
    const auto is_meant = [&](const std::string& where) {
        return files.empty() || std::any_of(files.begin(), files.end(),
                                            [&](const std::string& f) { return where.starts_with(f + ":"); });
    };
    std::map<std::string, result::access> accesses;
    std::uint64_t executions = 0, mutants = 0;
    for (const program& p : programs) {
        const result whole = explore(p, {.preemptions = most_preemptions});
        executions += whole.executions;
        ASSERT_EQ(whole.failure, "") << testing::PrintToString(whole.trace);
        EXPECT_TRUE(whole.is_complete);
        for (const auto& a : whole.accesses)
            if (is_meant(a.where))
                accesses.emplace(a.where, a);
    }
    EXPECT_EQ(functions_with_heavy_fences(accesses), heavy);
    const auto is_noticed = [&](const mutant& m) {
        ++mutants;
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
        if (a.what == kind::store || a.what == kind::light_fence)
            try_out(a.name + " left out", {where, a.order, true});
        if (a.what == kind::heavy_fence)
            try_out(a.name + " to light", {where, a.order, true});
    }
    EXPECT_TRUE(not_seen.empty()) << testing::PrintToString(not_seen);
    std::cout << programs.size() << " programs, " << executions << " executions, " << mutants << " mutants\n";
}

}  // namespace bough::model
