#pragma once
// The local queue of a slot, variant chase-lev. A deque that grows and shrinks; the library's own.

#include "queue/chase_lev.h"
#include "queue/plain_queue.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = plain_queue<basic_chase_lev<queue_atomics>>;

}  // namespace bough
