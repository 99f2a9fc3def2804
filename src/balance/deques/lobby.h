#pragma once
// Of an arena, for the balancer of deques: nothing. Twin: ../channels/lobby.h.

namespace bough::balancing {

struct lobby {};

}  // namespace bough::balancing
