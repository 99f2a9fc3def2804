// decide() for leaving.pml, in which the C program of spin calls it. Slots, abandoned slots
// and dismissals are left out.

#include "worker/decide.h"

// What it takes, times 4, and how it leaves.
extern "C" int decide(int has_enqueued, int is_requested_elsewhere, int is_requested_higher, int is_turn_over,
                      int others, int active, int allowed) {
#ifdef NONE_IS_THE_LAST
    has_enqueued = 0;
#endif
#ifdef PRIORITIES_ARE_IGNORED
    is_requested_higher = 0;
#endif
#ifdef LIMITS_ARE_IGNORED
    active = 1;
    allowed = 1;
#endif
    const bough::leaving::snapshot s{
        .is_requested_elsewhere = is_requested_elsewhere != 0,
        .has_enqueued = has_enqueued != 0,
        .others = static_cast<unsigned>(others),
        .active = static_cast<unsigned>(active),
        .allowed = static_cast<unsigned>(allowed),
        .is_requested_higher = is_requested_higher != 0,
        .is_turn_over = is_turn_over != 0,
    };
#ifdef STAYS_WHATEVER_IS_READ
    const bough::leaving::decision d;
#else
    const bough::leaving::decision d = bough::leaving::decide(s);
#endif
    return 4 * static_cast<int>(d.takes) + static_cast<int>(d.leaves);
}
