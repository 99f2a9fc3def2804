// Twin of on_ranks_mpi.cpp, without MPI.

#include <cstdio>
#include <stdexcept>

#include "search/alone.h"
#include "search/launcher.h"

namespace bough::search {

int on_ranks(int, char**, const std::function<int(ranks&)>& program) {
    // Else each process would print the whole answer.
    if (const int processes = launched_processes(); processes > 1) {
        std::fprintf(stderr,
                     "bough: %d processes were started, but this program was built without MPI "
                     "(-DBOUGH_BUILD_CLUSTER=ON, and an MPI that CMake finds)\n",
                     processes);
        return 2;
    }
    alone here;
    return program(here);
}

bool knows_ranks() {
    return false;
}

std::vector<std::string> policy_names() {
    return {};
}

void tune(stealing&, const std::string&) {
    throw std::invalid_argument("this program was built without MPI, and has no other rank to steal from");
}

}  // namespace bough::search
