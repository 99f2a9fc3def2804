// oneTBB renamed the header and the class when they left preview.
#pragma once
#include <oneapi/tbb/blocked_nd_range.h>

namespace tbb {
template <typename Value, unsigned N>
using blocked_rangeNd = blocked_nd_range<Value, N>;
}
