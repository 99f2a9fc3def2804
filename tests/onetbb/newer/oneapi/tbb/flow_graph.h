// oneTBB moved its flow graph from d1 to d2; the tests of 2021.8 look for parts of it in d1.
#pragma once
#include_next <oneapi/tbb/flow_graph.h>

namespace tbb::detail {
namespace d2 {}
namespace d1 {
using namespace d2;
}
}  // namespace tbb::detail
