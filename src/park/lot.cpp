#include "park/lot.h"

#include <type_traits>

namespace bough {

lot& process_lot() {
    static_assert(std::is_trivially_destructible_v<lot>);
    static constinit lot one;
    return one;
}

}  // namespace bough
