#pragma once
// The local queue of a slot, variant split-signal. The signal handler exposes one task.

#include "queue/private_queue.h"
#include "queue/split.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = private_queue<basic_split<queue_atomics, expose_one, exposure::by_signal>>;

}  // namespace bough
