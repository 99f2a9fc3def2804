#include <nlohmann/json.hpp>

#include "facts.h"
#include "machine_tree.h"

namespace bough::info {
namespace {

using json = nlohmann::ordered_json;

json text_or_null(const std::string& text) {
    return text.empty() ? json() : json(text);
}

json to_json(const library& l) {
    return {{"path", text_or_null(l.path)},
            {"onetbb", text_or_null(l.onetbb)},
            {"bough", text_or_null(l.bough)},
            {"problem", text_or_null(l.problem)}};
}

json to_json(const core_branch& c) {
    json result{{"core", c.id}, {"cpus", c.cpus}};
    if (c.kind >= 0)
        result["kind"] = c.kind;
    return result;
}

json to_json(const cache_branch& c) {
    json result{{"cache", c.id}, {"numa_node", c.node < 0 ? json() : json(c.node)}, {"cores", json::array()}};
    for (const core_branch& core : c.cores)
        result["cores"].push_back(to_json(core));
    return result;
}

json to_json(const package_branch& p) {
    json result{{"package", p.id}, {"caches", json::array()}};
    for (const cache_branch& cache : p.caches)
        result["caches"].push_back(to_json(cache));
    return result;
}

json machine_json(const facts& f) {
    const machine::topology& t = *f.topology;
    json result{{"cpu", f.cpu_model},
                {"from_hwloc", t.from_hwloc},
                {"cache_level", t.cache_level},
                {"cache_bytes", cache_bytes(t)},
                {"packages", json::array()}};
    for (const package_branch& package : tree_of(t))
        result["packages"].push_back(to_json(package));
    return result;
}

json to_json(const limits& l) {
    return {{"online_cpus", l.online},
            {"affinity_cpus", l.affinity},
            {"cgroup_quota", l.quota == 0 ? json() : json(l.quota)},
            {"usable_cpus", l.usable}};
}

json to_json(const profile_state& p) {
    return {{"file", text_or_null(p.file)},      {"state", p.state},
            {"date", text_or_null(p.date)},      {"age_s", p.age_s ? json(*p.age_s) : json()},
            {"refused", text_or_null(p.reason)}, {"trusted", p.trusted ? json(*p.trusted) : json()},
            {"timespan_ns", p.timespan_ns}};
}

// Numbers as numbers.
json to_json(const described_value& v) {
    const json read = json::parse(v.value, nullptr, false);
    return {{"value", read.is_number() ? read : json(v.value)},
            {"unit", text_or_null(std::string(v.unit))},
            {"why", v.why},
            {"variable", text_or_null(std::string(v.variable))},
            {"note", text_or_null(v.note)}};
}

}  // namespace

std::string json_of(const facts& f) {
    json settings = json::object();
    for (const described_value& v : f.settings)
        settings[std::string(v.name)] = to_json(v);
    const json all{
        {"version", f.version},
        {"libtbb", {{"built_for_bough", to_json(f.onetbb.compat)}, {"any_other", to_json(f.onetbb.plain)}}},
        {"machine", machine_json(f)},
        {"limits", to_json(f.limit)},
        {"profile", to_json(f.profile)},
        {"settings", std::move(settings)}};
    // A path that is not UTF-8 must not make the tool fail: such bytes are replaced.
    return all.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace bough::info
