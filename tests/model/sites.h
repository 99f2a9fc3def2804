#pragma once
// The accesses of a program as they stand in the source, one of which a mutant may weaken.

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/explorer.h"

namespace bough::model {

inline const char* name_of(std::memory_order o) {
    constexpr std::array names{"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
    return names[static_cast<std::size_t>(o)];
}
inline const char* name_of(kind k) {
    constexpr std::array names{"load",  "store",       "exchange",   "add", "compare_exchange",
                               "fence", "light_fence", "heavy_fence"};
    return names[static_cast<std::size_t>(k)];
}

class sites {
public:
    // With the order that it is to have. False: it is not to be made.
    bool enter(access& a, const std::optional<mutant>& changed) {
        const auto key = std::make_tuple(a.at.file_name(), a.at.line(), a.at.column());
        auto at = known_.find(key);
        if (at == known_.end())
            at = known_
                     .emplace(key, site{where(a.at), base_name(a.at.function_name()), a.what, a.order,
                                        changed && changed->where == where(a.at)})
                     .first;
        if (!at->second.is_changed)
            return true;
        a.order = changed->order;
        return !changed->is_dropped;
    }

    std::vector<result::access> all() const {
        std::vector<result::access> all;
        std::map<std::string, unsigned> numbers;
        for (const auto& [key, s] : known_) {
            const std::string name = s.function + " " + name_of(s.what);
            const unsigned number = ++numbers[name];
            all.push_back(
                {number == 1 ? name : name + " " + std::to_string(number), s.where, s.what, s.order});
        }
        return all;
    }

    static std::string text(const access& a) {
        return base_name(a.at.function_name()) + " " + where(a.at) + " " + name_of(a.what) + " " +
               name_of(a.order);
    }

private:
    struct site {
        std::string where;
        std::string function;
        kind what;
        std::memory_order order;
        bool is_changed;
    };

    // "task* bough::chase_lev<A>::owner::take(long) [with ...]" -> "take"
    static std::string base_name(std::string function) {
        function = function.substr(0, function.find('('));
        const std::size_t before = function.find_last_of(": ");
        return before == std::string::npos ? function : function.substr(before + 1);
    }
    static std::string where(const std::source_location& at) {
        const std::string file = at.file_name();
        return file.substr(file.rfind('/') + 1) + ":" + std::to_string(at.line()) + ":" +
               std::to_string(at.column());
    }

    std::map<std::tuple<const char*, std::uint_least32_t, std::uint_least32_t>, site> known_;
};

}  // namespace bough::model
