#pragma once
// Which CPU a thread stays on: the consumer on the first one that we may use, producers on the others in turn. Nothing
// happens on a single CPU, or where the system refuses.

#include <vector>

#include <pthread.h>
#include <sched.h>

namespace bench {

inline const std::vector<int>& usable_cpus() {
    static const std::vector<int> found = [] {
        std::vector<int> cpus;
        cpu_set_t set;
        if (sched_getaffinity(0, sizeof set, &set) == 0)
            for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
                if (CPU_ISSET(cpu, &set))
                    cpus.push_back(cpu);
        return cpus;
    }();
    return found;
}

inline void stay_on(int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

// Called first, as it narrows what usable_cpus() would see.
inline void stay_here() {
    if (usable_cpus().size() > 1)
        stay_on(usable_cpus()[0]);
}

inline void stay_elsewhere(unsigned k) {
    if (const auto& cpus = usable_cpus(); cpus.size() > 1)
        stay_on(cpus[1 + k % (cpus.size() - 1)]);
}

}  // namespace bench
