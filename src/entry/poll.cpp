#include "bough/exports/poll.h"

#include "balancing.h"
#include "worker/this_thread.h"

namespace bough {

void poll() noexcept {
    if (slot* const s = current_slot)
        balancing::poll_in_body(*s);
}

}  // namespace bough
