#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "bough/version.h"
#include "facts.h"
#include "machine/identity.h"
#include "machine/limits.h"
#include "profile/tuning.h"

namespace bough::info {
namespace {

limits gather_limits(const tuning& t) {
    return {static_cast<unsigned>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))),
            machine::process_affinity_cpus(), machine::cgroup_cpus(), t.cpus};
}

profile_state gather_profile() {
    const profile& p = process_profile();
    const std::string_view state = p.is_loaded ? "loaded" : p.refused.empty() ? "missing" : "refused";
    return {process_settings().profile_path,
            state,
            p.date,
            p.is_loaded ? age_of(p.date, static_cast<double>(std::time(nullptr))) : std::nullopt,
            p.refused,
            p.trusted == trust::unsaid ? std::nullopt : std::optional(p.trusted == trust::yes),
            p.timespan_ns};
}

}  // namespace

std::optional<double> age_of(const std::string& date, double now) {
    std::tm utc{};
    const char* const end = ::strptime(date.c_str(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (end == nullptr || *end != '\0')
        return std::nullopt;
    return now - static_cast<double>(::timegm(&utc));
}

facts gather() {
    const tuning& t = process_tuning();
    return {version(),
            find_libraries(),
            machine::cpu_model(),
            &machine::machine_topology(),
            gather_limits(t),
            gather_profile(),
            describe(process_settings(), process_profile(), t)};
}

}  // namespace bough::info
