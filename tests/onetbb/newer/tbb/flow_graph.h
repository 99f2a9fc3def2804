// See oneapi/tbb/flow_graph.h. oneTBB's own includes its sibling by relative path.
#pragma once
#include <oneapi/tbb/flow_graph.h>
