#pragma once
// What a slot has for the balancer of deques: nothing. Twin: ../channels/balance_seat.h.

namespace bough::balancing {

struct seat {
    static void begin_in_child() {}
};

}  // namespace bough::balancing
