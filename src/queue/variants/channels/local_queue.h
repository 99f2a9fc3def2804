#pragma once
// The local queue of a slot, variant channels: a private queue, and the channel by which other threads ask for tasks.

#include "queue/channel_queue.h"

namespace bough {

using local_queue = channel_queue;

}  // namespace bough
