#pragma once
// How a node of a distribution tree cuts its team and its range (share/team.h).

#include <cstdint>

namespace bough {

struct cut_rule {
    static constexpr std::uint32_t one_producer = 0;

    std::uint32_t
        fan_out;  // shares that it cuts its team into, at least 2; or one_producer: one for each member
    std::uint32_t sixteenths = 0;  // of the range, for each child; 0: in proportion to its members
};

}  // namespace bough
