// Twin of on_ranks_alone.cpp, over MPI.

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "cluster/mpi_transport.h"
#include "cluster/parameter_names.h"
#include "cluster/victim_policy.h"
#include "search/alone.h"
#include "search/crew.h"

namespace bough::search {
namespace {

// Launchers tell each process its rank: Open MPI's, those that speak PMIx, and those that speak PMI, such as MPICH's.
// MPI is not initialised without one: a program alone needs none, and starts faster.
bool was_launched() {
    constexpr const char* names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
    return std::any_of(std::begin(names), std::end(names), [](const char* n) { return std::getenv(n); });
}

std::string in_line(int argc, char** argv) {
    std::string all;
    for (int i = 1; i < argc; ++i) {
        all += i == 1 ? "" : " ";
        all += argv[i];
    }
    return all;
}

}  // namespace

int on_ranks(int argc, char** argv, const std::function<int(ranks&)>& program) {
    if (!was_launched()) {
        alone here;
        return program(here);
    }
    return cluster::run_on_mpi(argc, argv, [&](int, char**, cluster::transport& over) {
        cluster::session session(over);
        session.agree(in_line(argc, argv));
        crew all(session, over);
        return all.run(program);
    });
}

bool knows_ranks() {
    return true;
}

std::vector<std::string> policy_names() {
    return cluster::policy_names();
}

void tune(stealing& how, const std::string& assignment) {
    cluster::set_parameter(how.with, assignment);
}

}  // namespace bough::search
