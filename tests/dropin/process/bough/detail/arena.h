#pragma once
// See ../bough.h.

#include <bough/bough.h>
