#pragma once
// What the local queue is made of: accesses that are counted. The twin of counted/off.

#include "stats/counting_atomics.h"

namespace bough {

using queue_atomics = counting_atomics;

}  // namespace bough
