// Twin of on_ranks_mpi.cpp, without MPI.

#include <stdexcept>

#include "search/alone.h"

namespace bough::search {

int on_ranks(int, char**, const std::function<int(ranks&)>& program) {
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
