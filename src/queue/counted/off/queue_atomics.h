#pragma once
// The atomics of the local queue, not counted. The twin of counted/on.

#include "machine/atomics.h"

namespace bough {

using queue_atomics = machine::atomics;

}  // namespace bough
