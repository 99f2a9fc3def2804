#pragma once
// The local queue of a slot, variant mutex. A deque under a mutex.

#include "queue/mutex_deque.h"
#include "queue/plain_queue.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = plain_queue<basic_mutex_deque<queue_atomics>>;

}  // namespace bough
