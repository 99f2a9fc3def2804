// The parking lot for blocking primitives outside the library. bough/exports/parking.h says how to use it.

#include "bough/detail/parking.h"

#include "local_queue.h"
#include "park/parking_lot.h"

namespace bough::detail {

void park(const void* key, std::uintptr_t context, bool (*ready)(void*), void* argument) {
    local_queue::expose_all_here();
    process_parking_lot().sleep(key, nullptr, [=] { return ready(argument); }, context);
}

void unpark_one(const void* key) {
    process_parking_lot().wake_one(key);
}

void unpark_all(const void* key) {
    process_parking_lot().wake_all(key);
}

void unpark_matching(const void* key, bool (*matches)(std::uintptr_t context, std::uintptr_t value),
                     std::uintptr_t value) {
    process_parking_lot().wake_matching(key, matches, value);
}

}  // namespace bough::detail
