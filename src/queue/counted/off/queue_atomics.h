#pragma once
// What the local queue is made of: plain accesses. The twin of counted/on.

#include "machine/atomics.h"

namespace bough {

using queue_atomics = machine::atomics;

}  // namespace bough
