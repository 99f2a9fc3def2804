#pragma once
// The local queue of a slot, variant split-signal-conservative.
// The signal handler exposes one task, if another one stays private.

#include "queue/private_queue.h"
#include "queue/split.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = private_queue<basic_split<queue_atomics, expose_spare, exposure::by_signal>>;

}  // namespace bough
