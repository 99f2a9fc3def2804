#pragma once
// The atomics of the local queue, counted. The twin of counted/off.

#include "stats/counting_atomics.h"

namespace bough {

using queue_atomics = counting_atomics;

}  // namespace bough
