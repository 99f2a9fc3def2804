#pragma once
// For tests whose bodies, or threads, wait for a task outside of bough's own waits. With two of the library's
// variants that is not allowed (src/queue/README.md): what the waiting thread spawned stays its own until it comes back
// to its queue. A loop's pieces lie in no queue, so bodies of loops may wait for each other all the same, but for an
// affinity_partitioner's. Not so with the balancer of channels (src/balance/README.md): there a loop's pieces, too, are
// given away by the thread that works on the loop.

#include <gtest/gtest.h>

#include <string_view>

#include "bough/exports/version.h"

namespace bough_test {

inline bool bodies_must_not_block() {
    const std::string_view queue = bough::variant();
    return queue == "split" || queue == "split-signal-conservative" || queue == "channels";
}

inline bool loop_bodies_must_not_block() {
    return std::string_view(bough::variant()) == "channels";
}

}  // namespace bough_test

// `reason`: who waits for what.
#define BOUGH_SKIP_IF_BODIES_MUST_NOT_BLOCK(reason)                                                          \
    do {                                                                                                     \
        if (bough_test::bodies_must_not_block())                                                             \
            GTEST_SKIP() << "not with this queue, which keeps its tasks: " << reason;                        \
    } while (false)

#define BOUGH_SKIP_IF_LOOP_BODIES_MUST_NOT_BLOCK(reason)                                                     \
    do {                                                                                                     \
        if (bough_test::loop_bodies_must_not_block())                                                        \
            GTEST_SKIP() << "not with this balancer, which answers between two batches: " << reason;         \
    } while (false)
