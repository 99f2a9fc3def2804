#pragma once
// The only call of the pipeline's templates into the library. Behind it: src/pipeline/pipeline.cpp.

#include "../config.h"

namespace bough::detail {

struct pipeline_job;

// Calls the filters until the input has ended and each item has gone through all filters, or until the job's node is
// stopped. An exception stops the node. Then the items that are left are dropped. Any thread. Memory: a token, with
// room for two items, for each item that is alive at the same time; at most max_live_tokens. Throws std::bad_alloc;
// then no filter has been called.
BOUGH_EXPORT void run_pipeline(pipeline_job& job);

}  // namespace bough::detail
