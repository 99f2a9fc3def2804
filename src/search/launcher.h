#pragma once
// How a launcher such as mpirun tells a process of its run, without MPI: by its environment.

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace bough::search {

// Launchers tell each process its rank: Open MPI's, those that speak PMIx, and those that speak PMI, such as MPICH's.
inline bool was_launched() {
    constexpr const char* names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    return std::any_of(std::begin(names), std::end(names), [](const char* n) { return std::getenv(n); });
}

// So many processes has it started; 1 if there is none, or it does not tell.
inline int launched_processes() {
    int most = 1;
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
        if (const char* const size = std::getenv(name))
            most = std::max(most, std::atoi(size));
    return most;
}

}  // namespace bough::search
