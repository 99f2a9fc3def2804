#pragma once
// A program whose searches run on all ranks that mpirun has started, or on this process alone: README.md.
//
//     int main(int argc, char** argv) {
//         return bough::search::on_ranks(argc, argv, [](bough::search::ranks& all) {
//             const auto found = bough::search::maximise(space, root, all.together({}));
//             if (all.is_first())
//                 print(found);
//             return 0;
//         });
//     }
//
// Each rank runs the program. All ranks make the same calls of ranks and the same searches together, in the same order;
// each gets the whole answer.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <bough/search/options.h>

#include "cluster/agent.h"
#include "cluster/parameters.h"

namespace bough::search {

// How ranks fetch tasks from each other.
struct stealing {
    std::string policy = "random";
    std::uint64_t seed = 1;
    cluster::parameters with;
};

// What one rank has done in a search.
struct rank_share {
    std::int32_t rank = 0;
    counters counted;
    cluster::agent_counters steals;
};

class ranks {
public:
    virtual ~ranks() = default;

    virtual int rank() const = 0;
    virtual int size() const = 0;
    bool is_first() const { return rank() == 0; }

    // For searches from now on. Throws std::invalid_argument, which names what is allowed, if there is no such policy
    // or two parameters do not go together.
    virtual void use(const stealing& how) = 0;
    // The same options, for a search of all ranks. The sequential skeleton runs on one rank alone:
    // std::invalid_argument if there are more.
    virtual options together(options o) = 0;
    // The text of rank 0 on all ranks.
    virtual std::string broadcast(std::string of_first) = 0;
    // Of the last search together, by rank. Empty if this process is alone.
    virtual const std::vector<rank_share>& shares() const = 0;
};

// Calls the program on each rank, and returns what it returns. A program that throws on a rank ends the run on all, and
// its message is printed with the rank; alone, the exception passes. Ranks that were started with different arguments
// are told so by rank 0, and return 2. So does a program that was built without MPI where mpirun has started several.
int on_ranks(int argc, char** argv, const std::function<int(ranks&)>& program);
// Was the library built with MPI?
bool knows_ranks();
// Names that stealing::policy may have; none without MPI.
std::vector<std::string> policy_names();
// Sets one of how.with, by "NAME=VALUE". Throws std::invalid_argument, which names what is allowed.
void tune(stealing& how, const std::string& assignment);

}  // namespace bough::search
