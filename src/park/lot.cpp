#include "park/lot.h"

#include <type_traits>

namespace bough {

static_assert(std::is_trivially_destructible_v<lot>);
constinit lot the_lot;

}  // namespace bough
