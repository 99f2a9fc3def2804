#pragma once
// How many CPUs this process may use: min(affinity mask, cgroup v1/v2 quota rounded up), at least 1.
// Read from the system at every call (it opens files): ask once and keep the answer. Thread-safe.

#include <string>
#include <vector>

namespace bough::machine {

// OS numbers of the CPUs in the affinity mask of the calling thread, ascending. Works beyond 1024 CPUs.
std::vector<unsigned> affinity_cpus();

// The same of the process's main thread, as the program has it: other threads of it may be bound.
std::vector<unsigned> process_affinity_cpus();

// CPUs granted by the cgroup quota, rounded up; 0 when there is none or it cannot be read. Walks from the
// process's group up to the root and takes the smallest. The arguments let tests use a made-up tree.
unsigned cgroup_cpus(const std::string& proc_self_cgroup = "/proc/self/cgroup",
                     const std::string& cgroup_root = "/sys/fs/cgroup");

unsigned usable_cpus();
// Where the main thread may run.
unsigned process_usable_cpus();

}  // namespace bough::machine
