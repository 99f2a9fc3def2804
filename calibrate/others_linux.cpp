#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "others.h"

namespace bough::calibrate {
namespace {

constexpr double next_to_nothing = 0.1;  // CPUs; the benchmarks' runner takes the same

bool is_ours(const std::string& name, const cpu_set_t& ours) {
    unsigned number = 0;
    return std::sscanf(name.c_str(), "cpu%u", &number) == 1 && number < CPU_SETSIZE &&
           CPU_ISSET(number, &ours);
}

// Seconds that the CPUs of our affinity mask were not idle.
std::optional<double> busy_s() {
    cpu_set_t ours;
    std::ifstream file("/proc/stat");
    if (!file || sched_getaffinity(0, sizeof ours, &ours) != 0)
        return std::nullopt;
    double ticks = 0;
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line);
        std::string name;
        in >> name;
        if (!is_ours(name, ours))
            continue;
        // user nice system idle iowait irq softirq steal; guest time after that is in user time as well.
        constexpr std::array counts{true, true, true, false, false, true, true, true};
        for (const bool is_busy : counts) {
            double spent = 0;
            in >> spent;
            ticks += is_busy ? spent : 0;
        }
    }
    return ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

double ours_s() {
    double total = 0;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(who, &used);
        for (const timeval& t : {used.ru_utime, used.ru_stime})
            total += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    }
    return total;
}

}  // namespace

others::others() : begin_(std::chrono::steady_clock::now()), busy_s_(busy_s()), ours_s_(ours_s()) {}

std::optional<double> others::cpus() const {
    const std::optional<double> busy = busy_s();
    if (!busy || !busy_s_)
        return std::nullopt;
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin_;
    return std::max(0.0, ((*busy - *busy_s_) - (ours_s() - ours_s_)) / passed.count());
}

std::string others::warning() const {
    const double kept = cpus().value_or(0);
    if (kept <= next_to_nothing)
        return "";
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(),
                  "Other programs kept %.2f CPUs busy meanwhile: this profile is not to be trusted. "
                  "Calibrate again when "
                  "the machine is quiet.",
                  kept);
    return text.data();
}

}  // namespace bough::calibrate
