#include "stress/mix/regions.h"

#include "stress/mix/report.h"

namespace mix {
namespace {

thread_local whereabouts here;

bool descends_from(const region* r, const region* ancestor) {
    while (r && r != ancestor)
        r = r->outer;
    return r == ancestor;
}

}  // namespace

staying_in::staying_in(const region* r) : before_(here) {
    here = r ? whereabouts{bough::current_suspend_point(), r} : whereabouts{};
}

// Others may have run on this thread in between, or this stack on another one: then less is checked.
staying_in::~staying_in() {
    if (here.inside && here.stack != bough::current_suspend_point())
        return;
    const bool is_mine = before_.inside && before_.stack == bough::current_suspend_point();
    here = is_mine ? before_ : whereabouts{};
}

void leave_regions() {
    here = {};
}

void check_region(const scope& s) {
    if (here.inside && here.stack == bough::current_suspend_point())
        require(s, descends_from(s.inside, here.inside),
                "run by a thread that waits in an isolated region which it does not descend from");
}

}  // namespace mix
