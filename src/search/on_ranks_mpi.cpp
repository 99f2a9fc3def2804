// Twin of on_ranks_alone.cpp, over MPI.

#include <stdexcept>
#include <string>

#include "cluster/mpi_transport.h"
#include "cluster/parameter_names.h"
#include "cluster/victim_policy.h"
#include "search/alone.h"
#include "search/crew.h"
#include "search/launcher.h"

namespace bough::search {
namespace {

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
    // MPI is not initialised without a launcher: a program alone needs none, and starts faster.
    if (!was_launched()) {
        alone here;
        return program(here);
    }
    return cluster::run_on_mpi(argc, argv, [&](int, char**, cluster::transport& over) {
        if (const int processes = launched_processes(); over.size() == 1 && processes > 1)
            throw std::runtime_error(
                std::to_string(processes) +
                " processes were started, but this program's MPI knows of one: is mpirun "
                "another MPI's?");
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
