#include "trace.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "frames.h"
#include "refuse.h"

namespace simulate {

void trace::wait(unsigned thread, std::uintptr_t address, const void* site, picoseconds began,
                 picoseconds ended) {
    if (!shows(began, ended))
        return;
    line& l = lines_[address >> 6];
    for (place* const p : {&l.all, &l.sites[site]}) {
        ++p->times;
        p->waited += ended - began;
    }
    if (thread >= waited_.size())
        waited_.resize(thread + 1);
    waited_[thread] += ended - began;
    events_.push_back({thread, 0, nullptr, began, ended, address, site, {}});
}

void trace::state(unsigned thread, const char* what, unsigned core, const calls& where, picoseconds began,
                  picoseconds ended) {
    if (shows(began, ended))
        events_.push_back({thread, core, what, began, ended, 0, nullptr, where});
}

trace::calls trace::calls_here(const char* top) {
    calls found{};
    collect_calls(__builtin_frame_address(0), top, found);
    return found;
}

namespace {

std::uint64_t number(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address);
}

double in_us(picoseconds time) {
    return static_cast<double>(time) / static_cast<double>(us);
}

}  // namespace

void trace::write(const std::vector<std::string>& threads, picoseconds end) const {
    using nlohmann::json;
    json result;
    result["end_us"] = in_us(end);
    result["threads"] = json::array();
    for (std::size_t t = 0; t < threads.size(); ++t)
        result["threads"].push_back(
            {{"name", threads[t]}, {"waited_us", t < waited_.size() ? in_us(waited_[t]) : 0.0}});

    std::vector<std::pair<std::uintptr_t, const line*>> hottest;
    for (const auto& [number, l] : lines_)
        hottest.emplace_back(number, &l);
    std::sort(hottest.begin(), hottest.end(), [](auto& a, auto& b) {
        const picoseconds x = a.second->all.waited, y = b.second->all.waited;
        return x != y ? x > y : a.first < b.first;
    });
    constexpr std::size_t shown = 40;
    result["lines"] = json::array();
    for (std::size_t i = 0; i < hottest.size() && i < shown; ++i) {
        const auto& [line_number, l] = hottest[i];
        json sites = json::array();
        for (const auto& [site, p] : l->sites)
            sites.push_back({{"site", number(site)}, {"times", p.times}, {"waited_us", in_us(p.waited)}});
        std::sort(sites.begin(), sites.end(), [](const json& a, const json& b) {
            return a["waited_us"] != b["waited_us"] ? a["waited_us"] > b["waited_us"] : a["site"] < b["site"];
        });
        json entry = {{"address", line_number << 6},
                      {"times", l->all.times},
                      {"waited_us", in_us(l->all.waited)},
                      {"sites", sites}};
        if (const allocation* const a = allocation_at(line_number << 6)) {
            json calls = json::array();
            for (const void* const call : a->calls)
                calls.push_back(number(call));
            entry["allocation"] = {{"begin", a->begin}, {"bytes", a->bytes}, {"calls", calls}};
        }
        result["lines"].push_back(entry);
    }

    result["events"] = json::array();
    for (const event& e : events_) {
        json entry = {{"thread", e.thread}, {"began_us", in_us(e.began)}, {"ended_us", in_us(e.ended)}};
        if (e.what != nullptr) {
            entry["what"] = e.what;
            entry["core"] = e.core;
            if (e.where[0] != nullptr) {
                entry["calls"] = json::array();
                for (const void* const call : e.where)
                    entry["calls"].push_back(number(call));
            }
        } else {
            entry["line"] = e.address >> 6 << 6;
            entry["site"] = number(e.site);
        }
        result["events"].push_back(entry);
    }
    std::ofstream file(path_);
    file << result << '\n';
    if (!file.flush())
        refuse("%s: cannot be written", path_);
}

}  // namespace simulate
