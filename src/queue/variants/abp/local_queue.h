#pragma once
// The local queue of a slot, variant abp. A deque in a fixed array.

#include "queue/abp.h"
#include "queue/plain_queue.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = plain_queue<basic_abp<queue_atomics>>;

}  // namespace bough
