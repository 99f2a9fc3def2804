#include <algorithm>
#include <cmath>
#include <sstream>

#include "facts.h"
#include "machine/one_line.h"
#include "machine_tree.h"

namespace bough::info {
namespace {

std::string text_of(const library& l) {
    if (l.path.empty())
        return "none: " + one_line(l.problem, 4096);
    return one_line(l.path, 4096) +
           (l.bough.empty() ? " (oneTBB " : " (bough " + one_line(l.bough) + ", as oneTBB ") +
           one_line(l.onetbb) + ")";
}

std::string size_text(std::size_t bytes) {
    constexpr std::size_t kib = 1024, mib = kib * kib;
    if (bytes >= mib)
        return std::to_string(bytes / mib).append(" MiB");
    return std::to_string(bytes / kib).append(" KiB");
}

// "3 days"; of less than two of a unit the next smaller one.
std::string age_text(double seconds) {
    struct unit {
        const char* name;
        double seconds;
    };
    for (const unit u : {unit{"days", 86'400}, unit{"hours", 3600}, unit{"minutes", 60}})
        if (seconds >= 2 * u.seconds)
            return std::to_string(std::lround(std::floor(seconds / u.seconds))) + " " + u.name + " old";
    return seconds < 0 ? "of a time to come" : "new";
}

void print_libraries(std::ostream& out, const libraries& l) {
    out << "libtbb.so.12 of a program\n"
        << "  built for bough  " << text_of(l.compat) << '\n'
        << "  any other        " << text_of(l.plain) << '\n'
        << (l.environment_decides
                ? "  LD_PRELOAD or LD_LIBRARY_PATH leads there, whatever a program's run path says\n"
                : "  (one with a run path of its own may get another; `bough-run PROGRAM` gives it "
                  "bough's)\n");
}

bool has_kinds(const machine::topology& t) {
    return std::any_of(t.cpus.begin(), t.cpus.end(),
                       [&](const machine::cpu& c) { return c.kind != t.cpus.front().kind; });
}

void print_core(std::ostream& out, const core_branch& core, bool with_kind) {
    out << "      core " << core.id << ": CPU " << list_of(core.cpus);
    if (with_kind)
        out << " (kind " << core.kind << ")";
    out << '\n';
}

void print_machine(std::ostream& out, const facts& f) {
    const machine::topology& t = *f.topology;
    out << "machine: " << one_line(f.cpu_model, 200) << '\n';
    if (!t.from_hwloc)
        out << "  hwloc was not asked or does not know it: all CPUs are taken to be equally near\n";
    const std::string level =
        t.cache_level == 0 ? "cache" : std::string("L").append(std::to_string(t.cache_level));
    for (const package_branch& package : tree_of(t)) {
        out << "  package " << package.id << '\n';
        for (const cache_branch& cache : package.caches) {
            out << "    " << level << " " << cache.id;
            if (cache_bytes(t) != 0)
                out << ", " << size_text(cache_bytes(t));
            if (cache.node >= 0)
                out << ", NUMA node " << cache.node;
            out << '\n';
            for (const core_branch& core : cache.cores)
                print_core(out, core, has_kinds(t));
        }
    }
}

void print_limits(std::ostream& out, const facts& f) {
    const limits& l = f.limit;
    out << "limits: " << l.usable << " usable CPUs\n"
        << "  machine        " << l.online << " CPUs online\n"
        << "  affinity mask  " << l.affinity.size() << ": " << list_of(l.affinity) << '\n'
        << "  cgroup quota   " << (l.quota == 0 ? "none" : std::to_string(l.quota) + ", rounded up") << '\n';
    for (const described_value& v : f.settings)
        if (v.variable == "BOUGH_NUM_THREADS")
            out << "  threads        " << v.value << " (" << v.note << ")\n";
}

void print_profile(std::ostream& out, const profile_state& p) {
    out << "profile: " << p.state << (p.state == "loaded" ? "" : ", so the defaults hold");
    if (p.age_s)
        out << ", " << age_text(*p.age_s) << " (" << one_line(p.date) << ")";
    out << '\n'
        << "  "
        << (p.file.empty() ? "none of BOUGH_PROFILE, XDG_CONFIG_HOME and HOME is set"
                           : one_line(p.file, 4096))
        << '\n';
}

}  // namespace

std::string text_of(const facts& f) {
    std::ostringstream out;
    out << "bough " << f.version << '\n';
    print_libraries(out, f.onetbb);
    print_machine(out, f);
    print_limits(out, f);
    print_profile(out, f.profile);
    out << "settings\n" << lines_of(f.settings, "  ");
    return out.str();
}

}  // namespace bough::info
