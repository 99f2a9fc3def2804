#include "description.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "refuse.h"

namespace simulate {
namespace {

using nlohmann::json;

class reader {
public:
    explicit reader(const char* path) : path_(path) {
        std::ifstream file(path);
        if (!file)
            refuse("%s: no such machine", path);
        try {
            json_ = json::parse(file);
        } catch (const json::parse_error& error) {
            refuse("%s: not JSON: %s", path, error.what());
        }
        if (!json_.is_object())
            refuse("%s: not a JSON object", path);
    }

    std::string text(const char* key) const {
        const json& value = find(json_, key, "");
        if (!value.is_string())
            refuse("%s: %s: a text is wanted", path_, key);
        return value.get<std::string>();
    }
    unsigned count(const char* key, unsigned most) const {
        const json& value = find(find(json_, "topology", ""), key, "topology.");
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 ||
            value.get<std::uint64_t>() > most)
            refuse("%s: topology.%s: allowed are 1 to %u", path_, key, most);
        return value.get<unsigned>();
    }
    double number(const char* key, double most) const {
        const json& value = find(json_, key, "");
        if (!value.is_number() || !(value.get<double>() > 0) || value.get<double>() > most)
            refuse("%s: %s: allowed is more than 0, and at most %g", path_, key, most);
        return value.get<double>();
    }
    // {"ns": 12.5, "origin": "how it was measured"}
    picoseconds price(const std::string& key) const {
        const json& entry = find(find(json_, "prices", ""), key.c_str(), "prices.");
        if (!entry.is_object() || !entry.contains("origin") || !entry["origin"].is_string() ||
            entry["origin"].get<std::string>().empty())
            refuse("%s: prices.%s: wanted is {\"ns\": ..., \"origin\": \"...\"}", path_, key.c_str());
        const json& value = find(entry, "ns", ("prices." + key + ".").c_str());
        constexpr double most = 1e9;
        if (!value.is_number() || !(value.get<double>() >= 0) || value.get<double>() > most)
            refuse("%s: prices.%s.ns: allowed are 0 to %g", path_, key.c_str(), most);
        return static_cast<picoseconds>(std::llround(value.get<double>() * 1000));
    }
    // Nothing, or {"first": 8, "last": 15, "factor": 1.7, "origin": "how it was measured"}
    void slow_cores(description& d) const {
        if (!json_.contains("slow_cores"))
            return;
        const json& entry = json_["slow_cores"];
        const char* const file = path_;
        const auto has = [&](const char* key) { return entry.contains(key); };
        if (!entry.is_object() || entry.size() != 4 || !has("first") || !has("last") || !has("factor") ||
            !has("origin") || !entry["origin"].is_string() || entry["origin"].get<std::string>().empty())
            refuse("%s: slow_cores: wanted is {\"first\": ..., \"last\": ..., \"factor\": ..., \"origin\": "
                   "\"...\"}",
                   file);
        const auto core = [&](const char* key, unsigned least) {
            const json& value = entry[key];
            if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
                value.get<std::uint64_t>() >= d.cores())
                refuse("%s: slow_cores.%s: allowed are %u to %u", file, key, least, d.cores() - 1);
            return value.get<unsigned>();
        };
        d.first_slow = core("first", 0);
        d.last_slow = core("last", d.first_slow);
        const json& factor = entry["factor"];
        constexpr double most = 100;
        if (!factor.is_number() || !(factor.get<double>() > 1) || factor.get<double>() > most)
            refuse("%s: slow_cores.factor: allowed is more than 1, and at most %g", file, most);
        d.slow_factor = factor.get<double>();
    }
    void refuse_others() const {
        for (const auto& [key, value] : json_.items())
            if (key != "name" && key != "ghz" && key != "topology" && key != "prices" && key != "slow_cores")
                refuse("%s: %s: unknown; allowed are name, ghz, topology, prices, slow_cores", path_,
                       key.c_str());
        for (const auto& [key, value] : json_["topology"].items())
            if (key != "packages" && key != "nodes_per_package" && key != "caches_per_node" &&
                key != "cores_per_cache")
                refuse("%s: topology.%s: unknown; allowed are packages, nodes_per_package, caches_per_node, "
                       "cores_per_cache",
                       path_, key.c_str());
    }
    void refuse_other_prices(std::size_t known) const {
        if (json_["prices"].size() != known)
            refuse("%s: prices: has %zu entries, %zu are known", path_, json_["prices"].size(), known);
    }

private:
    const json& find(const json& in, const char* key, const char* where) const {
        if (!in.is_object() || !in.contains(key))
            refuse("%s: %s%s is missing", path_, where, key);
        return in[key];
    }

    const char* path_;
    json json_;
};

// Keys of "prices". What a line costs on its way is multiplied by the run's factor.
struct known_price {
    const char* key;
    picoseconds prices::* price;
    bool on_the_way = false;
};
constexpr known_price known_prices[] = {
    {"instruction", &prices::instruction},
    {"locked", &prices::locked},
    {"full_fence", &prices::full_fence},
    {"pause", &prices::pause},
    {"clock_read", &prices::clock_read},
    {"clock_call", &prices::clock_call},
    {"memory", &prices::memory, true},
    {"stream", &prices::stream, true},
    {"shared_read", &prices::shared_read, true},
    {"store_window", &prices::store_window},
    {"system_call", &prices::system_call},
    {"futex_wake", &prices::futex_wake},
    {"wake_up", &prices::wake_up},
    {"change_of_threads", &prices::change_of_threads},
    {"thread_start", &prices::thread_start},
    {"membarrier", &prices::membarrier},
    {"interrupt", &prices::interrupt},
    {"time_slice", &prices::time_slice},
};

// The same of lines that other cores hold, by how far they travel.
struct known_travel {
    const char* key;
    std::array<picoseconds, distances> prices::* price;
    distance from;
};
constexpr known_travel known_travels[] = {
    {"read.same_cache", &prices::read, same_cache},
    {"read.same_package", &prices::read, same_package},
    {"read.other_package", &prices::read, other_package},
    {"write.same_cache", &prices::write, same_cache},
    {"write.same_package", &prices::write, same_package},
    {"write.other_package", &prices::write, other_package},
};

prices read_prices(const reader& file, double factor) {
    const auto times_factor = [factor](picoseconds price) {
        return static_cast<picoseconds>(std::llround(static_cast<double>(price) * factor));
    };
    prices p{};
    for (const known_price& known : known_prices) {
        const picoseconds price = file.price(known.key);
        p.*known.price = known.on_the_way ? times_factor(price) : price;
    }
    for (const known_travel& known : known_travels)
        (p.*known.price)[known.from] = times_factor(file.price(known.key));
    file.refuse_other_prices(std::size(known_prices) + std::size(known_travels));
    return p;
}

}  // namespace

picoseconds description::instruction_on(unsigned core) const {
    const bool is_slow = first_slow <= core && core <= last_slow;
    return is_slow
               ? static_cast<picoseconds>(std::llround(static_cast<double>(price.instruction) * slow_factor))
               : price.instruction;
}

std::string description::for_hwloc() const {
    return "package:" + std::to_string(packages) + " numa:" + std::to_string(nodes_per_package) +
           " l3:" + std::to_string(caches_per_node) + " core:" + std::to_string(cores_per_cache) + " pu:1";
}

description read_description(const char* path, double factor) {
    const reader file(path);
    description d;
    constexpr unsigned most = 1024;
    d.name = file.text("name");
    d.packages = file.count("packages", most);
    d.nodes_per_package = file.count("nodes_per_package", most);
    d.caches_per_node = file.count("caches_per_node", most);
    d.cores_per_cache = file.count("cores_per_cache", most);
    if (std::uint64_t{d.packages} * d.nodes_per_package * d.caches_per_node > most || d.cores() > most)
        refuse("%s: topology: more than %u cores", path, most);
    d.ticks_per_ns = file.number("ghz", 10);
    file.slow_cores(d);
    file.refuse_others();
    d.price = read_prices(file, factor);
    return d;
}

}  // namespace simulate
