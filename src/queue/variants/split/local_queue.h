#pragma once
// The queue of a slot, variant split. The owner exposes one task when it comes to its queue.

#include "queue/private_queue.h"
#include "queue/split.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = private_queue<basic_split<queue_atomics, expose_one, exposure::by_owner>>;

}  // namespace bough
