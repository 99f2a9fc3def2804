#pragma once
// Under a limit of one thread there are no workers, so what one application thread has published nobody else sees. There
// a thread that waits, inside nothing else, works in the arenas of others before it sleeps.

#include "arena/arena.h"
#include "worker/crew.h"

namespace bough {

inline bool may_lend(const slot& s) {
    return crew_limits.workers_allowed() == 0 && s.nesting == 0 && s.isolation == 0 && !s.is_worker;
}

// Where such threads sleep, for whoever has work for them.
const void* lenders();

// The calling thread's seat in an arena that waits for a worker, while the loan lives.
class loan {
public:
    explicit loan(slot& own);
    ~loan();
    loan(const loan&) = delete;
    loan& operator=(const loan&) = delete;

    // Runs one thing there; false: there is nothing to do, or no seat.
    bool run_one();

private:
    slot& own_;
    arena* arena_;
    slot* seat_ = nullptr;
};

// What other threads have published and nobody runs, under a limit of one thread. False: there was nothing.
template <class Done>
bool help_elsewhere(slot& s, Done&& done) {
    loan elsewhere(s);
    bool helped = false;
    while (!done() && elsewhere.run_one())
        helped = true;
    return helped;
}

}  // namespace bough
