#include "park/parking_lot.h"

#include <type_traits>

namespace bough {

static_assert(std::is_trivially_destructible_v<parking_lot>);
constinit parking_lot the_parking_lot;

}  // namespace bough
