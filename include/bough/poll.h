#pragma once
// poll(): for bodies that run long, with the balancer of channels.

#include "exports/poll.h"
