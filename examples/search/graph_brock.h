#pragma once
// The graphs in which M. Brockington and J. Culberson hid cliques ("Camouflaging independent sets in quasi-random
// graphs", 1996), as in the DIMACS files brock*.clq, bit by bit.

#include "graph.h"

namespace searches {

// size: 200, 400, 800; number: 1 to 4.
graph brock(unsigned size, unsigned number);

}  // namespace searches
