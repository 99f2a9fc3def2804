// hwloc's kinds of cores, of which its synthetic machines have none: here those of slow_cores, in place of hwloc's own
// functions.

#include <errno.h>
#include <hwloc.h>
#include <stdio.h>

#include "schedule.h"

using namespace simulate;

extern "C" {

int hwloc_cpukinds_get_by_cpuset(hwloc_topology_t, hwloc_const_bitmap_t cpus, unsigned long) {
    const description& machine = schedule::the->machine;
    if (machine.first_slow > machine.last_slow) {
        errno = ENOENT;
        return -1;
    }
    const auto core = static_cast<unsigned>(hwloc_bitmap_first(cpus));
    return machine.first_slow <= core && core <= machine.last_slow ? 0 : 1;
}

int hwloc_cpukinds_get_info(hwloc_topology_t, unsigned kind, hwloc_bitmap_t, int* efficiency, unsigned* count,
                            hwloc_info_s** infos, unsigned long) {
    static char name[] = "LinuxCapacity", capacity[2][32];
    static hwloc_info_s info[2] = {{name, capacity[0]}, {name, capacity[1]}};
    constexpr double fastest = 1024;
    snprintf(capacity[0], sizeof capacity[0], "%.0f", fastest / schedule::the->machine.slow_factor);
    snprintf(capacity[1], sizeof capacity[1], "%.0f", fastest);
    if (efficiency != nullptr)
        *efficiency = static_cast<int>(kind);
    if (count != nullptr)
        *count = 1;
    if (infos != nullptr)
        *infos = &info[kind];
    return 0;
}

}  // extern "C"
