#pragma once
// The local queue of a slot, variant split-signal-half.
// The signal handler exposes half of the private tasks, rounded up.

#include "queue/private_queue.h"
#include "queue/split.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = private_queue<basic_split<queue_atomics, expose_half, exposure::by_signal>>;

}  // namespace bough
