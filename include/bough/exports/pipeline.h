#pragma once
// The only way from the pipeline's templates into the library. Behind it: src/pipeline/pipeline.cpp.

#include "../config.h"

namespace bough::detail {

struct pipeline_job;

// Calls the filters until the input has ended and each item has gone through all of them, or until the job's node is
// stopped, which an exception does: then items that are left are dropped. Any thread. Memory: a token for each item
// that was alive at one time, at most max_live_tokens; each with room for two items. Throws std::bad_alloc, and then no
// filter has been called.
BOUGH_EXPORT void run_pipeline(pipeline_job& job);

}  // namespace bough::detail
