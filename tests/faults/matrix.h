#pragma once
// Throws from every place of an algorithm's user code, in every nesting, early and late.

#include <functional>
#include <string>
#include <vector>

#include "faults/experiment.h"
#include "unit/api_support.h"

namespace throwing {

// One way to call an algorithm, over elements 0 to experiment::elements - 1. Returns whether the answer is right. The
// context is null, or to be used by the call; only where `takes_context`.
struct algorithm {
    const char* name;
    bool (*run)(experiment&, bough::task_group_context*);
    bool takes_context;
    std::vector<place> from;
};

struct nesting {
    const char* name;
    void (*run)(const std::function<void()>& call);
};

const std::vector<nesting>& nestings();

struct tally {
    long cases = 0;
    long exceptions = 0;   // thrown
    long not_reached = 0;  // the place is there, but not as often as in the call before
};
tally& counted();

// Every case of an algorithm; a failure names it.
void try_all(const algorithm& a);

}  // namespace throwing
