// Affinity and cgroup quota under Linux; see limits.h.

#include "machine/limits.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

namespace bough::machine {
namespace {

constexpr unsigned no_limit = std::numeric_limits<unsigned>::max();

std::string read_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

bool parse(const std::string& text, long long& value) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return error == std::errc() && stop == end;
}

// CPUs for a quota and period in microseconds, rounded up; "max" and -1 are no limit, as is anything damaged.
unsigned rounded_up(const std::string& quota_text, const std::string& period_text) {
    long long quota = 0;
    long long period = 0;
    if (!parse(quota_text, quota) || !parse(period_text, period) || quota <= 0 || period <= 0)
        return no_limit;
    const long long cpus = quota / period + (quota % period != 0 ? 1 : 0);
    return cpus < static_cast<long long>(no_limit) ? static_cast<unsigned>(cpus) : no_limit;
}

unsigned quota_v2(const std::string& folder) {
    std::istringstream line(read_line(folder + "/cpu.max"));
    std::string quota, period;
    line >> quota >> period;
    return rounded_up(quota, period);
}

unsigned quota_v1(const std::string& folder) {
    return rounded_up(read_line(folder + "/cpu.cfs_quota_us"), read_line(folder + "/cpu.cfs_period_us"));
}

// The path inside the hierarchy without "..": in a container it may point above the root that is mounted.
std::string inside(const std::string& path) {
    std::istringstream parts(path);
    std::string part, result;
    while (std::getline(parts, part, '/'))
        if (!part.empty() && part != "." && part != "..")
            result += "/" + part;
    return result;
}

// The smallest quota from the group up to the root. Groups that are not mounted here have no file: no limit.
template <typename Quota>
unsigned smallest(const std::string& mount, const std::string& group, Quota quota) {
    unsigned least = no_limit;
    for (std::string path = inside(group);; path.resize(path.find_last_of('/'))) {
        least = std::min(least, quota(mount + path));
        if (path.empty())
            return least;
    }
}

bool names_cpu(const std::string& controllers) {
    std::istringstream list(controllers);
    std::string name;
    while (std::getline(list, name, ','))
        if (name == "cpu")
            return true;
    return false;
}

// One line of /proc/self/cgroup, "number:controllers:path"; version 2 has number 0 and no controllers.
unsigned quota_of_line(const std::string& line, const std::string& root) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
        return no_limit;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string group = line.substr(second + 1);
    if (controllers.empty())  // alone, or beside version 1 ("hybrid")
        return std::min(smallest(root, group, quota_v2), smallest(root + "/unified", group, quota_v2));
    if (!names_cpu(controllers))
        return no_limit;
    return std::min(smallest(root + "/" + controllers, group, quota_v1),
                    smallest(root + "/cpu", group, quota_v1));
}

// Empty when the system does not say.
std::vector<unsigned> mask_of(pid_t thread) {
    std::vector<unsigned> cpus;
    // The kernel refuses (EINVAL) a mask that is smaller than its own; no kernel has more than 2^20 CPUs.
    for (std::size_t room = 1024; room <= (1U << 20); room *= 2) {
        cpu_set_t* set = CPU_ALLOC(room);
        if (set == nullptr)
            break;
        const std::size_t bytes = CPU_ALLOC_SIZE(room);
        CPU_ZERO_S(bytes, set);
        const bool read = sched_getaffinity(thread, bytes, set) == 0;
        const bool too_small = !read && errno == EINVAL;
        for (unsigned i = 0; read && i < room; ++i)
            if (CPU_ISSET_S(i, bytes, set))
                cpus.push_back(i);
        CPU_FREE(set);
        if (!too_small)
            break;
    }
    return cpus;
}

unsigned within_quota(std::size_t cpus) {
    const auto affinity = static_cast<unsigned>(cpus);
    const unsigned quota = cgroup_cpus();
    return std::max(1U, quota == 0 ? affinity : std::min(affinity, quota));
}

}  // namespace

std::vector<unsigned> affinity_cpus() {
    std::vector<unsigned> cpus = mask_of(0);
    if (cpus.empty()) {  // forbidden by a sandbox: all that are online
        const long online = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
        for (unsigned i = 0; i < static_cast<unsigned>(online); ++i)
            cpus.push_back(i);
    }
    return cpus;
}

unsigned cgroup_cpus(const std::string& proc_self_cgroup, const std::string& cgroup_root) {
    std::ifstream file(proc_self_cgroup);
    std::string line;
    unsigned least = no_limit;
    while (std::getline(file, line))
        least = std::min(least, quota_of_line(line, cgroup_root));
    return least == no_limit ? 0 : least;
}

std::vector<unsigned> process_affinity_cpus() {
    std::vector<unsigned> cpus = mask_of(getpid());  // the number of the main thread, too
    return cpus.empty() ? affinity_cpus() : cpus;
}

unsigned usable_cpus() {
    return within_quota(affinity_cpus().size());
}

unsigned process_usable_cpus() {
    return within_quota(process_affinity_cpus().size());
}

}  // namespace bough::machine
