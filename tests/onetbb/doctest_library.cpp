// doctest, compiled once for all of oneTBB's tests.
#define DOCTEST_CONFIG_IMPLEMENT
#include "common/doctest.h"
