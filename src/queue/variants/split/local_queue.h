#pragma once
// The local queue of a slot, variant split.
// If asked, the owner exposes one task at its next push or pop.

#include "queue/private_queue.h"
#include "queue/split.h"
#include "queue_atomics.h"

namespace bough {

using local_queue = private_queue<basic_split<queue_atomics, expose_one, exposure::by_owner>>;

}  // namespace bough
