#include "pipeline/turnstile.h"

namespace bough {

template class basic_turnstile<machine::atomics>;

}  // namespace bough
