#include "others.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace bough::calibrate {
namespace {

bool is_ours(const std::string& name, const cpu_set_t& ours) {
    unsigned number = 0;
    return std::sscanf(name.c_str(), "cpu%u", &number) == 1 && number < CPU_SETSIZE &&
           CPU_ISSET(number, &ours);
}

unsigned our_cpus() {
    cpu_set_t ours;
    return sched_getaffinity(0, sizeof ours, &ours) == 0 ? static_cast<unsigned>(CPU_COUNT(&ours)) : 1;
}

}  // namespace

// Seconds that the CPUs of our affinity mask were not idle.
std::optional<others::ticks> others::read_ticks() {
    cpu_set_t ours;
    std::ifstream file("/proc/stat");
    if (!file || sched_getaffinity(0, sizeof ours, &ours) != 0)
        return std::nullopt;
    const auto per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
    ticks all;
    for (std::string line; std::getline(file, line);) {
        std::istringstream in(line);
        std::string name;
        in >> name;
        if (!is_ours(name, ours))
            continue;
        // user nice system idle iowait irq softirq steal; guest time after that is in user time as well.
        constexpr std::array counts{true, true, true, false, false, true, true, true};
        double spent = 0;
        for (const bool is_busy : counts) {
            spent = 0;
            in >> spent;
            all.busy_s += is_busy ? spent / per_s : 0;
        }
        all.stolen_s += spent / per_s;  // the last one
    }
    return all;
}

// Of this process, and of the children that have ended.
others::usage others::read_usage() {
    usage all;
    for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
        rusage used{};
        getrusage(who, &used);
        for (const timeval& t : {used.ru_utime, used.ru_stime})
            all.cpu_s += static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
        all.switches += static_cast<double>(used.ru_nivcsw);
    }
    return all;
}

others::others() : begin_(std::chrono::steady_clock::now()), ticks_(read_ticks()), usage_(read_usage()) {}

disturbance others::since_start() const {
    const std::optional<ticks> now = read_ticks();
    const usage used = read_usage();
    const double passed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    disturbance d;
    d.cpus = our_cpus();
    // Below a step of the kernel's clock nothing can be said.
    constexpr double least_s = 0.01;
    d.switches_per_cpu_s = (used.switches - usage_.switches) / std::max(least_s, used.cpu_s - usage_.cpu_s);
    if (now && ticks_) {
        d.others_cpus =
            std::max(0.0, (now->busy_s - ticks_->busy_s) - (used.cpu_s - usage_.cpu_s)) / passed_s;
        d.stolen_cpus = (now->stolen_s - ticks_->stolen_s) / passed_s;
    }
    return d;
}

}  // namespace bough::calibrate
