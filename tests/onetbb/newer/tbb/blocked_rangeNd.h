// oneTBB renamed the header, the class and the number of dimensions when they left preview.
#pragma once
#include <oneapi/tbb/blocked_nd_range.h>

namespace tbb {
template <typename Value, unsigned N>
class blocked_rangeNd : public blocked_nd_range<Value, N> {
public:
    using blocked_nd_range<Value, N>::blocked_nd_range;
    blocked_rangeNd(blocked_rangeNd& from, detail::split s) : blocked_nd_range<Value, N>(from, s) {}
    blocked_rangeNd(blocked_rangeNd& from, detail::proportional_split& s)
        : blocked_nd_range<Value, N>(from, s) {}
    static constexpr unsigned ndims() { return N; }
};
}  // namespace tbb
